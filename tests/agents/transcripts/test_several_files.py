"""What a command of Codex's has shown of several files counts where its parts can be told apart."""

from __future__ import annotations

import pytest

from tests.support.adopting import adopt, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import CodexLog

FIRST = "".join(f"a = {n}\n" for n in range(1, 9))
SECOND = "".join(f"b = {n}\n" for n in range(1, 9))
PATCH = """\
*** Begin Patch
*** Update File: b.py
@@
-b = 5
+b = 50
*** End Patch
"""


@pytest.fixture
def shown(repo: Repo) -> Repo:
    run("init", cwd=repo.path)
    repo.commit(
        {"a.py": FIRST, "b.py": SECOND, "open.py": "a = 1\na = 2", ".gitattributes": "* -text\n"}
    )
    return repo


def _lines(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def _kind(repo: Repo, command: str, output: str) -> str:
    log = CodexLog(repo.path)
    log.shell(command, output)
    log.patch(PATCH)
    repo.write("b.py", SECOND.replace("b = 5", "b = 50").encode())
    [(path, _, kind)] = explained(adopt(repo, log))
    assert path == "b.py"
    return str(kind)


@pytest.mark.sampled
@cases(
    "command, output",
    {
        "cat of two": ("cat a.py b.py", FIRST + SECOND),
        "two commands": ("cat a.py && cat b.py", FIRST + SECOND),
        "the other way round": ("cat b.py a.py", SECOND + FIRST),
        "parts of two": (
            "sed -n 2,3p a.py; sed -n 4,6p b.py",
            _lines(FIRST, 2, 3) + _lines(SECOND, 4, 6),
        ),
        "more than all": ("sed -n 1,20p a.py; sed -n 1,20p b.py", FIRST + SECOND),
        "one": ("head -n 2 b.py; sed -n 5p b.py", _lines(SECOND, 1, 2) + "b = 5\n"),
        "another first file": ("cat a.py b.py", FIRST.replace("3", "x") + SECOND),
        "something between": ("cat a.py; date; cat b.py", f"{FIRST}Mon\n{SECOND}"),
        "no end of line between": ("cat open.py b.py", "a = 1\na = 2" + SECOND),
        "a search": ("rg -n b .", "".join(f"b.py:{n}:b = {n}\n" for n in (4, 5))),
        "any program": ("python -c 'print(open(\"b.py\").read())'", SECOND),
    },
)
def test_a_file_that_was_shown_behind_others_counts(shown: Repo, command: str, output: str) -> None:
    assert _kind(shown, command, output) == "receipt"


@pytest.mark.sampled
@cases(
    "command, output",
    {
        "cut before the line": ("cat a.py b.py", FIRST + _lines(SECOND, 1, 4)),
        "the second one alone missing": ("cat a.py b.py", FIRST),
        "one stream of lines": ("sed -n 5p a.py b.py", "a = 5\n"),
        "its own words": (f"cat >c.py <<E\n{SECOND}E\ncat c.py; wc b.py", SECOND),
        "a pipe": ("cat a.py b.py | head -n 12", FIRST + _lines(SECOND, 1, 4)),
    },
)
def test_what_cannot_be_told_apart_is_not_read(shown: Repo, command: str, output: str) -> None:
    assert _kind(shown, command, output) != "receipt"
