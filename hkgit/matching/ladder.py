"""ladder.py: place an edit with the strictest tier that finds its old text.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import ClassVar, cast

from hkgit.document import Document
from hkgit.edits import Edit
from hkgit.errors import Ambiguous, InvalidInput, Near
from hkgit.matching import applied, guards
from hkgit.matching.confidence import confidence
from hkgit.matching.decide import Holds, Ties, decide
from hkgit.matching.exact import exact_places
from hkgit.matching.lines import View, Wanted, view_of
from hkgit.matching.places import FULL, Located, Place, Settings

Tier = Callable[[View, Wanted], tuple[Place, ...]]


class _Ladder(Mapping[str, Tier]):
    """Every tier by name; its module is loaded when it is asked for."""

    _modules: ClassVar = {
        "exact": "exact",
        "whitespace": "whitespace",
        "unicode": "unicode",
        "elided": "elided",
        "fuzzy": "fuzzy",
        "line-block": "fuzzy",
    }

    def __getitem__(self, name: str) -> Tier:
        module = import_module(f"hkgit.matching.{self._modules[name]}")
        return cast(Tier, getattr(module, name.replace("-", "_")))

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


LADDER = _Ladder()
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
    if not wanted.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new one are the same", "Leave it out.")
    if edit.replace_all or edit.expected_count not in (None, 1):
        found = search.everywhere(wanted)
    else:
        found = search.strict(wanted) or search.repaired() or search.loose(wanted, ())
    if found is None:
        from hkgit.matching import hints

        raise hints.no_match(search.view, wanted, edit)
    meant = Wanted.of(edit, found.repairs)
    try:
        guards.check(search.view, meant, edit.path)
    except InvalidInput as error:
        from hkgit.matching.correcting import unmarked

        error.near = tuple(Near(*document.lines_of(p.start, p.end)) for p in found.places)
        error.corrected = unmarked(meant, edit)
        raise
    return found


class _Search:
    def __init__(self, view: View, edit: Edit, settings: Settings, ties: Ties) -> None:
        self.view = view
        self.edit = edit
        self.settings = settings
        self.ties = ties

    def everywhere(self, wanted: Wanted) -> Located | None:
        """Every exact place; overlapping ones count once."""
        places: list[Place] = []
        for place in exact_places(self.view, wanted, len(self.view.document.data)):
            if not places or place.start >= places[-1].end:
                places.append(place)
        if not places:
            return None
        if self.edit.expected_count not in (None, len(places)):
            raise Ambiguous(
                self.edit.path,
                f"the old text stands at {len(places)} places, not {self.edit.expected_count}",
                "Say how many places are to change, or quote more lines.",
            )
        self._check_unmade(wanted, places)
        return Located(tuple(places), "exact", FULL, FULL)

    def _check_unmade(self, wanted: Wanted, places: list[Place]) -> None:
        """Raise AlreadyApplied or Ambiguous where the new text stands around places already."""
        from hkgit.matching import hints

        made = [place for place in places if applied.stands_literally(self.view, wanted, place)]
        if len(made) == len(places):
            raise hints.already_applied(self.view, made[0], self.edit)
        if made:
            raise hints.half_applied(self.view, made, places, self.edit)

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
        """The place by the repair that finds it with the strictest tier.

        Raises InvalidInput where two repairs as good leave different new texts.
        """
        found: list[tuple[Located, Wanted]] = []
        for wanted, repairs in self._readings():
            located = self.strict(wanted, repairs)
            found += [(located, wanted)] if located is not None else []
        if not found:
            return None
        best = min(map(_strictness, found))
        texts = {wanted.new for located, wanted in found if _strictness((located, wanted)) == best}
        if len(texts) > 1:
            raise InvalidInput(
                self.edit.path,
                "the escapes or line numbers of the edit can be read in two ways",
                "Write the old and the new text as they stand in the file.",
            )
        return min(found, key=_strictness)[0]

    def _readings(self) -> list[tuple[Wanted, tuple[str, ...]]]:
        """The edit with repairs made, where there is something to repair."""
        from hkgit.matching.repairs import READINGS

        literal = Wanted.of(self.edit)
        found: dict[Wanted, tuple[str, ...]] = {}
        for repairs in READINGS:
            wanted = Wanted.of(self.edit, repairs)
            if wanted != literal and wanted.old:
                found.setdefault(wanted, repairs)
        return list(found.items())

    def _telling(self, wanted: Wanted) -> tuple[Wanted, tuple[str, ...]]:
        """The reading, repaired or not, of which most stands at one place of the file."""
        readings = [(wanted, ()), *self._readings()]
        return max(readings, key=lambda reading: self._agreement(reading[0]))

    def _agreement(self, wanted: Wanted) -> tuple[int, int]:
        from hkgit.matching.candidates import candidates

        found = candidates(self.view, wanted)
        return (found[0].agreement, found[0].similarity) if found else (0, 0)

    def loose(self, wanted: Wanted, repairs: tuple[str, ...]) -> Located | None:
        """The place by the tiers that want most of the old text; None where it is nowhere.

        Before, it is seen to that the change has not been made already, and that the file has
        the author's names.
        """
        from hkgit.matching import hints
        from hkgit.matching.candidates import candidates
        from hkgit.matching.renames import renamed

        if not repairs:
            wanted, repairs = self._telling(wanted)
            names = renamed(self.view, wanted, self.edit.path)
            if names:
                found = self.loose(Wanted.of(self.edit, (*repairs, *names)), (*repairs, *names))
                return None if found is None else self._as_written(wanted, found)
        made = applied.place_of_new(self.view, wanted)
        if made is not None:
            raise hints.already_applied(self.view, made, self.edit)
        for tier in LOOSE:
            places = LADDER[tier](self.view, wanted)
            if any(place.similarity >= self.settings.threshold for place in places):
                made = applied.rival_of(self.view, wanted, candidates(self.view, wanted)[0])
                if made is not None:
                    raise hints.already_applied(self.view, made, self.edit)
                found = self._located(tier, wanted, places, repairs)
                return found if found.similarity >= self.settings.threshold else None
        return None

    def _as_written(self, wanted: Wanted, found: Located) -> Located | None:
        """A place that has other names, by how alike it is to the old text as it was written."""
        from hkgit.matching.candidates import candidates

        similarity = min(found.similarity, candidates(self.view, wanted)[0].similarity)
        if similarity < self.settings.threshold:
            return None
        return replace(found, similarity=similarity)

    def _located(
        self, tier: str, wanted: Wanted, places: tuple[Place, ...] | list[Place],
        repairs: tuple[str, ...],
    ) -> Located:  # fmt: skip
        place, runner_up = decide(places, self.ties)
        if not place.is_fit:
            from hkgit.matching import hints

            raise hints.conflict(self.view, wanted, place, self.edit)
        if applied.stands_over(self.view, wanted, place):
            from hkgit.matching import hints

            raise hints.already_applied(self.view, place, self.edit)
        second = None if runner_up is None else runner_up.similarity
        sure = confidence(tier, place.similarity, second, repairs)
        notes = guards.doubled(self.view, wanted, place)
        return Located((place,), tier, place.similarity, sure, second, repairs, notes)


def _strictness(found: tuple[Located, Wanted]) -> tuple[int, int]:
    """The lower, the nearer to the text as it stands in the file."""
    located, _ = found
    return list(LADDER).index(located.tier), -located.similarity
