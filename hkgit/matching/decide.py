"""decide.py: the one place that is meant, or a refusal to guess."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hkgit.document import Document
from hkgit.edits import Edit
from hkgit.errors import Ambiguous, Conflict
from hkgit.matching.places import Place

Holds = Callable[[Place], bool]

MARGIN = 6
"""A runner-up agrees by less than this, in the weight of its lines, or the choice is a guess."""

NEAR_HINT = 5
"""How many lines a place may be away from a line hint that is to choose it."""


@dataclass(frozen=True, slots=True)
class Ties:
    """What may choose between places that are equally good, and nothing else."""

    document: Document
    edit: Edit
    holds: Holds | None

    def broken(self, places: Sequence[Place]) -> list[Place]:
        """The places that a holding hash, or else a line hint, leaves."""
        if self.holds is not None:
            return [place for place in places if self.holds(place)] or list(places)
        hint = self.edit.line_hint
        if hint is None:
            return list(places)
        away = sorted((abs(self.document.line_at(p.start) - hint), p) for p in places)
        is_clear = away[0][0] <= NEAR_HINT and away[1][0] > 2 * away[0][0] + 1
        return [away[0][1]] if is_clear else list(places)


def decide(places: Sequence[Place], ties: Ties) -> tuple[Place, Place | None]:
    """The place that is meant and the runner-up.

    Raises Ambiguous where another one is as good or nearly so, Conflict where the best one has
    another line than one of those to be removed.
    """
    ranked = sorted(places, key=lambda p: (-p.agreement, -p.similarity, not p.is_fit, p.start))
    near = [place for place in ranked if _is_near(ranked[0], place)]
    if len(near) > 1:
        near = ties.broken(near)
    if len(near) > 1:
        raise _ambiguous(near, ties)
    if not near[0].is_fit:
        raise _conflict(near[0], ties)
    return near[0], next((place for place in ranked if place != near[0]), None)


def _is_near(best: Place, other: Place) -> bool:
    """Whether another place is as good as the best one, or looks better in any respect."""
    return best.agreement - other.agreement < MARGIN or other.similarity > best.similarity


def _ambiguous(near: Sequence[Place], ties: Ties) -> Ambiguous:
    numbers = [str(ties.document.line_at(place.start)) for place in near]
    shown = ", ".join(numbers[:10]) + (", ..." if len(numbers) > 10 else "")
    return Ambiguous(
        ties.edit.path,
        f"the old text fits {len(near)} places, at lines {shown}",
        "Quote more lines above or below, so that the edit names one place.",
    )


def _conflict(place: Place, ties: Ties) -> Conflict:
    return Conflict(
        f"{ties.edit.path}:{ties.document.line_at(place.start)}",
        "a line to be removed is another one in the file",
        "Read the place again and write the edit against what it says now.",
    )
