"""Which lines of files a call has shown: what was asked for and stands in the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.agents.events import Shell, ToolReading
from hkgit.agents.hooks import claude
from hkgit.agents.shell_reads import readings

LINES = ["one", "  two", "", "four", "five"]
WHOLE = "\n".join(LINES) + "\n"
NUMBERED = "".join(f"{n:>6}\t{line}\n" for n, line in enumerate(LINES, 1))


@pytest.mark.parametrize(
    ("command", "output", "shown"),
    [
        pytest.param("cat a.txt", WHOLE, (1, 5), id="cat"),
        pytest.param("cat -n a.txt", NUMBERED, (1, 5), id="cat with numbers"),
        pytest.param("nl -ba a.txt | sed -n '2,4p'", NUMBERED, (2, 4), id="nl and sed"),
        pytest.param("sed -n '2,3p' a.txt", "  two\n\n", (2, 3), id="sed"),
        pytest.param("sed -n 2p a.txt", "  two\n", (2, 2), id="sed of one line"),
        pytest.param("sed -n '4,$p' a.txt", "four\nfive\n", (4, 5), id="sed to the end"),
        pytest.param("head -n 2 a.txt", "one\n  two\n", (1, 2), id="head"),
        pytest.param("head -2 a.txt", "one\n  two\n", (1, 2), id="head, the old way"),
        pytest.param("cat a.txt | head -n 1", "one\n", (1, 1), id="cat and head"),
        pytest.param("bash -lc 'cat a.txt'", WHOLE, (1, 5), id="inside a shell"),
        pytest.param("cd . && cat a.txt", WHOLE, (1, 5), id="after another command"),
        pytest.param("cat a.txt", "one\n  two\n[cut]\n", (1, 2), id="output that was cut"),
        pytest.param("cat a.txt", "one\n[cut]\n\nfour\nfive\n", (1, 1), id="cut in the middle"),
        pytest.param("cat a.txt", "Exit code: 0\nOutput:\n" + WHOLE, (1, 5), id="words around"),
    ],
)
def test_the_lines_in_the_output_were_read(
    tmp_path: Path, command: str, output: str, shown: tuple[int, int]
) -> None:
    (tmp_path / "a.txt").write_text(WHOLE)
    assert list(readings(Shell(command, output), tmp_path)) == [ToolReading("a.txt", *shown)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param("cat a.txt", "cat: a.txt: Permission denied\n", id="no line of it"),
        pytest.param("cat none.txt", WHOLE, id="no such file"),
        pytest.param("cat a.txt > b.txt", WHOLE, id="into another file"),
        pytest.param("cat a.txt | sort", WHOLE, id="through a filter"),
        pytest.param("sed 's/a/b/' a.txt", WHOLE, id="changed by sed"),
        pytest.param("sed -n 0p a.txt", WHOLE, id="no line"),
        pytest.param("grep one a.txt", "one\n", id="a search"),
        pytest.param("cat 'a.txt", WHOLE, id="a quote without end"),
        pytest.param("", "", id="nothing"),
        pytest.param("head", "", id="a word alone"),
    ],
)
def test_nothing_else_was_read(tmp_path: Path, command: str, output: str) -> None:
    (tmp_path / "a.txt").write_text(WHOLE)
    assert list(readings(Shell(command, output), tmp_path)) == []


def _answer(start: object, count: object) -> dict[str, object]:
    return {"type": "text", "file": {"startLine": start, "numLines": count, "totalLines": 900}}


@pytest.mark.parametrize(
    ("asked", "answer", "shown"),
    [
        pytest.param({}, _answer(1, 40), (1, 40), id="fewer than there are"),
        pytest.param({"offset": 10, "limit": 20}, _answer(10, 5), (10, 14), id="than asked for"),
        pytest.param({"offset": 10, "limit": 20}, _answer(1, 900), (10, 29), id="more"),
        pytest.param({"offset": 50}, _answer(1, 40), None, id="others"),
        pytest.param({}, _answer(1, 0), None, id="none"),
        pytest.param({"limit": 3}, _answer(1, "5"), (1, 3), id="an answer that does not say"),
        pytest.param({"limit": 3}, "text", (1, 3), id="an answer of words"),
    ],
)
def test_of_a_file_that_was_read_only_what_the_answer_shows_counts(
    asked: dict[str, int], answer: object, shown: tuple[int, int] | None
) -> None:
    payload = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "a.txt"} | asked,
        "tool_response": answer,
    }
    event = claude.event(payload)
    assert (event and event.did) == (shown and ToolReading("a.txt", *shown))
