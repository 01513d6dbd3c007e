"""derive.py: derive commits again from their ledger entries, as docs/format.md says.

    python derive.py [REPOSITORY] A..B

Prints a line a commit; exits with 1 if one is not derived, 2 on bad input, else 0."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter

LEDGER, ATTRIBUTES = b".hkgit/ledger/", b".hkgit/.gitattributes"
FROZEN = b"ledger/** -text -filter -diff -merge linguist-generated\n"
PARTS = {"base", "claims", "edits", "files", "ladder", "parameters", "reads", "schema", "spec"}
HASH, TEXT = '"[0-9a-f]{64}"', r'("([^"\\]++|\\.)*+"|{"base64":"[^"]*"})'
MARK, SIDE = rf'{{"mode":"100(644|755)","sha256":{HASH}}}', rf"\[({HASH}(,{HASH}){{0,2}})?\]"
HUNK = (
    rf'{{"after":{SIDE},"before":{SIDE},"edits":\[(,?[1-9]\d*)*\],"lines":\[[1-9]\d*,\d+\],'
    rf'"new_hash":{HASH},"new_text":{TEXT},"old_hash":{HASH}}}'
)
FILE = re.compile(  # in canonical JSON: a mark where there is a path, and a path at least
    rf'(?!{{"after":null,"before":null){{"after":(null|(?P<new>{MARK})),"before":(null|(?P<old>{MARK})),'
    rf'"final_newline":(true|false),"hunks":\[(,?{HUNK})*\],"new_path":(?(new){TEXT}|null),'
    rf'"path":(?(old){TEXT}|null)}}'
)
HEADER = re.compile(rb"tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author ")
TREE = rb"(40000|100644|100755|120000|160000) ([^\0/]+)\0(.{%d})"
BOM, END, ID = b"\xef\xbb\xbf", re.compile(rb"\r?\n\Z"), "[0-9a-f]{40}|[0-9a-f]{64}"
ENV = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_GRAFT_FILE": os.devnull}


class Answer(Exception):
    """Another answer than `derived`, and why."""


def require(holds, where, what):
    if not holds:
        shown = ascii(where.decode(errors="backslashreplace"))[1:-1]
        raise Answer("not derived", f"{shown}: {what}")


def write(value, depth=0):
    """Write JSON as RFC 8785 wants it. Raises ValueError for what no entry may hold."""
    if type(value) is bytes:
        is_text = value.decode(errors="ignore").encode() == value
        return write(value.decode() if is_text else {"base64": base64.b64encode(value).decode()})
    if type(value) is dict and depth < 64:
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(write(key) + ":" + write(value[key], depth + 1) for key in keys) + "}"
    if type(value) is list and depth < 64:
        return "[" + ",".join(write(each, depth + 1) for each in value) + "]"
    if type(value) in (str, bool, type(None)) or (type(value) is int and abs(value) < 2**53):
        return json.dumps(value, ensure_ascii=False)
    raise ValueError("is too deep, or no number that every program reads alike")


def read_entry(data):  # its base, its files, and what it needs and leaves by path
    try:
        entry = json.loads(data.decode())
        files, base = entry["files"], entry["base"]
        for each in [*files, *(hunk for file in files for hunk in file["hunks"])]:
            for key in each.keys() & {"path", "new_path", "new_text"}:
                if type(each[key]) is dict:
                    each[key] = base64.b64decode(each[key]["base64"])
                elif each[key] is not None:
                    each[key] = each[key].encode()
        is_whole = entry.keys() == PARTS and type(files) is list and files and len(data) <= 2**20
        is_known = write(entry["schema"]) == "1" and (base is None or re.fullmatch(ID, base))
        is_entry = is_whole and is_known and write(entry).encode() + b"\n" == data
        is_entry = is_entry and all(FILE.fullmatch(write(file)) for file in files)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_entry = False
    require(is_entry, b"entry", "is no entry of schema 1 in canonical JSON")
    needs, leaves = {}, {}
    for file in files:
        file["name"] = file["new_path"] if file["path"] is None else file["path"]
        file |= {key: file[key] and tuple(file[key].values()) for key in ("before", "after")}
        needs |= {file["new_path"]: None, file["name"]: file["before"]}
        leaves |= {file["path"]: None, file["new_path"]: file["after"]}
    leaves.pop(None, None)
    return {"base": base, "files": files, "needs": needs, "leaves": leaves}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def hash_lines(lines):
    return digest(b"".join(line + b"\n" for line in lines))


class Text:  # bytes as lines: `raw` with their ends, the last one too, and `lines` without
    def __init__(self, data):
        self.bom = BOM if data.startswith(BOM) else b""
        self.raw = re.findall(rb"[^\n]*\n|[^\n]+", data[len(self.bom) :])
        self.lines = [END.sub(b"", raw) for raw in self.raw]
        self.is_ended = not self.raw or data.endswith(b"\n")
        if not self.is_ended:
            is_crlf = data.endswith(b"\r") or b"".join(self.raw[-2:-1]).endswith(b"\r\n")
            self.raw[-1] += b"\r\n" if is_crlf else b"\n"
        self.hashes = [hash_lines([line]) for line in self.lines]

    def find_place(self, hunk, size):  # the only one, from 0, in a text that has moved on; else -1
        above, below, end, places = hunk["before"], hunk["after"], len(self.lines), []
        is_bare = not above and not below and size == end
        for start in range(end - size + 1):
            stop = start + size
            has_above = above and self.hashes[max(start - len(above), 0) : start] == above
            has_below = below and self.hashes[stop : stop + len(below)] == below
            is_there = has_above or has_below or is_bare
            if is_there and hash_lines(self.lines[start:stop]) == hunk["old_hash"]:
                is_top = has_above and (len(above) > 2 or start == len(above))
                is_end = has_below and (len(below) > 2 or stop + len(below) == end)
                places.append(start if is_top or is_end or is_bare else -1)
        return places[0] if len(places) == 1 else -1

    def derive(self, file, is_moved):  # the bytes that hunks of an entry make of this text
        parts, done = [self.bom], 0
        for hunk in file["hunks"]:
            (first, last), text = hunk["lines"], hunk["new_text"]
            where, start, size = file["name"] + b":%d" % first, first - 1, last - first + 1
            new = Text(b"\n" * (first > 1) + text)  # at the top alone may a byte order mark be
            is_new = new.is_ended and hash_lines(new.lines[first > 1 :]) == hunk["new_hash"]
            if is_moved and size >= 0:  # else it is refused below
                start = self.find_place(hunk, size)
                require(start >= done + (len(parts) > 1), where, "has not just one place here")
            stop = start + size
            sides = self.hashes[max(start - 3, 0) : start], self.hashes[stop : stop + 3]
            is_old = hash_lines(self.lines[start:stop]) == hunk["old_hash"]
            is_old = is_old and (is_moved or sides == (hunk["before"], hunk["after"]))
            is_here = done <= start <= stop <= len(self.lines)
            require(is_here and is_old and is_new, where, "its hashes do not hold here")
            parts += [*self.raw[done:start], text]
            done = stop
        data = b"".join([*parts, *self.raw[done:]])
        reaches_end = not is_moved or (len(parts) > 1 and done == len(self.lines))
        is_ended, bare = file["final_newline"] if reaches_end else self.is_ended, END.sub(b"", data)
        return data if is_ended or bare in (b"", BOM) or bare.endswith(b"\n") else bare


def derive_entry(git, entry, files):  # what it makes of files, and whether it was made on others
    made, has_moved = {}, False
    for file in entry["files"]:
        path, new_path, name, before = (file[key] for key in ("path", "new_path", "name", "before"))
        found, after = files.get(path), file["after"]
        is_moved = bool(found and before) and found[0] == before[0] and git.mark(found) != before
        has_moved |= is_moved
        is_free = before != after if path == new_path else not files.get(new_path)
        is_free = is_free and not {path, new_path} & {*made}
        require(is_free and (is_moved or git.mark(found) == before), name, "is not as recorded")
        data = Text(git.load(found)).derive(file, is_moved)
        new = after and (after[0], data)
        is_right = data in (b"", BOM) if new is None else (git.mark(new) == after) is not is_moved
        is_right = is_right and (path, git.mark(found)) != (new_path, git.mark(new))
        require(is_right, name, "the hunks do not make the recorded file, or change nothing")
        made |= {key: file for key, file in ((path, None), (new_path, new)) if key is not None}
    return made, has_moved


def follow(git, entries, files, parent):
    """Derive what the entries of a commit make of its parent's files."""
    needed = Counter(state for entry in entries for state in entry["needs"].items())
    left = Counter(state for entry in entries for state in entry["leaves"].items())
    now, home = {path: git.mark(files.get(path)) for path, _ in needed}, {}
    now |= {path: mark for path, mark in reversed(needed - left) if (path, now[path]) not in needed}
    while entries:
        ready = [each for each in entries if each["needs"].items() <= now.items()] or entries[:1]
        useful = (each for each in ready if any(needed[state] for state in each["leaves"].items()))
        entry = next(useful, ready[0])
        entries.remove(entry)
        needed.subtract(entry["needs"].items())
        now |= entry["leaves"]
        made, has_moved = derive_entry(git, entry, files)
        if has_moved:  # where the files are here that it was made on, it must hold there as well
            own = git.list_base(entry["base"], parent)
            for path, mark in entry["needs"].items():
                places = (each.get(path) for each in (files | home, files, own))
                own[path] = next((file for file in places if git.mark(file) == mark), None)
            if all(git.mark(own[path]) == mark for path, mark in entry["needs"].items()):
                home |= derive_entry(git, entry, own)[0]
        files = files | made
    return files


class Git:  # the objects of a repository, each checked against its id
    def __init__(self, repository):
        self.command = ["git", "-c", "advice.graftFileDeprecated=false", "-C", repository]
        self.io = {"stdout": subprocess.PIPE, "env": os.environ | ENV}
        [self.algorithm] = self.ask("rev-parse", "--show-object-format")
        self.batch = subprocess.Popen([*self.command, "cat-file", "--batch"], stdin=-1, **self.io)

    def ask(self, *words):
        done = subprocess.run([*self.command, *words], check=True, **self.io)
        return done.stdout.decode().split()

    def read(self, kind, name):
        self.batch.stdin.write(name.encode() + b"\n")
        self.batch.stdin.flush()
        words = self.batch.stdout.readline().split()
        data = self.batch.stdout.read(int(words[2]) + 1)[:-1] if len(words) == 3 else b""
        whole = f"{kind} {len(data)}\0".encode() + data
        if len(words) != 3 or hashlib.new(self.algorithm, whole).hexdigest() != name:
            raise Answer("not judged here", f"{kind} {name[:12]} is missing or damaged")
        return data

    def load(self, file):
        data = file[1] if file and file[0].startswith("100") else b""
        return data if type(data) is bytes else self.read("blob", data)

    def mark(self, file):
        return file and (file[0], digest(self.load(file)))

    def list_files(self, tree):  # by path: a mode and an id; a directory without files is told
        found, waiting = {}, [(b"", tree)]
        for under, tree in waiting:  # it grows
            data = self.read("tree", tree)
            parts = re.findall(TREE % (len(tree) // 2), data, re.DOTALL)
            keys = [name + b"/" * (mode == b"40000") for mode, name, _ in parts]
            is_sound = keys == sorted(keys) and len({name for _, name, _ in parts}) == len(parts)
            if not is_sound or b"".join(b"%s %s\0%s" % part for part in parts) != data:
                raise Answer("not judged here", f"tree {tree[:12]} is malformed")
            found |= {under + name: (mode.decode(), key.hex()) for mode, name, key in parts}
            found |= {under: ("empty", tree)} if under and not parts else {}
            waiting += [(under + n + b"/", key.hex()) for m, n, key in parts if m == b"40000"]
        return found

    def list_base(self, base, parent):  # what edits were written against, if it is in the history
        words = [*self.command, "merge-base", "--is-ancestor", base or "", parent or ""]
        is_known = subprocess.run(words, stderr=subprocess.DEVNULL, **self.io).returncode == 0
        return self.list_files(self.read_commit(base)[0]) if is_known else {}

    def read_commit(self, commit):
        header = HEADER.match(self.read("commit", commit))
        if header is None:
            raise Answer("not judged here", f"commit {commit[:12]} is malformed")
        return header[1].decode(), header[2].decode().split()[1::2]


def check_commit(git, commit):
    """Derive a commit again; raises Answer where it is not derived."""
    tree, parents = git.read_commit(commit)
    if len(parents) > 1:
        raise Answer("not judged here", "merge")
    before = git.list_files(git.read_commit(parents[0])[0]) if parents else {}
    after, entries = git.list_files(tree), []
    if any(path.startswith(LEDGER) and path not in after for path in before):
        raise Answer("not judged here", "takes entries out of the ledger")
    for path, (mode, name) in sorted(after.items() - before.items()):
        if path.startswith(LEDGER) and mode != "40000":
            data = git.load((mode, name))
            own = LEDGER + f"{digest(data)[:2]}/{digest(data)[2:]}.json".encode()
            require((path, mode) == (own, "100644") and path not in before, path, "is no new entry")
            entries.append(read_entry(data))
    if not entries:
        raise Answer("no entry", "")
    try:
        derived = follow(git, entries, before, (parents or [None])[0])
        if git.mark(after.get(ATTRIBUTES)) == ("100644", digest(FROZEN)):
            derived[ATTRIBUTES] = after[ATTRIBUTES]
        derived |= {path: file for path, file in after.items() if path.startswith(LEDGER)}
        for path in sorted(derived.keys() | after.keys()):
            one, other = derived.get(path), after.get(path)
            if one != other and {"40000"} != {each[0] for each in (one, other) if each}:
                is_made = one and other and one[0] == other[0] and git.load(other) == one[1]
                pairs = zip(git.load(one).split(b"\n"), git.load(other).split(b"\n"), strict=False)
                line = [*(a == b for a, b in pairs), False].index(False) + 1
                require(is_made, path + b":%d" % line, "is not what the entries make")
    except Answer:
        added = [b":(top)" + path for path in after.keys() - before.keys() if LEDGER in path]
        if parents and git.ask("rev-list", "-1", "--full-history", parents[0], "--", *added):
            raise Answer("not judged here", "puts entries back") from None
        raise


def main(arguments):
    if len(arguments) not in (1, 2):
        raise OSError("usage: python derive.py [REPOSITORY] A..B")
    git, failed = Git(arguments[0] if arguments[1:] else "."), False
    for commit in git.ask("rev-list", "--reverse", "--end-of-options", arguments[-1], "--"):
        try:
            check_commit(git, commit)
            status, why = "derived", ""
        except Answer as answer:
            status, why = answer.args
        failed |= status == "not derived"
        print(f"{commit[:12]}  {status}  {why}".rstrip())
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, subprocess.CalledProcessError) as error:
        why = error if isinstance(error, OSError) else "git refuses this, as it says above"
        print(f"derive.py: {why}", file=sys.stderr)
        sys.exit(2)
