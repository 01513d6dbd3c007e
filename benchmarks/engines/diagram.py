"""diagram.py: the reliability diagram: how much of what landed at a confidence was right.

Nearly all that lands does so at more than 0.9: of the ten bins each is a hundredth wide, and the
first takes whatever is below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.engines.grading import Grade
from benchmarks.engines.report import Outcome, table

BINS = 10
LEAST = 900
"""Where the axis begins, per mille; the last bin ends at 1000, and has it in it."""


@dataclass(frozen=True, slots=True)
class Landing:
    """One edit that landed: its tier, its confidence per mille, and whether it is right."""

    tier: str
    confidence: int
    is_right: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """Landings of like confidence: how many, how many right, and their mean confidence."""

    landed: int
    right: int
    mean: float

    @property
    def share(self) -> float:
        """How much of it is right."""
        return self.right / self.landed


def landings(outcomes: Iterable[Outcome]) -> list[Landing]:
    """What landed, as hkgit says it."""
    return [
        Landing(said.tier or "", said.confidence_permille or 0, each.grade is not Grade.WRONG)
        for each in outcomes
        if (said := each.answer.outcome) is not None and said.error is None
    ]


def bin_of(confidence: int) -> int:
    """The number of the bin, from 0, that a confidence per mille belongs to."""
    return min(max((confidence - LEAST) * BINS // (1000 - LEAST), 0), BINS - 1)


def binned(found: Iterable[Landing]) -> dict[int, Bin]:
    """The bins that have something in them."""
    groups: dict[int, list[Landing]] = {}
    for each in found:
        groups.setdefault(bin_of(each.confidence), []).append(each)
    return {number: _bin(of) for number, of in sorted(groups.items())}


def _bin(found: Sequence[Landing]) -> Bin:
    mean = sum(each.confidence for each in found) / len(found) / 1000
    return Bin(len(found), sum(each.is_right for each in found), mean)


def calibration_error(found: Sequence[Landing]) -> float:
    """The expected calibration error: by how much bins are off, each by its weight."""
    bins = binned(found).values()
    return sum(abs(each.share - each.mean) * each.landed for each in bins) / len(found)


def by_tier(found: Sequence[Landing]) -> dict[str, list[Landing]]:
    """All of them, then those of each tier."""
    tiers = sorted({each.tier for each in found})
    return {"all": list(found)} | {t: [e for e in found if e.tier == t] for t in tiers}


def numbers(found: Sequence[Landing]) -> str:
    """A row a bin of each tier, and the expected calibration error of the tier."""
    rows = []
    for tier, of in by_tier(found).items():
        error = f"{calibration_error(of):.4f}"
        for number, each in binned(of).items():
            name = _name(number)
            cells = [str(each.landed), str(each.right), f"{each.mean:.3f}", f"{each.share:.3f}"]
            rows.append([tier, name, *cells, error])
    head = ["tier", "confidence", "landed", "right", "mean confidence", "share right", "ECE"]
    return table(head, rows)


def _name(number: int) -> str:
    width = (1000 - LEAST) // BINS
    low = LEAST + number * width
    begin = f"{low / 1000:.2f} " if number else ""
    return f"{begin}to {(low + width) / 1000:.2f}"


SIDE, GAP, TOP = 150, 46, 40
COLUMNS = 4


def drawn(found: Sequence[Landing]) -> str:
    """The diagram as SVG: a panel for all, and one a tier; the same text for the same landings."""
    panels = list(by_tier(found).items())
    height = -(-len(panels) // COLUMNS) * (SIDE + GAP + TOP)
    width = COLUMNS * (SIDE + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="10" fill="#333">',
        "<title>Share of landed edits that are right, by confidence</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for at, (tier, of) in enumerate(panels):
        x = GAP + at % COLUMNS * (SIDE + GAP)
        y = TOP + at // COLUMNS * (SIDE + GAP + TOP)
        parts += _panel(tier, of, x, y)
    return "\n".join([*parts, "</svg>", ""])


def _panel(tier: str, found: Sequence[Landing], x: int, y: int) -> list[str]:
    title = f"{tier}: {len(found):,} landed, ECE {calibration_error(found):.4f}"
    parts = [
        f'<g transform="translate({x} {y})">',
        f'<text y="-8">{title}</text>',
        f'<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>',
        f'<line x1="0" y1="{SIDE}" x2="{SIDE}" y2="0" stroke="#999" stroke-dasharray="3 3"/>',
    ]
    for value in (900, 950, 1000):
        place = _along(value / 1000)
        below, beside = f'x="{place}" y="{SIDE + 13}"', f'x="-4" y="{SIDE - place + 3}"'
        parts.append(f'<text {below} text-anchor="middle">{value / 1000}</text>')
        parts.append(f'<text {beside} text-anchor="end">{value / 1000}</text>')
    for each in binned(found).values():
        parts.append(_dot(each))
    return [*parts, "</g>"]


def _dot(each: Bin) -> str:
    """A bin: the larger, the more landed in it."""
    radius = 2 + min(len(str(each.landed)), 5)
    what = f"{each.right} of {each.landed} right at {each.mean:.3f}"
    place = f'cx="{_along(each.mean)}" cy="{round(SIDE - _along(each.share), 1)}"'
    look = f'r="{radius}" fill="#2a6fbb" fill-opacity="0.7"'
    return f"<circle {place} {look}><title>{what}</title></circle>"


def _along(value: float) -> float:
    """Where a share stands on an axis; what is below the axis stands at its beginning."""
    return round(SIDE * max(value - LEAST / 1000, 0) / (1 - LEAST / 1000), 1)
