"""Refusals of every face: a hash is given together with its lines, and `next` leads on.

Who passes a hash has had its lines before him; that is all that a hash is worth.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hkgit import apply_edits, parse_edits, range_hash
from hkgit.agents.servers.connection import Connection
from tests.support.circumstances import CIRCUMSTANCES, SHA_256, take_turns
from tests.support.commands import AGENT
from tests.support.repos import Repo
from tests.support.running import run

TEXT = "".join(f"line {number} of it\n" for number in range(1, 9)) + "twice\ntwice\n"
NOW = "one more\n" + TEXT.replace("line 4 of it", "line 4, changed")
"""What was read, and what the file is now."""


def protocol(**operation: object) -> str:
    return json.dumps({"version": "1", "operations": [{"path": "a.txt", **operation}]})


def replace_range(first: int, last: int, expected: str | None) -> str:
    words = {"start_line": first, "end_line": last, "new_text": "new\n"}
    known = {} if expected is None else {"expected_hash": expected}
    return protocol(op="replace_range", **words, **known)


def search(old: str, new: str = "new") -> str:
    return f"a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


SPECS = {
    "blind": search("line 2 of it"),
    "blind, long": search(TEXT.rstrip("\n").replace("line 4 of it", "line 4, changed")),
    "by number": replace_range(3, 4, None),
    "stale": replace_range(4, 4, range_hash(TEXT, 4, 4)),
    "moved": replace_range(2, 2, range_hash(TEXT, 2, 2)),
    "twice": search("twice"),
    "nearly": search("line 2 off itt\nline 3 off itt"),
    "nowhere": search("nothing like it at all"),
    "applied": search("line 3 of it", "line 4, changed"),
    "beyond": replace_range(90, 91, "0" * 64),
    "after a line": protocol(
        op="insert_after", after_line=3, new_text="x\n", expected_hash="1" * 64
    ),
    "deletion": protocol(op="delete_range", start_line=1, end_line=3, expected_hash="2" * 64),
    "rename": protocol(op="rename_file", new_path="b.txt", expected_hash="3" * 64),
    "new over old": protocol(op="create_file", new_text="x\n"),
    "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -3,1 +3,1 @@\n-line 9 of it\n+line 9\n",
    "tags": json.dumps({"path": "a.txt", "hash_start": "zz", "hash_stop": "zz", "content": "x"}),
    "harnesskit": json.dumps({"file": "a.txt", "old_text": "line 5 off it", "new_text": "x"}),
    "protected": json.dumps(
        {"file": ".github/workflows/x.yml", "old_text": "on: push", "new_text": "on: pull"}
    ),
}


@pytest.fixture
def repo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Each test meets another circumstance."""
    circumstance = take_turns(request.node.name)
    if circumstance == SHA_256:
        monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    repo = Repo.init(tmp_path / "repo")
    policy = '[gate]\nmode = "enforce"\n'
    workflow = {".github/workflows/x.yml": "on: push\n"}
    repo.commit({"a.txt": NOW, ".hkgit/config.toml": policy, **workflow}, "Begin")
    repo.commit({"notes.md": "Notes\n", "run.sh": "true\n"}, "Go on")
    return CIRCUMSTANCES[circumstance](repo)


def by_command(*words: str) -> Callable[[Repo, str], str]:
    def ask(repo: Repo, spec: str) -> str:
        done = run(*words, "-", cwd=repo.path, stdin=spec.encode())
        return done.out + done.err

    return ask


def by_document(*words: str) -> Callable[[Repo, str], str]:
    """The texts of a JSON document, as they are when it is read."""
    ask = by_command(*words, "--json")
    return lambda repo, spec: "\n".join(texts(json.loads(ask(repo, spec).partition("\nhkgit")[0])))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


def by_call(tool: str) -> Callable[[Repo, str], str]:
    """What a client of a server is answered, as document and as text."""

    def ask(repo: Repo, spec: str) -> str:
        reply = Connection(repo.path, None).answer(tool, {"text": spec})
        return "\n".join([*texts(reply.document), reply.text])

    return ask


def by_library(repo: Repo, spec: str) -> str:
    result = apply_edits(parse_edits(spec), repo.path)
    return "" if result.ok else result.for_model()


def by_gate(*words: str) -> Callable[[Repo, str], str]:
    """The answer about a commit that holds the edit, made past everything."""

    def ask(repo: Repo, spec: str) -> str:
        run("apply", "-", "--allow-blind", cwd=repo.path, stdin=spec.encode())
        repo.write("a.txt", repo.read("a.txt") + b"by nobody\n")
        repo.git("commit", "-qam", "Past it", "--no-verify", env=AGENT)
        done = run("gate", "--range", "HEAD~2..HEAD", *words, cwd=repo.path)
        return done.out + done.err

    return ask


FACES: dict[str, Callable[[Repo, str], str]] = {
    "apply": by_command("apply"),
    "apply, as JSON": by_document("apply"),
    "apply in a session": by_command("apply", "--session", "s"),
    "apply, relocated": by_command("apply", "--relocate"),
    "dry run": by_command("apply", "--dry-run"),
    "edit": by_command("edit"),
    "edit, as JSON": by_document("edit"),
    "server's edit": by_call("edit"),
    "server's apply": by_call("apply"),
    "library": by_library,
    **{f"gate, as {form}": by_gate("--format", form) for form in ("text", "json", "sarif")},
}


def find_bare_hashes(said: str, path: str, file: str) -> list[str]:
    """Hashes, or their beginnings, of lines of a file that are not all in the text with them."""
    lines = file.splitlines()
    known = {
        range_hash(file, first + 1, last): lines[first:last]
        for first in range(len(lines))
        for last in range(first + 1, len(lines) + 1)
    } | {hashlib.sha256(file.encode()).hexdigest(): lines}
    return [
        f"{digits} of {path}"
        for digits in re.findall(r"\b[0-9a-f]{8,64}\b", said)
        for each, shown in known.items()
        if each.startswith(digits) and not all(line in said for line in shown)
    ]


COMMAND = re.compile(r"(?:hkgit|git) [^`\n]*[=:#][0-9a-f]{12,64}\b")


@pytest.mark.sampled
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("face", FACES)
def test_no_refusal_gives_a_hash_without_its_lines(repo: Repo, face: str, name: str) -> None:
    said = FACES[face](repo, SPECS[name])
    files = {each: repo.read(each).decode() for each in ("a.txt", ".github/workflows/x.yml")}
    own = SPECS[name]
    bare = [each for path, file in files.items() for each in find_bare_hashes(said, path, file)]
    assert [each for each in bare if each.partition(" ")[0] not in own] == []
    assert COMMAND.findall(said) == []


def test_the_search_for_bare_hashes_finds_one() -> None:
    text = "alpha\nbeta\ngamma\n"
    digits = range_hash(text, 2, 2)[:12]
    assert find_bare_hashes(f"use {digits}", "f", text) == [f"{digits} of f"]
    assert find_bare_hashes(f"use {digits}: beta", "f", text) == []


@pytest.mark.sampled
@pytest.mark.parametrize("tool", ["edit", "apply"])
@pytest.mark.parametrize("name", SPECS)
def test_the_next_call_leads_on_and_ends(repo: Repo, tool: str, name: str) -> None:
    """Nobody who follows it goes round: no call is named twice for the same refusal."""
    session = Connection(repo.path, None)
    session.answer("read", {"path": "a.txt"})
    session.answer("edit", {"text": search("line 2 of it", "line two")})
    ask: dict[str, Any] = {"tool": tool, "arguments": {"text": SPECS[name]}}
    first, steps = ask, 0
    while steps < 12:
        steps += 1
        following = session.answer(ask["tool"], ask["arguments"]).document.get("next")
        # A reading leads to no call of its own: then the refused one is made once more.
        ask = following or first
        if following is None and steps > 1 and ask is first:
            reply = session.answer(first["tool"], first["arguments"])
            following = reply.document.get("next")
            if following is None:
                return
            ask = following
    pytest.fail(f"still going after {steps} steps")
