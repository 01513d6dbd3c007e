"""Which lines of files a call has shown: what was asked for and stands in the answer.

A pattern counts as reading where all that it names stands there.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.agents.events import Shell, ToolReading
from hkgit.agents.programs import claude
from hkgit.agents.shown_readings import find_readings
from hkgit.text.shown_lines import find_shown_lines
from tests.support.cases import cases

LINES = ["one", "  two", "", "four", "five"]
WHOLE = "\n".join(LINES) + "\n"
NUMBERED = "".join(f"{n:>6}\t{line}\n" for n, line in enumerate(LINES, 1))
PART = "".join(NUMBERED.splitlines(keepends=True)[1:4])


def shown_by(command: str, output: str, directory: Path) -> list[tuple[str, int, int]]:
    readings = find_readings(Shell(command, output), directory)
    return [(each.path, each.start_line, each.end_line) for each in readings]


@cases(
    "command, output, shown",
    {
        "cat": ("cat a.txt", WHOLE, [(1, 5)]),
        "cat with numbers": ("cat -n a.txt", NUMBERED, [(1, 5)]),
        "nl and sed": ("nl -ba a.txt | sed -n '2,4p'", PART, [(2, 4)]),
        "sed": ("sed -n '2,3p' a.txt", "  two\n\n", [(2, 3)]),
        "sed of one line": ("sed -n 2p a.txt", "  two\n", [(2, 2)]),
        "sed to the end": ("sed -n '4,$p' a.txt", "four\nfive\n", [(4, 5)]),
        "sed twice": ("sed -n '1p;4,5p' a.txt", "one\nfour\nfive\n", [(1, 1), (4, 5)]),
        "head": ("head -n 2 a.txt", "one\n  two\n", [(1, 2)]),
        "head, the old way": ("head -2 a.txt", "one\n  two\n", [(1, 2)]),
        "cat and head": ("cat a.txt | head -n 1", "one\n", [(1, 1)]),
        "tail": ("tail -2 a.txt", "four\nfive\n", [(4, 5)]),
        "tail from a line on": ("tail -n +4 a.txt", "four\nfive\n", [(4, 5)]),
        "head and tail": ("head -4 a.txt | tail -1", "four\n", [(4, 4)]),
        "awk": ("awk 'NR>=4 && NR<=9' a.txt", "four\nfive\n", [(4, 5)]),
        "awk's range": ("awk 'NR==1,NR==2{print}' a.txt", "one\n  two", [(1, 2)]),
        "awk, numbered": ("awk 'NR>3{print NR\": \"$0}' a.txt", "4: four\n5: five", [(4, 5)]),
        "a search": ("grep -n four a.txt", "4:four\n", [(4, 4)]),
        "a wider search": ("grep -n -C1 four a.txt", "3-\n4:four\n5-five", [(3, 5)]),
        "rg": ("rg -n 'o' .", "a.txt:1:one\na.txt:4:four\n", [(1, 1), (4, 4)]),
        "inside a shell": ("bash -lc 'cat a.txt'", WHOLE, [(1, 5)]),
        "after another command": ("cd . && cat a.txt", WHOLE, [(1, 5)]),
        "without errors": ("cat a.txt 2>/dev/null", WHOLE, [(1, 5)]),
        "an exit code": ("cat a.txt; false", "Exit code 1\n" + WHOLE, [(1, 5)]),
        "output that was cut": ("cat a.txt", "one\n  two\n[cut]\n", [(1, 2)]),
        "cut in the middle": ("cat a.txt", "one\n[cut]\n\nfour\nfive\n", [(1, 1), (4, 5)]),
        "the end alone": ("cat a.txt", "[cut]\nfive\n", [(5, 5)]),
        "cut in lines": ("cat a.txt", "on…3 tokens truncated…r\nfive\n", [(5, 5)]),
        "more below": ("sed -n '2,3p' a.txt && date", "  two\n\nMon\n", [(2, 3)]),
        "any program that shows it": ("git show :a.txt", WHOLE, [(1, 5)]),
        "python": ("python -c 'print(open(\"a.txt\").read())'", WHOLE, [(1, 5)]),
        "a loop": ("for f in a.txt; do cat $f; done", WHOLE, [(1, 5)]),
        "words around": ("cat a.txt", "Exit code: 0\nOutput:\n" + WHOLE, [(1, 5)]),
    },
)
def test_the_lines_in_the_output_were_read(
    tmp_path: Path, command: str, output: str, shown: list[tuple[int, int]]
) -> None:
    (tmp_path / "a.txt").write_text(WHOLE)
    assert shown_by(command, output, tmp_path) == [("a.txt", *lines) for lines in shown]


@cases(
    "command, output, shown",
    {
        "where it is not": ("cat b.txt", "be\n", []),
        "cd": ("cd sub && cat b.txt", "be\n", [("sub/b.txt", 1, 1)]),
        "cd in brackets": ("(cd sub; cat b.txt)", "be\n", [("sub/b.txt", 1, 1)]),
        "head of two": (
            "head a.txt sub/b.txt",
            f"==> a.txt <==\n{WHOLE}\n==> sub/b.txt <==\nbe\n",
            [("a.txt", 1, 5), ("sub/b.txt", 1, 1)],
        ),
        "a search in two": (
            "grep -rn e sub a.txt",
            "sub/b.txt:1:be\na.txt:1:one\n",
            [("sub/b.txt", 1, 1), ("a.txt", 1, 1)],
        ),
        "one by one": (
            "cat a.txt; tail -1 a.txt; head -1 sub/b.txt",
            f"{WHOLE}five\nbe\n",
            [("a.txt", 1, 5), ("sub/b.txt", 1, 1)],
        ),
        "on two lines": (
            "cat a.txt\ncat sub/b.txt",
            f"{WHOLE}be\n",
            [("a.txt", 1, 5), ("sub/b.txt", 1, 1)],
        ),
        "one that is missing": ("cat /nowhere/x a.txt", WHOLE, [("a.txt", 1, 5)]),
    },
)
def test_a_command_may_show_several_files(
    tmp_path: Path, command: str, output: str, shown: list[tuple[str, int, int]]
) -> None:
    (tmp_path / "a.txt").write_text(WHOLE)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_text("be\n")
    assert sorted(shown_by(command, output, tmp_path)) == sorted(shown)


TWICE = "".join(f"case {n}:\n    begin()\n    end()\n" for n in range(9))


def test_a_range_that_was_asked_for_is_found_among_equal_ones(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TWICE)
    equal = "    begin()\n    end()\n"
    assert shown_by("sed -n 5,6p a.py", equal, tmp_path) == [("a.py", 5, 6)]
    assert shown_by("sed -n '5,6p;8,9p' a.py", 2 * equal, tmp_path) == [
        ("a.py", 5, 6),
        ("a.py", 8, 9),
    ]
    assert shown_by("head -6 a.py | tail -2", equal, tmp_path) == []
    assert shown_by("tail -2 a.py", equal, tmp_path) == []


def test_a_line_is_evidence_for_the_file_of_which_most_is_shown(tmp_path: Path) -> None:
    head = "# All rights reserved.\n# Keep this.\nimport os\n"
    (tmp_path / "a.py").write_text(f"{head}a = 1\n")
    (tmp_path / "b.py").write_text(f"{head}b = 2\n")
    assert shown_by("cat a.py; wc b.py", f"{head}a = 1\n4 b.py\n", tmp_path) == [("a.py", 1, 4)]
    numbered = "1\timport os\n2\ta = 1\n"
    (tmp_path / "c.py").write_text("import os\na = 1\n")
    (tmp_path / "d.py").write_text("import os\nb = 2\n")
    assert shown_by("cat -n c.py; wc d.py", numbered, tmp_path) == [("c.py", 2, 2)]


def test_the_directory_may_be_the_one_after_the_command(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("be\n")
    assert shown_by("cd sub && cat b.txt", "be\n", tmp_path) == [("b.txt", 1, 1)]


@cases(
    "command, output",
    {
        "no line of it": ("cat a.txt", "cat: a.txt: Permission denied\n"),
        "no such file": ("cat none.txt", WHOLE),
        "a search without numbers": ("grep one a.txt", "one\n"),
        "through a filter": ("cat a.txt | sort", "\n  two\nfive\nfour\none\n"),
        "changed by sed": ("sed 's/$/;/' a.txt", "one;\n  two;\n;\nfour;\n"),
        "signs in it": ("cat -A a.txt", "one$\n  two$\n$\nfour$\nfive$\n"),
        "what the command says itself": ("echo one; wc a.txt", "one\n"),
        "what it wants to write": (f"echo '{WHOLE}' >>a.txt; cat b.txt", WHOLE),
        "any program's word": ("make; wc -l a.txt", "ok\n  two\nok\n"),
        "nothing at all": ("false && cat a.txt", ""),
        "blank lines alone": ("cat a.txt", "[cut]\n\n"),
        "another number": ("grep -n four a.txt", "5:four\n"),
        "nothing": ("", ""),
        "a word alone": ("head", ""),
    },
)
def test_nothing_else_was_read(tmp_path: Path, command: str, output: str) -> None:
    (tmp_path / "a.txt").write_text(WHOLE)
    assert shown_by(command, output, tmp_path) == []


SOME = [*(f"line {n}" for n in range(1, 4)), "}", "", "}", *(f"line {n}" for n in range(7, 99))]


def _read(content: str, start: object = 1) -> ToolReading | None:
    payload = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "a.txt"},
        "tool_response": {"type": "text", "file": {"startLine": start, "content": content}},
    }
    event = claude.AGENT.read_event(payload)
    if event is None:
        return None
    assert isinstance(event.did, ToolReading)
    return event.did


@cases(
    "content, start, shown",
    {
        "all": ("\n".join(SOME) + "\n", 1, [(1, 98)]),
        "fewer than there are": ("\n".join(SOME[:40]), 1, [(1, 40)]),
        "some": ("\n".join(SOME[9:30]), 10, [(10, 30)]),
        "one that is there twice": ("}", 6, [(6, 6)]),
        "others": ("other", 1, []),
        "none": ("", 1, []),
        "line 0": ("\n".join(SOME), 0, [(1, 98)]),
    },
)
def test_of_a_file_that_was_read_only_what_the_answer_shows_counts(
    tmp_path: Path, content: str, start: object, shown: list[tuple[int, int]]
) -> None:
    (tmp_path / "a.txt").write_text("\n".join(SOME) + "\n")
    read = _read(content, start)
    assert read is not None
    found = [(each.start_line, each.end_line) for each in find_readings(read, tmp_path)]
    assert found == shown


def test_an_answer_that_shows_no_lines_is_no_reading() -> None:
    assert _read("text", "5") is None


def test_of_an_output_that_went_into_a_file_the_model_sees_the_beginning(tmp_path: Path) -> None:
    """As Claude Code 2.1.330 does it: the hook gets 30,000 characters, the model some 2,000."""
    lines = [f"def f{n}(): return {n}" for n in range(2000)]
    (tmp_path / "big.py").write_text("\n".join(lines) + "\n")
    answer = {"stdout": "\n".join(lines)[:29999], "stderr": "", "persistedOutputPath": "/x.txt"}
    did = claude.LOOKS["Bash"]({"command": "cat big.py"}, answer)
    assert isinstance(did, Shell)
    [read] = find_readings(did, tmp_path)
    assert read.start_line == 1
    assert (
        len("\n".join(lines[: read.end_line])) <= 2000 < len("\n".join(lines[: read.end_line + 1]))
    )


_LINES = st.lists(
    st.sampled_from(["a", "b", "", "  x", "}"] + [f"l{n}" for n in range(9)]), min_size=1
)


@given(_LINES, st.data())
def test_no_line_is_found_that_was_left_out(file: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(file)))
    last = data.draw(st.integers(first, len(file)))
    gap = data.draw(st.sampled_from([["..."], ["[cut]", ""], ["", "… 7 lines …"], ["l…9…"]]))
    words = data.draw(st.sampled_from([[], ["Exit code: 1"], ["Warning: truncated", ""]]))
    answer = "\n".join([*words, *file[:first], *gap, *file[last:]])
    found = {n for a, b in find_shown_lines(file, answer) for n in range(a, b + 1)}
    left_out = {n for n in range(first + 1, last + 1) if file[n - 1]}
    assert not found & left_out


@given(_LINES, st.booleans())
def test_a_whole_answer_shows_every_line(file: list[str], numbered: bool) -> None:
    lines = [f"{n}\t{line}" for n, line in enumerate(file, 1)] if numbered else file
    found = find_shown_lines(file, "\n".join(lines))
    assert found == ([(1, len(file))] if numbered or any(file) else [])


def test_a_range_is_looked_for_alone() -> None:
    file = ["a", "b", "a", "b"]
    assert find_shown_lines(file, "a\nb", 3) == [(3, 4)]
    assert find_shown_lines(file, "a\nb", 1, 2) == [(1, 2)]
    assert find_shown_lines(file, "a\nb", 9) == []


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
    for path, *lines in shown_by(command, output, folder):
        found.setdefault(path, []).append((lines[0], lines[1]))
    return found


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
    assert find(folder, command, run(folder, command)) == seen


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
