"""What the search tools of agents have shown counts as read, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hkgit.agents import find_agent
from hkgit.agents.events import Shell
from hkgit.agents.programs import claude
from hkgit.agents.shown_readings import find_readings
from hkgit.agents.tool_answers import close_gaps
from tests.support.cases import cases

STREAMS = Path(__file__).parent / "streams"
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
    for line in (STREAMS / f"{agent}-search.jsonl").read_text("utf-8").splitlines()[1:]:
        event = find_agent(agent).read_event(
            json.loads(line.replace("$ROOT", root.as_posix()))["input"]
        )
        assert event is not None
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
    assert [*close_gaps("a-1-b.py-2- two\na-1-b.py:3: a: 4: b")] == [
        "a-1-b.py-2-two",
        "a-1-b.py:3:a: 4: b",
    ]
