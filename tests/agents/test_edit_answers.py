"""Lines in the answer of an edit count as read from then on: exactly those that stand there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hkgit.agents.programs import gemini
from hkgit.agents.shown_readings import find_readings
from hkgit.agents.tool_answers import find_code
from tests.agents.streaming import statuses, stream, told
from tests.agents.test_searches import FILES
from tests.support.cases import cases
from tests.support.repos import Repo


@pytest.fixture
def searched(repo: Repo) -> Repo:
    repo.commit({".gitattributes": b"* -text\n"} | {k: v.encode() for k, v in FILES.items()})
    return repo


@cases(
    "agent, shown",
    {
        "gemini": ("gemini", ["many.py:593-603", "sub/inner.py:1-9"]),
        "qwen: it names the lines": ("qwen", ["many.py:594-602"]),
        "cline: changed ones alone": ("cline", ["greet.py:2-2", "many.py:598-598"]),
    },
)
def test_what_an_edit_answers_has_been_read(agent: str, shown: list[str], searched: Repo) -> None:
    """What the programs have sent; the edits themselves are blind all the same."""
    for line in stream(agent + "-edited", searched):
        if "input" in line:
            _edit(agent, line["input"], searched)
    known = statuses(searched)
    found = {f"{r.path}:{r.start_line}-{r.end_line}" for each in known for r in each.receipts}
    assert sorted(found) == shown
    assert all(each.blind for each in known)


def _edit(agent: str, payload: Mapping[str, object], repo: Repo) -> None:
    """Tell of a call, with what it does to the disk before its answer."""
    call = dict(_find_call(payload))
    given = call.get("tool_input", call.get("input"))
    assert isinstance(given, dict)
    if "tool_response" in call or "output" in call:
        path = Path(given.get("file_path") or given["path"])
        old, new = (given.get(f"{n}_string") or given[f"{n}_text"] for n in ("old", "new"))
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))
    told(agent, payload)


def _find_call(payload: Mapping[str, object]) -> Mapping[str, object]:
    inner = (payload[key] for key in ("tool_call", "tool_result") if key in payload)
    found = next(inner, payload)
    assert isinstance(found, Mapping)
    return found


@cases(
    "code, shown",
    {
        "a piece": ("two\nthree\n", [(2, 3)]),
        "two pieces": ("...\ntwo\n...\nfive\n...", [(2, 2), (5, 5)]),
        "one that stands twice": ("...\nsame\n...", []),
        "a part of a line": ("tw\n", []),
        "what a formatter has changed since": ("two\n2\nthree\n", []),
        "a blank line": ("...\n\n...", []),
    },
)
def test_a_piece_counts_where_it_stands_once(
    code: str, shown: list[tuple[int, int]], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("same\ntwo\nthree\nsame\nfive\n\n")
    snippets = find_code("a.txt", f"Modified a.txt. Here is the updated code:\n{code}")
    assert snippets is not None
    assert [(each.start_line, each.end_line) for each in find_readings(snippets, tmp_path)] == shown


def test_an_answer_without_lines_shows_none() -> None:
    did = gemini.EDITS["replace"]({"file_path": "a"}, {"llmContent": "No changes."})
    assert getattr(did, "shown", "") is None
