"""The library, the command line, MCP and reflection make the same of every text."""

import json
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit import HkgitError, apply_edits, apply_with_reflection, dialects, line_hash, range_hash
from hkgit.agents.servers.connection import Connection
from hkgit.applying.outcome import outcome_json
from hkgit.cli.main import main
from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    TagEdit,
    WriteFile,
)
from tests.support.notations import UnsayableEdit, write
from tests.support.properties import examples
from tests.support.repos import Repo

SOURCE = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"
FILES = {"x": "x,k\n", "src/f.py": SOURCE, "one/h.py": "h\n", "two/h.py": "h\n"}
SIDES = "--- a/x\n+++ b/x\n"
HASH = range_hash(FILES["x"])


PLANNED = {"would_apply": "applied", "not_applied": "applied"}
"""What a dry run and a refused batch call an edit that has its place, as the library does."""


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def operation(**said: object) -> str:
    return json.dumps({"version": "1", "operations": [said]})


TEXTS = {
    "protocol": operation(
        op="replace_range", path="x", start_line=1, end_line=1, expected_hash=HASH, new_text="y\n"
    ),
    "protocol, stale": operation(
        op="delete_range", path="x", start_line=1, end_line=1, expected_hash="0" * 64
    ),
    "harnesskit": '{"file": "x", "old_text": "x,k", "new_text": "y"}',
    "harnesskit, twice": '{"file": "src/f.py", "old_text": "    return 1\\n", "new_text": "x"}',
    "harnesskit, nothing": '{"edits": [{"file": "x", "old_text": "x", "new_text": "y"},'
    ' {"file": "x", "old_text": "y", "new_text": "x"}]}',
    "harnesskit, XML": '<edit file="x"><old>x,k</old><new>y</new></edit>',
    "search-replace": block("f.py", "def f():\n    return 1\n", "def f():\n    return 2\n"),
    "search-replace, mark": block("x", "x,k\n", "y\n>>>>>>> END\n"),
    "search-replace, cut off": block("x", "x,k\n", "y\n")[:-16],
    "search-replace, one after the other": block("x", "x,k\n", "y\n") + block("x", "y\n", "z\n"),
    "search-replace, a name of two files": block("h.py", "h\n", "i\n"),
    "unified-diff": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y\n",
    "unified-diff, on one base": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y,k\n{SIDES}@@ -1 +1 @@\n-y,k\n+z\n",
    "unified-diff, no such file": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y\n".replace("/x", "/xx"),
    "apply-patch": patch("*** Update File: x", "@@", "-x,k", "+y"),
    "apply-patch, two places": patch("*** Update File: src/f.py", "@@", "-    return 1", "+    2"),
    "apply-patch, over a file": patch("*** Add File: x", "+y"),
    "hashline": json.dumps({"path": "x", "hash_start": line_hash("x,k")}),
    "hashline, unknown": json.dumps({"path": "x", "hash_start": "zz"}),
    "text-editor": '{"command": "str_replace", "path": "x", "old_str": "x,k", "new_str": "y"}',
    "text-editor, absent": '{"file_path": "x", "old_string": "nowhere", "new_string": "y"}',
    "nothing known": "please change it\n",
}

Said = tuple[Any, ...]


def told(outcomes: list[dict[str, Any]]) -> list[Said]:
    """What answers have in common: what became of each edit, and why."""
    return [
        (each["path"], _status(each), each["tier"], each["diff"], _what(each)) for each in outcomes
    ]


def _status(outcome: dict[str, Any]) -> str:
    status = str(outcome["status"])
    return PLANNED.get(status, status)


def _what(outcome: dict[str, Any]) -> str | None:
    return None if outcome["error"] is None else str(outcome["error"]["what"])


def by_library(text: str) -> list[Said] | str:
    try:
        return told([outcome_json(each) for each in apply_edits(text, FILES).outcomes])
    except HkgitError as error:
        return error.what


def by_reflection(text: str) -> list[Said] | str:
    result = apply_with_reflection(text, FILES, lambda _: "", max_reflections=0)
    if not result.outcomes:
        return (result.problem or "").split("\n")[0].split(": ", 1)[1]
    return told([outcome_json(each) for each in result.outcomes])


def by_command(text: str) -> list[Said] | str:
    asked = ["edit", "--dry-run", "--json", "-"]
    done = CliRunner().invoke(main, asked, input=text, prog_name="hkgit")
    return answered(json.loads(done.stdout))


def by_mcp(text: str, root: Path) -> list[Said] | str:
    return answered(Connection(root, None).answer("edit", {"text": text, "dry_run": True}).document)


def answered(document: dict[str, Any]) -> list[Said] | str:
    return told(document["edits"]) if document.get("edits") else str(document["error"]["what"])


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files in a repository; nobody writes them."""
    repo = Repo.init(tmp_path_factory.mktemp("equal") / "repo")
    repo.commit(dict(FILES))
    return repo.path


def check_equal(text: str, checkout: Path) -> None:
    """Ask all the ways in."""
    expected = by_library(text)
    assert by_reflection(text) == expected
    assert by_mcp(text, checkout) == expected
    with chdir(checkout):
        assert by_command(text) == expected


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_way_in_answers_alike(checkout: Path, text: str) -> None:
    check_equal(text, checkout)


MISTAKES: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "a blank too many": lambda text: text.replace("return", "return ", 1),
    "not indented": lambda text: "\n".join(line.lstrip() for line in text.split("\n")),
    "another word": lambda text: text.replace("1", "2", 1),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no end": lambda text: text.removesuffix("\n"),
    "a line more": lambda text: text + "and so on\n",
    "nothing": lambda text: "",
}
"""What an author may make of the lines that the file has."""

NEW = st.sampled_from(["", "y\n", "    return 3\n", "a\nb\n", "    return (\n", "# ...\n", "k"])


@st.composite
def edits(draw: st.DrawFn, dialect: str) -> AnyEdit:
    """An edit that a dialect can say, of a file that is there or not, perhaps with a mistake."""
    path = draw(st.sampled_from([*FILES, "f.py", "h.py", "new.txt", "src", "../x"]))
    lines = FILES.get(path, FILES["src/f.py"]).splitlines(keepends=True)
    first = draw(st.integers(1, len(lines)))
    last = draw(st.integers(first, len(lines)))
    quoted = "".join(lines[first - 1 : last])
    old, new = MISTAKES[draw(st.sampled_from(sorted(MISTAKES)))](quoted), draw(NEW)
    seen = draw(st.sampled_from([range_hash(quoted), "0" * 64]))
    added = tuple(new.splitlines())
    tags = [line_hash(lines[at - 1].removesuffix("\n")) for at in (first, last)]
    every = draw(st.booleans())
    kinds: list[AnyEdit] = [
        Edit(path, old, new, replace_all=every, expected_count=None),
        Edit(path, old, new, draw(st.sampled_from([None, seen]))),
        ReplaceRange(path, first, last, added, seen),
        InsertAfter(path, first, added, range_hash(lines[first - 1])),
        TagEdit(path, tags[0], draw(st.sampled_from([None, tags[1]])), added or None),
        CreateFile(path, new),
        WriteFile(path, new),
        DeleteFile(path),
        RenameFile(path, "moved.txt"),
    ]
    sayable = [each for each in kinds if rendered(dialect, [each]) is not None]
    assume(sayable)
    return draw(st.sampled_from(sayable))


def rendered(dialect: str, said: list[AnyEdit]) -> str | None:
    """The text of some edits, None where a dialect cannot say them."""
    try:
        return write(dialect, said)
    except UnsayableEdit:
        return None


@st.composite
def texts(draw: st.DrawFn, dialect: str) -> str:
    """A spec in a dialect, whole, cut off, or with a letter lost."""
    said = draw(st.lists(edits(dialect), min_size=1, max_size=3))
    text = rendered(dialect, said) or rendered(dialect, said[:1]) or ""
    at = draw(st.integers(0, max(len(text) - 1, 0)))
    damage = draw(st.sampled_from(["none", "none", "none", "cut", "lost"]))
    return {"none": text, "cut": text[:at], "lost": text[:at] + text[at + 1 :]}[damage]


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
def test_every_way_in_answers_alike_whatever_is_sent(checkout: Path, dialect: str) -> None:
    @examples(50)
    @given(texts(dialect))
    def check(text: str) -> None:
        check_equal(text, checkout)

    check()


def test_two_sections_of_a_diff_speak_of_one_base() -> None:
    result = apply_edits(TEXTS["unified-diff, on one base"], FILES)
    assert result.ok is False
    assert result.files == {}
