"""ladder.py: place an edit with the strictest tier that finds its old text.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from typing import ClassVar, cast

from hkgit.edits import Edit
from hkgit.errors import Ambiguous, InvalidInput, Near
from hkgit.matching import applied, guards
from hkgit.matching.confidence import confidence
from hkgit.matching.decide import MARGIN, Holds, Ties, decide, nothing
from hkgit.matching.lines import EditLines, FileLines, view_of
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.tiers.exact import in_other_ends, literal_places
from hkgit.text.document import Document
from hkgit.values import replace

Tier = Callable[[FileLines, EditLines], tuple[Place, ...]]


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
        module = import_module(f"hkgit.matching.tiers.{self._modules[name]}")
        return cast(Tier, getattr(module, name.replace("-", "_")))

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


LADDER = _Ladder()
"""From the strictest reading of an edit to the most forgiving."""

LOOSE = ("fuzzy", "line-block")


def locate(
    document: Document,
    edit: Edit,
    settings: Settings,
    holds: Holds | None = None,
    vouches: Holds = nothing,
) -> Located:
    """The place, or for an edit of all of them the places, where an edit's old text stands.

    `holds` says whether an expected hash is that of a place, `vouches` whether any evidence shows
    that the author saw it as it is. Raises NoMatch, AlreadyApplied, Ambiguous, Conflict or
    InvalidInput.
    """
    search = _Search(view_of(document), edit, settings, Ties(document, edit, holds, vouches))
    wanted = EditLines.of(edit)
    if not wanted.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new one are the same", "Leave it out.")
    if edit.replace_all or edit.expected_count not in (None, 1):
        found = search.everywhere(wanted)
    else:
        found = search.visible(wanted) or search.inside_word(wanted)
        found = found or search.repaired() or search.loose(wanted, ())
    if found is None:
        from hkgit.matching.refusals import hints

        raise hints.no_match(search.view, wanted, edit)
    meant = EditLines.of(edit, found.repairs)
    try:
        is_paired = found.tier == "elided"
        guards.check(search.view, meant, edit.path, found.places[0], is_paired=is_paired)
    except InvalidInput as error:
        from hkgit.matching.refusals.correcting import remove_marks

        error.near = tuple(Near(*document.lines_of(p.start, p.end)) for p in found.places)
        error.corrected = remove_marks(meant, edit)
        raise
    return found


class _Search:
    def __init__(self, view: FileLines, edit: Edit, settings: Settings, ties: Ties) -> None:
        self.view = view
        self.edit = edit
        self.settings = settings
        self.ties = ties

    def everywhere(self, wanted: EditLines) -> Located | None:
        """Every place byte for byte, also inside words; else every place of a strict tier."""
        places = literal_places(self.view, wanted)
        if places:
            self._check_count(places)
            self._check_unmade(wanted, places)
            from hkgit.matching.everywhere import tell_left_over

            notes = guards.parts_of_words(self.view, places)
            notes += tell_left_over(self.view, wanted, places)
            return Located(places, "exact", FULL, FULL, notes=notes)
        other = in_other_ends(wanted)
        places = () if other is None else literal_places(self.view, other)
        if other is not None and places:
            return self._alike("whitespace", other, places, ())
        for reading, repairs in [(wanted, ()), *self._readings()]:
            for tier in ("exact", "whitespace", "unicode"):
                places = tuple(sorted(LADDER[tier](self.view, reading)))
                if places:
                    return self._alike(tier, reading, places, repairs)
        return self._elided(wanted) or self._everywhere_alike(wanted)

    def _elided(self, wanted: EditLines) -> Located | None:
        """The one place of an edit that leaves lines out; what it leaves out may differ."""
        places = LADDER["elided"](self.view, wanted)
        if len(places) > 1:
            from hkgit.matching.refusals import hints

            raise hints.ambiguous(self.view.document, places, self.edit)
        if not places:
            return None
        self._check_count(places)
        return self._locate("elided", wanted, places, ())

    def _everywhere_alike(self, wanted: EditLines) -> Located | None:
        """All places that most of the old text fits, where the file says the same at each."""
        from hkgit.matching.everywhere import find_alike
        from hkgit.matching.refusals import hints
        from hkgit.matching.tiers.fuzzy import place_of

        wanted, repairs = self._telling(wanted)
        self._check_doubled(wanted)
        made = applied.place_of_new(self.view, wanted)
        if made is not None:
            raise hints.already_applied(self.view, made, self.edit)
        found = find_alike(self.view, wanted, self.edit, self.settings.threshold)
        if not found:
            return None
        made = applied.rival_of(self.view, wanted, found[0])
        if made is not None:
            raise hints.already_applied(self.view, made, self.edit)
        tier = "fuzzy" if found[0].is_gapless else "line-block"
        return self._alike(tier, wanted, tuple(place_of(self.view, c) for c in found), repairs)

    def _alike(
        self, tier: str, wanted: EditLines, places: tuple[Place, ...], repairs: tuple[str, ...]
    ) -> Located:
        """All places that are the old text but for blanks, typography or a repair."""
        self._check_count(places)
        self._check_unmade(wanted, places)
        if any(a.end > b.start for a, b in pairwise(places)):
            from hkgit.matching.refusals import hints

            raise hints.ambiguous(self.view.document, places, self.edit)
        similarity = min(place.similarity for place in places)
        known = min(place.known for place in places)
        sure = confidence(tier, similarity, None, repairs, known)
        return Located(
            places=places,
            tier=tier,
            similarity=similarity,
            confidence=sure,
            runner_up=None,
            repairs=repairs,
        )

    def _check_count(self, places: tuple[Place, ...]) -> None:
        if self.edit.expected_count not in (None, len(places)):
            raise Ambiguous(
                self.edit.path,
                f"the old text stands at {len(places)} places, not {self.edit.expected_count}",
                "Say how many places are to change, or quote more lines.",
            )

    def _check_unmade(self, wanted: EditLines, places: tuple[Place, ...]) -> None:
        """Raise AlreadyApplied or Ambiguous where the new text stands around places already."""
        from hkgit.matching.refusals import hints

        made = [place for place in places if applied.stands_literally(self.view, wanted, place)]
        if len(made) == len(places):
            raise hints.already_applied(self.view, made[0], self.edit)
        if made:
            raise hints.half_applied(self.view, made, places, self.edit)

    def strict(self, wanted: EditLines, repairs: tuple[str, ...] = ()) -> Located | None:
        """The place by the tiers that want all of the old text; None where it is nowhere."""
        for tier in LADDER:
            if tier in LOOSE:
                break
            places = LADDER[tier](self.view, wanted)
            if places:
                return self._locate(tier, wanted, places, repairs)
        return None

    def inside_word(self, wanted: EditLines) -> Located | None:
        """The only place where the old text stands byte for byte, though it cuts a word there.

        Raises NoMatch unless a hash or a receipt says that the author saw it; None where the old
        text stands nowhere, or was written in lines.
        """
        places, tier = literal_places(self.view, wanted), "exact"
        other = in_other_ends(wanted)
        if not places and other is not None:
            wanted, places, tier = other, literal_places(self.view, other), "whitespace"
        if len(places) != 1 or wanted.whole_lines:
            return None
        if self.ties.vouches(places[0]):
            return self._locate(tier, wanted, places, ())
        from hkgit.matching.refusals import hints

        raise hints.inside_word(self.view, places[0], self.edit)

    def visible(self, wanted: EditLines) -> Located | None:
        """The place by the strict tiers, read without characters that only the edit has unseen."""
        found = self.strict(wanted)
        if found is None or found.tier != "unicode":
            return found
        repairs = ("zero-width",)
        seen = EditLines.of(self.edit, repairs)
        return found if seen == wanted or not seen.old else self.strict(seen, repairs) or found

    def repaired(self) -> Located | None:
        """The place by the repair that finds it with the strictest tier.

        Raises InvalidInput where two repairs as good leave different new texts.
        """
        found: list[tuple[Located, EditLines]] = []
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

    def _readings(self) -> list[tuple[EditLines, tuple[str, ...]]]:
        """The edit with repairs made, where there is something to repair."""
        from hkgit.matching.repairs import READINGS

        literal = EditLines.of(self.edit)
        found: dict[EditLines, tuple[str, ...]] = {}
        for repairs in READINGS:
            wanted = EditLines.of(self.edit, repairs)
            if wanted != literal and wanted.old:
                found.setdefault(wanted, repairs)
        return list(found.items())

    def _telling(self, wanted: EditLines) -> tuple[EditLines, tuple[str, ...]]:
        """The reading, repaired or not, of which most stands at one place of the file."""
        readings = [(wanted, ()), *self._readings()]
        return max(readings, key=lambda reading: self._agreement(reading[0]))

    def _agreement(self, wanted: EditLines) -> tuple[int, int]:
        from hkgit.matching.search.candidates import candidates

        found = candidates(self.view, wanted)
        return (found[0].agreement, found[0].similarity) if found else (0, 0)

    def _check_doubled(self, wanted: EditLines) -> None:
        """Raise InvalidInput where the edit would write backslashes twice for once.

        That is so where the old text has the file's backslashes doubled, and the new one not all.
        """
        from hkgit.matching.repairs import halve_backslashes

        old = halve_backslashes(wanted.old)
        if old == wanted.old or not any(b"\\\\" in wanted.new_lines[i] for i in wanted.added):
            return
        if self._agreement(EditLines(old, wanted.new)) > self._agreement(wanted):
            raise InvalidInput(
                self.edit.path,
                "the old text has two backslashes where the file has one, the new text both",
                "Write every backslash as it stands in the file.",
            )

    def loose(self, wanted: EditLines, repairs: tuple[str, ...]) -> Located | None:
        """The place by the tiers that want most of the old text; None where it is nowhere.

        Before, it is seen to that the change has not been made already, and that the file has
        the author's names.
        """
        from hkgit.matching.refusals import hints
        from hkgit.matching.search.candidates import candidates
        from hkgit.matching.transfers.renames import find_renames

        if not repairs:
            wanted, repairs = self._telling(wanted)
            self._check_doubled(wanted)
            names = find_renames(self.view, wanted, self.edit.path)
            if names:
                found = self.loose(EditLines.of(self.edit, (*repairs, *names)), (*repairs, *names))
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
                found = self._locate(tier, wanted, places, repairs)
                return found if found.similarity >= self.settings.threshold else None
        return None

    def _as_written(self, wanted: EditLines, found: Located) -> Located | None:
        """A place that has other names, by how alike it is to the old text as it was written."""
        from hkgit.matching.search.candidates import candidates

        similarity = min(found.similarity, candidates(self.view, wanted)[0].similarity)
        if similarity < self.settings.threshold:
            return None
        return replace(found, similarity=similarity)

    def _locate(
        self,
        tier: str,
        wanted: EditLines,
        places: tuple[Place, ...] | list[Place],
        repairs: tuple[str, ...],
    ) -> Located:
        place, runner_up = decide(places, self.ties)
        if not place.is_fit:
            if not self._is_slip(wanted, place, runner_up):
                from hkgit.matching.refusals import hints

                raise hints.conflict(self.view, wanted, place, self.edit)
            repairs = (*repairs, "misquoted")
        if applied.stands_over(self.view, wanted, place):
            from hkgit.matching.refusals import hints

            raise hints.already_applied(self.view, place, self.edit)
        second = None if runner_up is None else runner_up.similarity
        sure = confidence(tier, place.similarity, second, repairs, place.known)
        notes = guards.find_doubled_lines(self.view, wanted, place)
        return Located(
            places=(place,),
            tier=tier,
            similarity=place.similarity,
            confidence=sure,
            runner_up=second,
            repairs=repairs,
            notes=notes,
        )

    def _is_slip(self, wanted: EditLines, place: Place, runner_up: Place | None) -> bool:
        """Whether evidence shows that the author saw this very place, and only misquotes it."""
        if place.similarity < self.settings.threshold or not self.ties.vouches(place):
            return False
        if runner_up is not None and place.agreement - runner_up.agreement < MARGIN:
            holds = self.ties.holds
            if holds is None or not holds(place) or holds(runner_up):
                return False
        from hkgit.matching.search.candidates import candidates, is_slip
        from hkgit.matching.tiers.fuzzy import place_of

        found = candidates(self.view, wanted)
        best = next((c for c in found if place_of(self.view, c) == place), None)
        return best is not None and is_slip(self.view, wanted, best)


def _strictness(found: tuple[Located, EditLines]) -> tuple[int, int]:
    """The lower, the nearer to the text as it stands in the file."""
    located, _ = found
    return list(LADDER).index(located.tier), -located.similarity
