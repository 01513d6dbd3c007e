"""scaling.py: how the time of an edit that is not exact grows with the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.engines.adapters import Engine
from benchmarks.engines.corpus import Hunk
from benchmarks.engines.report import table

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
RUNS = 5
FORGOTTEN = 7
"""The line of the old text, from 0, that the edit leaves out."""
MISQUOTED = 2
"""The one in which it gets a word wrong."""
CHANGED = 5
"""The one that it changes."""


def real_lines(hunks: Sequence[Hunk], size: int) -> list[str]:
    """So many lines of real files; when there are no more, they come again, marked."""
    found: list[str] = []
    files = {(hunk.package, hunk.path): hunk.lines for hunk in hunks}
    turn = 0
    while len(found) < size:
        mark = f"  # {turn}" if turn else ""
        for lines in files.values():
            found += [line + mark for line in lines]
        turn += 1
    return found[:size]


def repetitive_lines(size: int) -> list[str]:
    """A file of like blocks, as generated code and data have it: most of its lines are common."""
    block = [
        "def step_{n}(state):",
        "    value = state.get({n})",
        "    if value is None:",
        "        return state",
        "    state.push(value)",
        "    state.count += 1",
        "    return state.value",
    ]
    return [block[i % len(block)].format(n=i // len(block)) for i in range(size)]


def fuzzy_edit(lines: Sequence[str]) -> tuple[bytes, str, str, bytes]:
    """A file, an edit of its middle with two mistakes in the context, and the right result."""
    start = _start(lines)
    place = list(lines[start : start + 10])
    after = [*lines[: start + CHANGED], place[CHANGED] + "!", *lines[start + CHANGED + 1 :]]
    said = list(place)
    said[MISQUOTED] = said[MISQUOTED][:-3] + "xyz"
    new = list(said)
    new[CHANGED] += "!"
    del said[FORGOTTEN], new[FORGOTTEN]
    texts = ("\n".join(text) + "\n" for text in (lines, said, new, after))
    before, old, wanted, right = texts
    return before.encode(), old, wanted, right.encode()


def _start(lines: Sequence[str]) -> int:
    """A place near the middle that says something in each line, and something rare in two."""
    count = Counter(lines)
    middle = len(lines) // 2
    for start in range(middle, len(lines) - 10):
        place = lines[start : start + 10]
        quoted = [line for i, line in enumerate(place) if i not in (MISQUOTED, FORGOTTEN)]
        is_rare = sum(count[line] == 1 for line in quoted) >= 2
        if is_rare and all(len(line.strip()) > 8 for line in place):
            return start
    return middle


def measured(engine: Engine, hunks: Sequence[Hunk]) -> Iterator[list[str]]:
    """A row for each size and kind of file: milliseconds, and whether the answer was right."""
    for kind in ("real", "repetitive"):
        for size in SIZES:
            lines = real_lines(hunks, size) if kind == "real" else repetitive_lines(size)
            before, old, new, right = fuzzy_edit(lines)
            answers = [engine(before, old, new) for _ in range(RUNS)]
            spent = median(answer.milliseconds for answer in answers)
            end = "refused" if answers[0].after is None else "wrong"
            end = "landed" if answers[0].after == right else end
            per_thousand = f"{1000 * spent / size:.2f}"
            yield [kind, f"{size:,}", f"{spent:.1f}", per_thousand, end]


def scaling(engine: Engine, hunks: Sequence[Hunk]) -> str:
    """The table of one engine."""
    return table(
        ["file", "lines", "ms", "ms per 1,000 lines", "answer"], list(measured(engine, hunks))
    )
