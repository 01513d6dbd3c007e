"""Tabs of which a log shows each as two blanks, as Claude Code's diffs do, are tabs again."""

from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.logged_diffs import parse_structured_patch
from hkgit.errors import InvalidInput
from hkgit.workflows.log_replay import apply_hunks
from hkgit.workflows.log_steps import LineHunk
from tests.support.adopting import adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog

GO = 'func greet() {\n\tif ok {\n\t\tprint("Helo")\n\t}\n}\n'
NEW = GO.replace('"Helo")\n', '"Hello")\n\t\treturn\n')
SHOWN = {
    "oldStart": 2,
    "lines": ["   if ok {", '-    print("Helo")', '+    print("Hello")', "+    return", "   }"],
}

MOVED = SHOWN | {"oldStart": 40}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("tabs"), {"app.go": GO}, {"app.go": NEW})


def log_edit(repo: Repo, detail: dict[str, Any], place: Path) -> Path:
    """A log of one reading and one edit."""
    log = ClaudeLog(repo.path)
    log.read("app.go", GO)
    sent = {
        "file_path": f"{log.root}/app.go",
        "old_string": '\t\tprint("Helo")',
        "new_string": '\t\tprint("Hello")\n\t\treturn',
    }
    log.call("Edit", sent, "ok", {"filePath": sent["file_path"]} | detail)
    return log.save(place)


@cases(
    "detail, code",
    {
        "the file and a diff": ({"originalFile": GO, "structuredPatch": [SHOWN]}, 0),
        "a diff alone": ({"originalFile": None, "structuredPatch": [SHOWN]}, 0),
        "a diff that took too long": ({"originalFile": GO, "structuredPatch": []}, 0),
        "a diff whose lines others have moved": ({"structuredPatch": [MOVED]}, 0),
        "a diff of another file": ({"originalFile": GO, "structuredPatch": [MOVED]}, 6),
        "held for review, not written": ({"originalFile": GO, "staged": True}, 6),
    },
)
def test_an_edit_of_a_file_with_tabs_is_explained(
    repo: Repo, tmp_path: Path, detail: dict[str, Any], code: int
) -> None:
    place = log_edit(repo, detail, tmp_path / "log.jsonl")
    answer = adopt(repo, place, "--working-tree", "-n", code=code)
    assert explained(answer) == ([] if code else [("app.go", [3, 4], "receipt")])


def hunks(*lines: str, start: int = 2) -> tuple[LineHunk, ...]:
    return parse_structured_patch([{"oldStart": start, "lines": list(lines)}])


@cases(
    "old, lines, words, new",
    {
        "words": (b"a:\n\tb\n", ("   b", "+  c"), b"a:\n\tb\n  c\n", b"a:\n\tb\n  c\n"),
        "lines that stay": (b"a:\n\tb\n  b\n", ("-a:", "   b", "   b"), None, b"\tb\n  b\n"),
        "a version that shows tabs": (b"a:\n\tb\n", ("-\tb", "+\tB"), None, b"a:\n\tB\n"),
        "blanks alone": (b"a:\n  b\n", ("   b", "+    c"), None, b"a:\n  b\n    c\n"),
    },
)
def test_tabs_come_back(
    old: bytes, lines: tuple[str, ...], words: bytes | None, new: bytes
) -> None:
    assert apply_hunks(old, hunks(*lines, start=1 if lines[0] == "-a:" else 2), words) == new


@cases(
    "old, lines, words",
    {
        "tabs or blanks": (b"a:\n\tb\n  c\n", ("   b", "+    d"), None),
        "other words": (b"a:\n\tb\n", ("   b", "+  c"), b"a:\n\tb\n\t\tc\n"),
    },
)
def test_what_may_be_tabs_or_blanks_is_not_guessed(
    old: bytes, lines: tuple[str, ...], words: bytes | None
) -> None:
    with pytest.raises(InvalidInput, match="its diff does not"):
        apply_hunks(old, hunks(*lines), words)
