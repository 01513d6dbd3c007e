"""A pattern counts as reading where all that it names stands in the output."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hkgit.agents.events import Shell
from hkgit.agents.shown_readings import find_readings
from tests.support.cases import cases

FILES = {
    "src/__init__.py": '"""Words."""\n',
    "src/a.py": "import os\n\na = 1\n",
    "src/b.py": "import os\n\nb = 2\nb = 3\n",
    "src/c.py": "c = 3\n",
    "src/open.txt": "no end",
    "other/d.py": "d = 4\n",
}
ALL = {
    "src/__init__.py": [(1, 1)],
    "src/a.py": [(1, 3)],
    "src/b.py": [(1, 4)],
    "src/c.py": [(1, 1)],
}
Seen = Mapping[str, list[tuple[int, int]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, newline="")
    return tmp_path


def run(folder: Path, command: str) -> str:
    environment = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False
    )
    return done.stdout.decode()


def find(folder: Path, command: str, output: str) -> Seen:
    found: dict[str, list[tuple[int, int]]] = {}
    for each in find_readings(Shell(command, output), folder):
        found.setdefault(each.path, []).append((each.start_line, each.end_line or 0))
    return {path: sorted(lines) for path, lines in sorted(found.items())}


@cases(
    "command, seen",
    {
        "a pattern": ("cat src/*.py", ALL),
        "of folders": ("cat */*.py", {**ALL, "other/d.py": [(1, 1)]}),
        "a pattern and a name": (
            "cat src/[ab].py other/d.py",
            {**{name: ALL[name] for name in ("src/a.py", "src/b.py")}, "other/d.py": [(1, 1)]},
        ),
        "in a folder": ("cd src && cat *.py", ALL),
        "in brackets": (
            "(cd src; cat ?.py) | cat",
            {name: ALL[name] for name in ("src/a.py", "src/b.py", "src/c.py")},
        ),
        "between other words": ("ls src; cat src/*.py; echo done", ALL),
        "inside a shell": ("bash -lc 'cat src/*.py'", ALL),
        "more lines than there are": ("sed -n 1,300p src/*.py", ALL),
        "a loop": ("for f in src/*.py; do cat $f; done", ALL),
        "items of a command": ("for f in $(ls src/*.py); do cat $f; done", ALL),
        "a file whose last line goes on in the next": ("cat src/*.txt src/c.py", {}),
    },
)
def test_what_stands_in_the_output_was_read(command: str, seen: Seen, folder: Path) -> None:
    assert find(folder, command, run(folder, command)) == dict(sorted(seen.items()))


@cases(
    "command, change",
    {
        "into a file": ("cat src/a.py >x; cat src/*.py >>x", ""),
        "with signs in it": ("cat -A src/*.py", ""),
        "through a filter": ("cat src/*.py | sort", ""),
        "cut by head": ("cat src/*.py | head -n 3", ""),
        "a loop cut by head": ("for f in src/*.py; do cat $f; done | head -3", ""),
        "another program": ("for f in src/*.py; do head -1 $f; done", ""),
        "a filter in the loop": ("for f in src/*.py; do cat $f | tac; done", ""),
        "a loop into a file": ("for f in src/*.py; do cat $f >y; done", ""),
        "nested": ("for f in a b; do for g in src/$f.py; do cat $g; done; done", ""),
        "without an end": ("for f in src/*.py; do cat $f", ""),
        "no items": ("for f in; do cat $f; done", ""),
        "no variable": ("for ( in a; do cat src/$(.py; done", "a = 1\n"),
        "no such files": ("cat src/*.none", ""),
        "a part of one": ("cat src/*.py", "import os\n\nb = 2\n"),
        "no path": ("cat 'src/*.py\0'", "a = 1\n"),
    },
)
def test_what_is_not_told_was_not_read(command: str, change: str, folder: Path) -> None:
    assert find(folder, command, change or run(folder, command.replace("\0", ""))) == {}


def test_a_file_that_was_not_there_yet_was_not_read(folder: Path) -> None:
    """Though all its lines stand in the output: they are those of another."""
    output = run(folder, "cat src/*.py")
    (folder / "src/aa.py").write_text("import os\n\n")
    (folder / "src/d.py").write_text("c = 3\n")
    found = find(folder, "cat src/*.py", output)
    assert not {"src/aa.py", "src/d.py"} & {*found}
    assert found.items() <= ALL.items()


def test_of_an_output_that_was_cut_nothing_counts(folder: Path) -> None:
    lines = run(folder, "cat src/*.py").splitlines()
    output = "\n".join([*lines[:7], "... 2 lines ...", *lines[-1:]])
    assert find(folder, "cat src/*.py", output) == {}


def test_a_search_in_a_pattern_tells_its_lines(folder: Path) -> None:
    command = "grep -n 2 src/*.py"
    assert find(folder, command, run(folder, command)) == {"src/b.py": [(3, 3)]}
