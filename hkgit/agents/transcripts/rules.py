"""rules.py: name the rule by which a replayed call differs from its log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hkgit.agents.transcripts.events import Files
from hkgit.applying.outcome import EditOutcome
from hkgit.applying.syntax.syntax import AS_WRITTEN
from hkgit.edits import encode_text
from hkgit.matching.tiers.fold import fold

LITERAL = "the text as it was sent, at its place"


def rule_of(outcomes: Sequence[EditOutcome], expected: Files, got: Files) -> str:
    """Name the tiers and repairs by which hkgit landed the call, and what differs from the log."""
    how = ", ".join(dict.fromkeys(part for each in outcomes for part in _parts(each)))
    what = dict.fromkeys(
        difference(expected[path], got.get(path))
        for path in expected
        if expected[path] != got.get(path)
    )
    return f"{how or LITERAL}; differs in {' and '.join(what)}"


def _parts(outcome: EditOutcome) -> Iterator[str]:
    if outcome.tier not in AS_WRITTEN:
        yield f"tier {outcome.tier}"
    yield from (f"repair {name}" for name in outcome.repairs)


def difference(logged: str | None, got: str | None) -> str:
    """Name what two texts of a file differ in, as the least of what may differ."""
    if logged is None or got is None:
        return "whether the file is there"
    for name, plain in _PLAIN.items():
        if plain(logged) == plain(got):
            return name
    return "its words"


def _without_ends(text: str) -> str:
    return text.replace("\r", "")


def _without_last(text: str) -> str:
    return _without_ends(text).rstrip("\n")


def _without_trailing(text: str) -> list[str]:
    return [line.rstrip() for line in _without_last(text).split("\n")]


def _without_blank_lines(text: str) -> list[str]:
    return [line for line in _without_trailing(text) if line]


def _without_indentation(text: str) -> list[str]:
    return [line.strip() for line in _without_trailing(text)]


def _without_lines_and_indentation(text: str) -> list[str]:
    return [line for line in _without_indentation(text) if line]


def _fold(text: str) -> bytes:
    return fold(encode_text("".join(text.split())))


_PLAIN: dict[str, Callable[[str], object]] = {
    "line ends": _without_ends,
    "the end of the last line": _without_last,
    "blanks at the ends of lines": _without_trailing,
    "indentation": _without_indentation,
    "blank lines": _without_blank_lines,
    "indentation and blank lines": _without_lines_and_indentation,
    "blanks and typography": _fold,
}
"""What may differ, the least first, and a text without it."""
