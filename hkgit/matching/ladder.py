"""ladder.py: place an edit with the strictest tier that finds its old text."""

from __future__ import annotations

from collections.abc import Callable

from hkgit.document import Document
from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Ambiguous, InvalidInput, NoMatch
from hkgit.matching import applied, guards
from hkgit.matching.confidence import confidence
from hkgit.matching.decide import Holds, Ties, decide
from hkgit.matching.elided import elided
from hkgit.matching.exact import exact
from hkgit.matching.fuzzy import fuzzy, line_block
from hkgit.matching.lines import View, Wanted, view_of
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.repairs import READINGS
from hkgit.matching.unicode import unicode
from hkgit.matching.whitespace import whitespace

Tier = Callable[[View, Wanted], tuple[Place, ...]]

LADDER_VERSION = 1
"""Raised when any answer may change."""

LADDER: dict[str, Tier] = {
    "exact": exact,
    "whitespace": whitespace,
    "unicode": unicode,
    "elided": elided,
    "fuzzy": fuzzy,
    "line-block": line_block,
}
"""From the strictest reading of an edit to the most forgiving."""

LOOSE = ("fuzzy", "line-block")


def locate(
    document: Document, edit: Edit, settings: Settings, holds: Holds | None = None
) -> Located:
    """The place, or for an edit of all of them the places, where an edit's old text stands.

    Raises NoMatch, AlreadyApplied, Ambiguous, Conflict or InvalidInput.
    """
    search = _Search(view_of(document), edit, settings, Ties(document, edit, holds))
    wanted = Wanted.of(edit)
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new one are the same", "Leave it out.")
    if edit.replace_all or edit.expected_count is not None:
        return search.everywhere(wanted)
    found = search.strict(wanted) or search.repaired()
    if found is None:
        search.refuse_applied(wanted)
        found = search.loose(wanted)
    if found is None:
        raise NoMatch(edit.path, "the old text is not in the file", "Read the file again.")
    guards.check(search.view, Wanted.of(edit, found.repairs), edit.path)
    return found


class _Search:
    def __init__(self, view: View, edit: Edit, settings: Settings, ties: Ties) -> None:
        self.view = view
        self.edit = edit
        self.settings = settings
        self.ties = ties

    def everywhere(self, wanted: Wanted) -> Located:
        """Every exact place; overlapping ones count once."""
        places: list[Place] = []
        for place in exact(self.view, wanted):
            if not places or place.start >= places[-1].end:
                places.append(place)
        if not places:
            raise NoMatch(self.edit.path, "the old text is not in the file", "Read it again.")
        if self.edit.expected_count not in (None, len(places)):
            raise Ambiguous(
                self.edit.path,
                f"the old text stands at {len(places)} places, not {self.edit.expected_count}",
                "Say how many places are to change, or quote more lines.",
            )
        return Located(tuple(places), "exact", FULL, FULL)

    def strict(self, wanted: Wanted, repairs: tuple[str, ...] = ()) -> Located | None:
        """The place by the tiers that want all of the old text; None where it is nowhere."""
        for tier in LADDER:
            if tier in LOOSE:
                break
            places = LADDER[tier](self.view, wanted)
            if places:
                return self._located(tier, wanted, places, repairs)
        return None

    def repaired(self) -> Located | None:
        """The place by the first repair that makes the old text stand in the file."""
        literal = Wanted.of(self.edit)
        for repairs in READINGS:
            wanted = Wanted.of(self.edit, repairs)
            if wanted != literal and wanted.old:
                found = self.strict(wanted, repairs)
                if found is not None:
                    return found
        return None

    def loose(self, wanted: Wanted) -> Located | None:
        """The place by the tiers that want most of the old text; None where it is nowhere."""
        for tier in LOOSE:
            places = LADDER[tier](self.view, wanted)
            near = [place for place in places if place.similarity >= self.settings.threshold]
            if near:
                return self._located(tier, wanted, near, ())
        return None

    def refuse_applied(self, wanted: Wanted) -> None:
        """Raise AlreadyApplied where the new text stands although the old one does not."""
        for place in applied.places_of_new(self.view, wanted):
            raise self._applied(place)

    def _located(
        self, tier: str, wanted: Wanted, places: tuple[Place, ...] | list[Place],
        repairs: tuple[str, ...],
    ) -> Located:  # fmt: skip
        place, runner_up = decide(places, self.ties)
        if applied.stands_at(self.view, wanted, place):
            raise self._applied(place)
        return Located(
            (place,), tier, place.similarity,
            confidence(tier, place.similarity, len(repairs)),
            None if runner_up is None else runner_up.similarity, repairs,
        )  # fmt: skip

    def _applied(self, place: Place) -> AlreadyApplied:
        where = f"{self.edit.path}:{self.view.document.line_at(place.start)}"
        return AlreadyApplied(where, "the new text stands here already", "Leave the edit out.")
