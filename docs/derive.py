"""derive.py: derive commits again from their ledger entries, as docs/format.md says.

    python derive.py [REPOSITORY] A..B

Prints one line a commit: `derived`; `not derived`, with path, line and reason; `no entry`; or `not
judged here`, with the reason. Exits with 1 if a commit is not derived, 2 on bad input, else 0.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from functools import cached_property

LEDGER, ATTRIBUTES = b".hkgit/ledger/", b".hkgit/.gitattributes"
FROZEN = b"ledger/** -text -filter -diff -merge linguist-generated\n"
TREE = rb"(40000|100644|100755|120000|160000) ([^\0/]+)\0(.{%d})"
ENV = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_GRAFT_FILE": os.devnull}
BOM, END = b"\xef\xbb\xbf", re.compile(rb"\r?\n\Z")
HEX, TEXT, LINES = '"[0-9a-f]{64}"', r'("([^"\\]++|\\.)*+"|{"base64":"[^"]*"})', r"\[[1-9]\d*,\d+\]"
MARK = rf'{{"mode":"100(644|755)","sha256":{HEX}}}'
HUNK = (
    rf'{{"after":\[(,?{HEX})*\],"before":\[(,?{HEX})*\],"edits":\[(,?[1-9]\d*)*\],"lines":{LINES},'
    rf'"new_hash":{HEX},"new_text":{TEXT},"old_hash":{HEX}}}'
)
FILE = re.compile(  # a mark where there is a path, and a path at least
    rf'(?!{{"after":null,"before":null){{"after":(null|(?P<new>{MARK})),"before":(null|(?P<old>{MARK})),'
    rf'"final_newline":(true|false),"hunks":\[(,?{HUNK})*\],"new_path":(?(new){TEXT}|null),'
    rf'"path":(?(old){TEXT}|null)}}'
)
PARTS = {"base", "claims", "edits", "files", "ladder", "parameters", "reads", "schema", "spec"}


class Answer(Exception):
    """Another answer than `derived`, and why."""


def require(holds, where, what):
    if not holds:
        place = where if isinstance(where, str) else where.decode("utf-8", "backslashreplace")
        raise Answer("not derived", f"{ascii(place)[1:-1]}: {what}")


def read_texts(value):
    """Read the paths and new texts of an object as bytes; base64 is what is not UTF-8."""
    if value.keys() == {"base64"}:
        return base64.b64decode(value["base64"], validate=True)
    texts = {key: value[key] for key in ("path", "new_path", "new_text") if key in value}
    return value | {key: text.encode() for key, text in texts.items() if type(text) is str}


def write_bytes(data):
    is_text = data.decode("utf-8", "ignore").encode() == data
    return data.decode() if is_text else {"base64": base64.b64encode(data).decode()}


WAY = {"ensure_ascii": False, "sort_keys": True, "separators": (",", ":"), "default": write_bytes}
# A fraction, or a number of so many digits that readers differ, is not written as it was read.
NUMBERS = {"parse_int": lambda digits: int(digits[:17]), "parse_float": str, "parse_constant": str}


def read_entry(data):
    """Read an entry, texts as bytes and marks as tuples, with what it needs and leaves by path."""
    try:
        entry = json.loads(data, object_hook=read_texts, **NUMBERS)
        files = [FILE.fullmatch(json.dumps(file, **WAY)) for file in entry["files"]]
        is_whole = entry.keys() == PARTS and repr(entry["schema"]) == "1" and files != []
        is_entry = is_whole and all(files) and json.dumps(entry, **WAY).encode() + b"\n" == data
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_entry = False
    require(is_entry and len(data) <= 2**20, "entry", "is no entry of schema 1 in canonical JSON")
    entry["needs"], entry["leaves"] = {}, {}
    for file in entry["files"]:
        file["name"] = file["new_path"] if file["path"] is None else file["path"]
        for key in ("before", "after"):
            file[key] = file[key] and tuple(file[key].values())
        entry["needs"] |= {file["new_path"]: None, file["name"]: file["before"]}
        entry["leaves"] |= {file["path"]: None, file["new_path"]: file["after"]}
    entry["leaves"].pop(None, None)
    return entry


def digest(data):
    return hashlib.sha256(data).hexdigest()


def hash_lines(lines):
    return digest(b"".join(line + b"\n" for line in lines))


class Text:
    """Bytes as lines: `raw` with their ends, the last one too, and `lines` without."""

    def __init__(self, data):
        self.bom = BOM if data.startswith(BOM) else b""
        self.raw = re.findall(rb"[^\n]*\n|[^\n]+", data[len(self.bom) :])
        self.lines = [END.sub(b"", raw) for raw in self.raw]
        self.is_ended = not self.raw or data.endswith(b"\n")
        if not self.is_ended:
            is_crlf = data.endswith(b"\r") or b"".join(self.raw[-2:-1]).endswith(b"\r\n")
            self.raw[-1] += b"\r\n" if is_crlf else b"\n"

    @cached_property
    def hashes(self):
        return [hash_lines([line]) for line in self.lines]

    def find_place(self, hunk, size):
        """Find the only place, counted from 0, of a hunk in a text that has moved on."""
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
                places.append((start, is_top or is_end or is_bare))
        return places[0][0] if len(places) == 1 and places[0][1] else -1

    def derive(self, file, is_moved):
        """Derive the bytes that this text becomes by the hunks of a file of an entry."""
        parts, done = [self.bom], 0
        for hunk in file["hunks"]:
            (first, last), text = hunk["lines"], hunk["new_text"]
            where, start, size = file["name"] + b":%d" % first, first - 1, last - first + 1
            new = Text(b"\n" * (first > 1) + text)  # at the top alone may a byte order mark be
            is_new = new.is_ended and hash_lines(new.lines[first > 1 :]) == hunk["new_hash"]
            require(is_new and size >= 0, where, "new_hash does not hold")
            if is_moved:
                start = self.find_place(hunk, size)
                require(start >= done + (len(parts) > 1), where, "has not just one place here")
            stop = start + size
            sides = self.hashes[max(start - 3, 0) : start], self.hashes[stop : stop + 3]
            is_old = hash_lines(self.lines[start:stop]) == hunk["old_hash"] and done <= start
            is_old = is_old and (is_moved or sides == (hunk["before"], hunk["after"]))
            require(is_old and stop <= len(self.lines), where, "its hashes do not hold here")
            parts += [*self.raw[done:start], text]
            done = stop
        data = b"".join([*parts, *self.raw[done:]])
        reaches_end = not is_moved or (len(parts) > 1 and done == len(self.lines))
        bare = END.sub(b"", data)
        is_bare = not (file["final_newline"] if reaches_end else self.is_ended)
        return bare if is_bare and bare not in (b"", BOM) and not bare.endswith(b"\n") else data


def derive_entry(git, entry, files):
    """Derive what an entry makes of files, and whether they are others than it was made on."""
    made, has_moved = {}, False
    for file in entry["files"]:
        path, new_path, name, before = (file[key] for key in ("path", "new_path", "name", "before"))
        found, after = files.get(path), file["after"]
        is_moved = bool(found and before) and found[0] == before[0] and git.mark(found) != before
        has_moved |= is_moved
        is_free = (new_path == path or not files.get(new_path)) and not {path, new_path} & {*made}
        require(is_free and (is_moved or git.mark(found) == before), name, "is not as recorded")
        data = Text(git.load(found)).derive(file, is_moved)
        new = after and (after[0], data)
        is_right = data in (b"", BOM) if new is None else (git.mark(new) == after) is not is_moved
        require(is_right, name, "the hunks do not make the recorded file")
        require((path, git.mark(found)) != (new_path, git.mark(new)), name, "does not change")
        made |= {key: file for key, file in ((path, None), (new_path, new)) if key is not None}
    return made, has_moved


def follow(git, entries, files):
    """Derive what the entries of a commit make of its parent's files."""
    needed = Counter(state for entry in entries for state in entry["needs"].items())
    left = Counter(state for entry in entries for state in entry["leaves"].items())
    now, home = dict(reversed((needed - left).keys())), {}
    for path in {path for path, _ in needed}:
        actual = git.mark(files.get(path))
        now[path] = now[path] if path in now and (path, actual) not in needed else actual
    while entries:
        ready = [each for each in entries if each["needs"].items() <= now.items()] or entries[:1]
        entry = max(ready, key=lambda each: any(needed[state] for state in each["leaves"].items()))
        entries.remove(entry)
        needed.subtract(entry["needs"].items())
        now |= entry["leaves"]
        made, has_moved = derive_entry(git, entry, files)
        if has_moved:  # where the files are here that it was made on, it must hold there as well
            own = {}
            with suppress(Answer):
                own = git.list_files(git.read_commit(entry["base"] or "none")[0])
            places = (files | home, files, dict(own))
            for path, mark in entry["needs"].items():
                found = (each.get(path) for each in places)
                own[path] = next((file for file in found if git.mark(file) == mark), None)
            if all(git.mark(own[path]) == mark for path, mark in entry["needs"].items()):
                home |= derive_entry(git, entry, own)[0]
        files = files | made
    return files


class Git:
    """The objects of a repository, each checked against its id."""

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

    def list_files(self, tree, under=b""):
        """List what a tree holds by path: a mode and an id. A directory without files is told."""
        data, found = self.read("tree", tree), {}
        parts = re.findall(TREE % (len(tree) // 2), data, re.DOTALL)
        keys = [name + b"/" * (mode == b"40000") for mode, name, _ in parts]
        is_sound = keys == sorted(keys) and len({name for _, name, _ in parts}) == len(parts)
        if not is_sound or b"".join(b"%s %s\0%s" % part for part in parts) != data:
            raise Answer("not judged here", f"tree {tree[:12]} is malformed")
        for mode, name, key in parts:
            found[under + name] = mode.decode(), key.hex()
            if mode == b"40000":
                inside = self.list_files(key.hex(), under + name + b"/")
                found |= inside or {under + name + b"/": ("empty", key.hex())}
        return found

    def read_commit(self, commit):
        head = self.read("commit", commit).partition(b"\nauthor ")[0].decode("latin-1").split()
        return head[1], head[3::2]


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
            data = git.read("blob", name)
            own = LEDGER + f"{digest(data)[:2]}/{digest(data)[2:]}.json".encode()
            require((path, mode) == (own, "100644") and path not in before, path, "is no new entry")
            entries.append(read_entry(data))
    if not entries:
        raise Answer("no entry", "")
    derived = follow(git, entries, before)
    derived |= {path: file for path, file in after.items() if path.startswith(LEDGER)}
    if git.mark(after.get(ATTRIBUTES)) == ("100644", digest(FROZEN)):
        derived[ATTRIBUTES] = after[ATTRIBUTES]
    for path in sorted(derived.keys() | after.keys()):
        one, other = (files.get(path) for files in (derived, after))
        if one != other and {"40000"} != {each[0] for each in (one, other) if each}:
            line = os.path.commonprefix([git.load(one), git.load(other)]).count(b"\n")  # noqa: RUF071
            is_made = one and other and one[0] == other[0] and git.load(other) == one[1]
            require(is_made, path + b":%d" % (line + 1), "is not what the entries make")


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
    except (OSError, subprocess.CalledProcessError) as error:  # above it is what git says, if any
        print(f"derive.py: {error}", file=sys.stderr)
        sys.exit(2)
