"""What search tools of agents, and answers of edits, have shown counts as read, line by line."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hkgit.agents.events import Shell
from hkgit.agents.programs import claude, gemini, pi
from hkgit.agents.shown_readings import find_readings
from hkgit.agents.tool_answers import find_code
from tests.agents.streaming import list_calls, statuses, stream, told
from tests.support.cases import cases
from tests.support.repos import Repo

FILES = {
    "greet.py": 'def greet(name):\n    print("Helo, " + name)\n\n\ngreet("you")\n',
    "long.py": f'before = 1\nlong = "Helo {"x" * 3000}"\nafter = 2\n',
    "many.py": "".join(f"def f{n}():\n    return {n}  # needle\n\n\n" for n in range(1, 301)),
    "sub/inner.py": 'x = 1\n\n\ndef inner():\n    say("Helo")\n    return 1\n\n\n# 7: Helo\n',
}
"""What the programs searched in."""

GREET, INNER = "greet.py:2", "inner.py:5 inner.py:9"
AROUND = "greet.py:1-3 inner.py:4-6 inner.py:8-9"
CUT = "greet.py:1-3 inner.py:4-6 inner.py:8-9 long.py:1 long.py:3"
WHOLE = "greet.py:1-3 inner.py:4-6 inner.py:8-9 long.py:1-3"


@cases(
    "agent, shown",
    {
        "claude": ("claude", [CUT, GREET, INNER, ""]),
        "codex: rg and grep in its shell": ("codex", [WHOLE, GREET, WHOLE]),
        "copilot: files alone, several places, no numbers, and many hits by their files": (
            "copilot",
            [WHOLE, GREET, INNER, "", GREET, AROUND, "", WHOLE],
        ),
        "gemini: what surrounds the hits of one file, and a long line that is cut": (
            "gemini",
            [f"{GREET} {INNER}", "inner.py:1-9", "greet.py:1-5", f"{GREET} {INNER}", INNER],
        ),
        "qwen: it trims what is indented": ("qwen", ["inner.py:9 long.py:2", "inner.py:9"]),
        "opencode: asked for one file it searches in all": (
            "opencode",
            [f"{GREET} {INNER}", INNER, f"{GREET} {INNER}"],
        ),
        "kilo": ("kilo", [f"{GREET} {INNER}", INNER, GREET, CUT]),
        "pi: names from the place that it is asked for": ("pi", [CUT, GREET, INNER]),
        "cline: without ripgrep; with it the hits themselves are left out": (
            "cline",
            [
                "greet.py:1-4 inner.py:3-9 long.py:1 long.py:3",
                "greet.py:1-5 inner.py:2-6",
                "greet.py:3-4 inner.py:6-7 long.py:3",
                "greet.py:2-3 inner.py:5-6",
            ],
        ),
    },
)
def test_lines_behind_their_numbers_are_readings(
    agent: str, shown: list[str], tmp_path: Path
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [*_replay(agent, tmp_path)] == shown


def _replay(agent: str, root: Path) -> Iterator[str]:
    """For each search of a stream the lines that it has shown, beside those of the largest file."""
    for _, event in list_calls(f"{agent}-search", Repo(root)):
        if event is None:
            continue
        assert isinstance(event.did, Shell)
        found = {
            f"{Path(each.path).name}:{each.start_line}"
            + (f"-{each.end_line}" if each.end_line > each.start_line else "")
            for each in find_readings(event.did, root)
        }
        yield " ".join(sorted(each for each in found if not each.startswith("many.py")))


def test_files_named_alone_are_no_readings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    did = claude.LOOKS["Grep"]({}, {"mode": "files_with_matches", "filenames": ["a.txt"]})
    assert isinstance(did, Shell)
    assert [*find_readings(did, tmp_path)] == []


def test_a_name_may_look_like_the_number_of_a_line() -> None:
    did = pi.LOOKS["grep"]({"path": "src"}, "a-1-b.py-2- two\na-1-b.py:3: a: 4: b")
    assert did == Shell("rg -n .", "a-1-b.py-2-two\na-1-b.py:3:a: 4: b", "src")


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
