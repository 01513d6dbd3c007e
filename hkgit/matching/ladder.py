"""The ladder: the strictest tier that finds one place, or a refusal.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from hkgit.edits import END_OF_FILE, Edit, encode_text
from hkgit.errors import Ambiguous, HkgitError, InvalidInput, Near, Stale
from hkgit.matching import advice, guards, repetition
from hkgit.matching.candidates import find_candidates, fuzzy, is_slip, line_block
from hkgit.matching.place import FULL, Located, Place, Settings, rate_confidence
from hkgit.matching.strict import (
    elided,
    exact,
    find_literal_places,
    find_pieces,
    swap_line_ends,
    unicode,
    whitespace,
)
from hkgit.matching.view import EditLines, FileLines, find_end_of_block, make_view
from hkgit.text.document import Document
from hkgit.text.escape import count_noun
from hkgit.values import dataclass

STRICT = ("exact", "whitespace", "unicode", "elided")  # Tiers that want all of the old text
LOOSE = ("fuzzy", "line-block")  # Tiers that want most of it
LADDER = (*STRICT, *LOOSE)


def find_places(tier: str, view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find the places that a tier sees."""
    return _TIERS[tier](view, wanted)


_TIERS: Mapping[str, Callable[[FileLines, EditLines], tuple[Place, ...]]] = {
    "exact": exact,
    "whitespace": whitespace,
    "unicode": unicode,
    "elided": elided,
    "fuzzy": fuzzy,
    "line-block": line_block,
}


Holds = Callable[[Place], bool]
Vouches = Callable[[Place], int]  # Of how many lines the evidence is that covers a place; 0 without
SLACK = 3  # So many lines above and below a place a hash or a receipt of that very place may cover


def vouch_for_none(_: Place) -> int:
    """Vouch for no place."""
    return 0


MARGIN = 6
"""A runner-up agrees by less than this, in the weight of its lines, or the choice is a guess."""

CUT = 70  # A heading of so many characters may be cut off inside a word, as git cuts it
NEAR_HINT = 5  # How many lines a place may be away from a line hint that is to choose it


@dataclass(frozen=True)
class Search:
    """An edit that is looked for in a file, and the evidence that ties it to a place there.

    `holds` is that an expected hash does, `vouches` says what evidence covers a place; both break
    ties between equally good places, and are never used otherwise.
    """

    view: FileLines
    edit: Edit
    settings: Settings
    holds: Holds | None
    vouches: Vouches

    @property
    def document(self) -> Document:
        return self.view.document

    def owns(self, place: Place) -> bool:
        """Whether evidence is that of a place, and not of much more that was read with it."""
        first, last = self.document.lines_of(place.start, place.end)
        return 0 < self.vouches(place) <= last - first + 1 + 2 * SLACK

    def break_ties(self, places: Sequence[Place]) -> list[Place]:
        """Choose among places that are as good: by the expected hash, then by heading and hint.

        Returns what is left; several where nothing decides, or these two choose different ones.
        """
        if self.holds is not None:
            places = [place for place in places if self.holds(place)] or places
        hint = self.edit.line_hint
        is_tie = len({(place.agreement, place.similarity) for place in places}) == 1
        if len(places) == 1 or not is_tie:
            return list(places)
        named = self._find_below_heading(places) or list(places)
        if hint is None:
            return named
        near = self._apply_hint(sorted(places), hint)
        if len(near) > 1 and len(named) < len(places):
            near = self._apply_hint(sorted(named), hint) if len(named) > 1 else named
        return near if near[0] in named else list(places)

    def _find_below_heading(self, places: Sequence[Place]) -> list[Place]:
        """Find the places in a block that is opened by a line with the words of the heading."""
        if not self.edit.heading:
            return []
        end = "" if len(self.edit.heading) >= CUT else r"(?![\w\x80-\xff])"
        words = re.compile(rb"\s*" + re.escape(encode_text(self.edit.heading)) + end.encode())
        rows = [row for row, line in enumerate(self.document.lines, 1) if words.match(line)]
        starts = [self.document.offsets[row] for row in rows]
        spans = [(start, find_end_of_block(self.document, start)) for start in starts]
        return [p for p in places if any(start <= p.start < end for start, end in spans)]

    def _apply_hint(self, places: list[Place], hint: int) -> list[Place]:
        """The one of some places in order that a line hint means, or all where it means none."""
        if hint == END_OF_FILE:
            is_last = not self.document.data[places[-1].end :].strip()
            return places[-1:] if is_last else places
        if hint < 1:
            return places[:1]
        away = sorted((abs(self.document.line_at(p.start) - hint), p) for p in places)
        least, other = away[0][0], away[1][0]
        # The further off a hint is, the less it says: the next place has to be out of its reach.
        reach = NEAR_HINT if self.edit.old_text.strip() else 0
        is_clear = least <= reach and other > max(3 * least * least, 1)
        return [away[0][1]] if is_clear else places

    def refuse(self, places: Sequence[Place]) -> HkgitError:
        """Build the error for several places: Ambiguous, or Stale if all have another hash."""
        error = advice.refuse_ambiguous(self.document, places, self.edit)
        expected = self.edit.expected_hash
        if expected is None or self.holds is None or any(map(self.holds, places)):
            return error
        what = f"expected hash {expected[:12]} matches none of {len(places)} places"
        stale = Stale(self.edit.path, f"{what}, and {error.what}", "Read the file again.")
        stale.near = error.near
        return stale


def settle(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...] | list[Place],
    repairs: tuple[str, ...],
) -> Located:
    """Choose the place that is meant, and rate it.

    Raises Ambiguous where nothing tells several apart, AlreadyApplied where the change is
    there, Conflict where lines that it changes are misquoted.
    """
    place, runner_up = decide(places, search)
    if not place.is_fit:
        if not _is_slip(search, wanted, place, runner_up):
            raise advice.refuse_conflict(search.view, wanted, place, search.edit)
        repairs = (*repairs, "misquoted")
    pieces = find_pieces(search.view, wanted) if tier == "elided" else [(wanted, place)]
    if any(repetition.stands_over(search.view, *piece) for piece in pieces):
        raise advice.refuse_applied(search.view, place, search.edit)
    second = None if runner_up is None else runner_up.similarity
    sure = rate_confidence(tier, place.similarity, second, repairs)
    notes = guards.find_doubled_lines(search.view, wanted, place)
    return Located(
        places=(place,),
        tier=tier,
        similarity=place.similarity,
        confidence=sure,
        runner_up=second,
        repairs=repairs,
        notes=notes,
    )


def _is_slip(search: Search, wanted: EditLines, place: Place, runner_up: Place | None) -> bool:
    """Whether evidence shows that the author saw this very place, and only misquotes it."""
    if place.similarity < search.settings.threshold or not search.vouches(place):
        return False
    if runner_up is not None and place.agreement - runner_up.agreement < MARGIN:
        holds = search.holds
        if holds is None or not holds(place) or holds(runner_up):
            return False
    return bool(place.targets) and is_slip(search.view, wanted, place)


def decide(places: Sequence[Place], search: Search) -> tuple[Place, Place | None]:
    """Choose the place that is meant and the runner-up; the place is not always a fit.

    Raises Ambiguous where another place is as good or nearly so, unless none of them is a fit;
    Stale if they have another hash than the edit expects.
    """
    ranked = sorted(places, key=lambda p: (-p.agreement, -p.similarity, not p.is_fit, p.start))
    near = [place for place in ranked if _is_near(ranked[0], place)]
    if len(near) > 1:
        near = search.break_ties(near)
    if len(near) > 1 and any(place.is_fit for place in near):
        raise search.refuse(near)
    return near[0], next((place for place in ranked if place != near[0]), None)


def _is_near(best: Place, other: Place) -> bool:
    """Whether another place is as good as the best one, or looks better in any respect.

    It does where it has a telling line that the best one has not, and most of all else.
    """
    if best.agreement - other.agreement < MARGIN or other.similarity > best.similarity:
        return True
    return bool(other.rows & ~best.rows) and 3 * other.agreement >= 2 * best.agreement


def list_variants(edit: Edit) -> list[tuple[EditLines, tuple[str, ...]]]:
    """List versions of the edit with one repair each, where there is something to repair."""
    from hkgit.matching.repairs import READINGS

    literal = EditLines.of(edit)
    found: dict[EditLines, tuple[str, ...]] = {}
    for repairs in READINGS:
        wanted = EditLines.of(edit, repairs)
        if wanted != literal and wanted.old:
            found.setdefault(wanted, repairs)
    return list(found.items())


def choose_variant(search: Search, wanted: EditLines) -> tuple[EditLines, tuple[str, ...]]:
    """Choose the reading, repaired or not, of which most is at one place of the file."""
    readings = [(wanted, ()), *list_variants(search.edit)]
    return max(readings, key=lambda reading: _agreement(search, reading[0]))


def _agreement(search: Search, wanted: EditLines) -> tuple[int, int]:
    found = find_candidates(search.view, wanted)
    return (found[0].agreement, found[0].similarity) if found else (0, 0)


def locate(
    document: Document,
    edit: Edit,
    settings: Settings,
    holds: Holds | None = None,
    vouches: Vouches = vouch_for_none,
) -> Located:
    """Find the place of an edit's old text, or all of them for an edit of all places.

    `holds` says whether an expected hash is that of a place, `vouches` of how
    many lines the evidence is which shows that the author saw it as it is. Raises NoMatch,
    AlreadyApplied, Ambiguous, Conflict or InvalidInput.
    """
    search = Search(
        view=make_view(document), edit=edit, settings=settings, holds=holds, vouches=vouches
    )
    wanted = EditLines.of(edit)
    if not wanted.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new text are the same", "Leave it out.")
    found = _find(search, wanted)
    is_exact = found is not None and found.tier == "exact" and not found.repairs
    if found is None or (settings.threshold == FULL and not is_exact):
        raise advice.refuse_no_match(search.view, wanted, edit)
    _check_meaning(search, found)
    return found


def _find(search: Search, wanted: EditLines) -> Located | None:
    edit = search.edit
    if edit.replace_all or edit.expected_count not in (None, 1):
        # Few edits are meant for all places.
        return locate_everywhere(search, wanted)
    found = _find_visible(search, wanted) or _find_inside_word(search, wanted)
    return found or _find_repaired(search) or _find_loosely(search, wanted)


def _check_meaning(search: Search, found: Located) -> None:
    """Refuse new text that its author cannot mean to be there (see `guards`)."""
    meant = EditLines.of(search.edit, found.repairs)
    is_paired = found.tier == "elided"
    try:
        guards.check_typography(search.view, EditLines.of(search.edit), search.edit.path)
        guards.check(search.view, meant, search.edit.path, found.places[0], is_paired=is_paired)
    except InvalidInput as error:
        lines_of = search.view.document.lines_of
        error.near = tuple(Near(*lines_of(p.start, p.end)) for p in found.places)
        error.corrected = advice.remove_marks(meant, search.edit)
        raise


def _find_visible(search: Search, wanted: EditLines) -> Located | None:
    """Find the place by the strict tiers, read without typography that only the edit has."""
    found = _find_strictly(search, wanted)
    if found is None or found.tier != "unicode":
        return found
    repairs = ("typography",)
    seen = EditLines.of(search.edit, repairs)
    if seen == wanted or not seen.old:
        return found
    plain = _find_strictly(search, seen, repairs)
    return found if plain is None or plain.tier == "unicode" else plain


def _find_strictly(
    search: Search, wanted: EditLines, repairs: tuple[str, ...] = ()
) -> Located | None:
    """Find the place by the tiers that want all of the old text; None where it is nowhere."""
    for tier in STRICT:
        places = find_places(tier, search.view, wanted)
        if places:
            return settle(search, tier, wanted, places, repairs)
    return None


def _find_inside_word(search: Search, wanted: EditLines) -> Located | None:
    """Find the only place where the old text is byte for byte, though it cuts a word there.

    Raises NoMatch unless a hash or a receipt says that the author saw it; None where the old
    text is nowhere, or was written in lines.
    """
    places, tier = find_literal_places(search.view, wanted), "exact"
    other = swap_line_ends(wanted)
    if not places and other is not None:
        wanted, places, tier = other, find_literal_places(search.view, other), "whitespace"
    if len(places) != 1 or wanted.whole_lines:
        return None
    if search.vouches(places[0]):
        return settle(search, tier, wanted, places, ())
    raise advice.refuse_inside_word(search.view, places[0], search.edit)


def _find_repaired(search: Search) -> Located | None:
    """Find the place by the repair that finds it with the strictest tier.

    Raises InvalidInput where two repairs as good leave different new texts.
    """
    found: list[tuple[Located, EditLines]] = []
    for wanted, repairs in list_variants(search.edit):
        located = _find_strictly(search, wanted, repairs)
        found += [(located, wanted)] if located is not None else []
    if not found:
        return None
    best = min(map(_strictness, found))
    texts = {wanted.new for located, wanted in found if _strictness((located, wanted)) == best}
    if len(texts) > 1:
        raise InvalidInput(
            search.edit.path,
            "the escapes or line numbers of the edit are ambiguous",
            "Write the old and the new text as they are in the file.",
        )
    return min(found, key=_strictness)[0]


def _find_loosely(search: Search, wanted: EditLines) -> Located | None:
    """Find the place by the tiers that want most of the old text; None where it is nowhere.

    Before, it is seen to that the change has not been made already.
    """
    wanted, repairs = choose_variant(search, wanted)
    _refuse_applied(search, repetition.find_place_of_new(search.view, wanted))
    for tier in LOOSE:
        places = find_places(tier, search.view, wanted)
        if any(place.similarity >= search.settings.threshold for place in places):
            found = _settle_loose(search, tier, wanted, places, repairs)
            return None if found is None else _check_evidence(search, wanted, found)
    places = _find_owned(search, wanted)
    return settle(search, LOOSE[-1], wanted, places, repairs) if len(places) == 1 else None


def _find_owned(search: Search, wanted: EditLines) -> tuple[Place, ...]:
    """Find the lines whose very hash or receipt is given, and of which none is quoted as it is."""
    if search.vouches is vouch_for_none or find_candidates(search.view, wanted):
        return ()
    places = advice.find_by_words(search.view, wanted, MOST_SHOWN)
    return tuple(place for place in places if search.owns(place))


def _settle_loose(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...],
    repairs: tuple[str, ...],
) -> Located | None:
    """Choose among the places of a loose tier; None where the one that is meant is too unlike."""
    best = find_candidates(search.view, wanted)[0]
    _refuse_applied(search, repetition.find_rival(search.view, wanted, best))
    found = settle(search, tier, wanted, places, repairs)
    return found if found.similarity >= search.settings.threshold else None


def _check_evidence(search: Search, wanted: EditLines, found: Located) -> Located | None:
    """Check the place of a loose tier; None where too little of the old text is there.

    A hash or a receipt of that very place shows as much.
    """
    from hkgit.matching.weight import has_evidence

    place = found.places[0]
    is_sure = has_evidence(search.view, wanted, place.targets, search.edit.path)
    if not is_sure and not search.owns(place):
        return None
    _refuse_applied(search, repetition.find_added(search.view, wanted, place.targets))
    return found


def _refuse_applied(search: Search, place: Place | None) -> None:
    """Raise AlreadyApplied where the new text is at a place."""
    if place is not None:
        raise advice.refuse_applied(search.view, place, search.edit)


def _strictness(found: tuple[Located, EditLines]) -> tuple[int, int]:
    """The lower, the nearer to the text as it is in the file."""
    located, _ = found
    return LADDER.index(located.tier), -located.similarity


MOST_SHOWN = 5  # So many lines a note names at most


def locate_everywhere(search: Search, wanted: EditLines) -> Located | None:
    """Find every place, byte for byte and inside words too; else every place of a strict tier."""
    places = find_literal_places(search.view, wanted)
    if places:
        _check_count(search, places)
        _check_unmade(search, wanted, places)
        notes = guards.note_parts_of_words(search.view, places)
        notes += _tell_left_over(search.view, wanted, places)
        return Located(places=places, tier="exact", similarity=FULL, confidence=FULL, notes=notes)
    other = swap_line_ends(wanted)
    places = () if other is None else find_literal_places(search.view, other)
    if other is not None and places:
        return _settle_alike(search, "whitespace", other, places, ())
    for reading, repairs in [(wanted, ()), *list_variants(search.edit)]:
        for tier in ("exact", "whitespace", "unicode"):
            places = tuple(sorted(find_places(tier, search.view, reading)))
            if places:
                return _settle_alike(search, tier, reading, places, repairs)
    found = _locate_elided(search, wanted)
    applied_at = None if found is not None else repetition.find_place_of_new(search.view, wanted)
    if applied_at is not None:
        raise advice.refuse_applied(search.view, applied_at, search.edit)
    return found


def _locate_elided(search: Search, wanted: EditLines) -> Located | None:
    """The one place of an edit that leaves lines out; what it leaves out may differ."""
    places = find_places("elided", search.view, wanted)
    if len(places) > 1:
        raise advice.refuse_ambiguous(search.view.document, places, search.edit)
    if not places:
        return None
    _check_count(search, places)
    return settle(search, "elided", wanted, places, ())


def _settle_alike(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...],
    repairs: tuple[str, ...],
) -> Located:
    """All places that are the old text but for whitespace, typography or a repair."""
    _check_count(search, places)
    _check_unmade(search, wanted, places)
    if any(a.end > b.start for a, b in pairwise(places)):
        raise advice.refuse_ambiguous(search.view.document, places, search.edit)
    similarity = min(place.similarity for place in places)
    sure = rate_confidence(tier, similarity, None, repairs)
    return Located(
        places=places,
        tier=tier,
        similarity=similarity,
        confidence=sure,
        runner_up=None,
        repairs=repairs,
    )


def _check_count(search: Search, places: tuple[Place, ...]) -> None:
    if search.edit.expected_count not in (None, len(places)):
        raise Ambiguous(
            search.edit.path,
            f"the old text is in {len(places)} places, not {search.edit.expected_count}",
            "Say how many places are to change, or quote more lines.",
        )


def _check_unmade(search: Search, wanted: EditLines, places: tuple[Place, ...]) -> None:
    """Raise AlreadyApplied or Ambiguous where the new text is around places already."""
    applied_at = [
        place for place in places if repetition.stands_literally(search.view, wanted, place)
    ]
    if len(applied_at) == len(places):
        raise advice.refuse_applied(search.view, applied_at[0], search.edit)
    if applied_at:
        raise advice.refuse_half_applied(search.view, applied_at, places, search.edit)


def _tell_left_over(view: FileLines, wanted: EditLines, places: Sequence[Place]) -> tuple[str, ...]:
    """A note on places that are the old text but for whitespace or typography, and so stay."""
    if wanted.old.split() == [wanted.old] and wanted.old.isascii():
        return ()
    for tier, how in ((whitespace, "blanks"), (unicode, "typography")):
        near = _apart_from(places, sorted(tier(view, wanted)))
        if near:
            lines = [str(view.document.line_at(p.start)) for p in near]
            shown = ", ".join([*lines[:MOST_SHOWN], *(["..."] if lines[MOST_SHOWN:] else [])])
            verb = "differs" if len(near) == 1 else "differ"
            return (f"{count_noun(len(near), 'place')} that {verb} in {how} stayed: line {shown}",)
    return ()


def _apart_from(places: Sequence[Place], others: Sequence[Place]) -> list[Place]:
    """Those of others that share no byte with any of some places; both are in order."""
    ends = [place.end for place in places]
    below = ((each, bisect_right(ends, each.start)) for each in others)
    return [each for each, at in below if at == len(ends) or places[at].start >= each.end]
