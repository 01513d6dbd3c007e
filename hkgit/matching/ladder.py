"""ladder.py: place an edit with the strictest tier that finds its old text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit.document import Document
from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Ambiguous, InvalidInput, NoMatch
from hkgit.matching.exact import exact
from hkgit.matching.fuzzy import fuzzy
from hkgit.matching.lines import View, Wanted, view_of
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.whitespace import whitespace

Tier = Callable[[View, Wanted], tuple[Place, ...]]
Holds = Callable[[Place], bool]

LADDER_VERSION = 1
"""Raised when any answer may change."""

LADDER: dict[str, Tier] = {"exact": exact, "whitespace": whitespace, "fuzzy": fuzzy}

MARGIN = 30
"""A runner-up nearer than this, per mille, makes the choice a guess."""

CONFIDENCE = {"exact": 1000, "whitespace": 970, "fuzzy": 900}


def locate(
    document: Document, edit: Edit, settings: Settings, holds: Holds | None = None
) -> Located:
    """The place, or for an edit of all of them the places, where an edit's old text stands.

    Raises NoMatch, AlreadyApplied, Ambiguous, Conflict or InvalidInput.
    """
    view, wanted = view_of(document), Wanted.of(edit)
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the edit changes nothing", "Leave it out.")
    if edit.replace_all or edit.expected_count is not None:
        return _all_of(view, wanted, edit)
    for tier, find in LADDER.items():
        places = [p for p in find(view, wanted) if p.similarity >= settings.threshold]
        if places:
            _refuse_applied(document, wanted, places, edit)
            return _decide(tier, places, document, edit, holds)
    if wanted.new.strip() and wanted.new in document.data:
        raise AlreadyApplied(edit.path, "the new text is in the file already", "Leave it out.")
    raise NoMatch(edit.path, "the old text is not in the file", "Read the file again.")


def _all_of(view: View, wanted: Wanted, edit: Edit) -> Located:
    places = []
    for place in exact(view, wanted):
        if not places or place.start >= places[-1].end:
            places.append(place)
    if not places:
        raise NoMatch(edit.path, "the old text is not in the file", "Read the file again.")
    if edit.expected_count not in (None, len(places)):
        what = f"{len(places)} places, not {edit.expected_count}"
        raise Ambiguous(edit.path, what, "Say how many there are.")
    return Located(tuple(places), "exact", FULL, CONFIDENCE["exact"])


def _refuse_applied(
    document: Document, wanted: Wanted, places: Sequence[Place], edit: Edit
) -> None:
    """Refuse where the new text, which holds the old one, stands at the place already."""
    if len(places) != 1 or not wanted.new.strip():
        return
    shift = wanted.new.find(wanted.old)
    start = places[0].start - shift
    if shift >= 0 and start >= 0 and document.data.startswith(wanted.new, start):
        raise AlreadyApplied(edit.path, "the new text is in the file already", "Leave it out.")


def _decide(
    tier: str, places: Sequence[Place], document: Document, edit: Edit, holds: Holds | None
) -> Located:
    """The one place that is meant; Ambiguous where that would be a guess."""
    ranked = sorted(places, key=lambda p: (-p.similarity, p.start))
    best = ranked[0]
    near = [p for p in ranked if best.similarity - p.similarity < MARGIN]
    if len(near) > 1:
        near = _tie_broken(near, document, edit, holds)
    if len(near) > 1:
        lines = ", ".join(str(document.line_at(p.start)) for p in near[:10])
        raise Ambiguous(
            edit.path,
            f"the old text fits {len(near)} places, at lines {lines}",
            "Add a line of context, so that the edit names one place.",
        )
    chosen = near[0]
    runner_up = max((p.similarity for p in ranked if p != chosen), default=None)
    similarity = chosen.similarity
    confidence = CONFIDENCE[tier] * similarity // FULL
    return Located((chosen,), tier, similarity, confidence, runner_up)


def _tie_broken(
    near: list[Place], document: Document, edit: Edit, holds: Holds | None
) -> list[Place]:
    """The places that a holding hash, or else a line hint, leaves."""
    if holds is not None:
        return [p for p in near if holds(p)] or near
    if edit.line_hint is None:
        return near
    hint = edit.line_hint
    distance = {p: abs(document.line_at(p.start) - hint) for p in near}
    best = min(distance.values())
    return [p for p in near if distance[p] == best]
