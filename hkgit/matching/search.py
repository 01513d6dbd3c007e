"""The places that an edit may mean, and the choice among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hkgit.edits import END_OF_FILE, encode_text
from hkgit.errors import HkgitError, Stale
from hkgit.matching import guards, repetition
from hkgit.matching.place import Located, Place, rate_confidence
from hkgit.matching.quotation import Quotation, find_end_of_block
from hkgit.matching.strict import find_pieces
from hkgit.values import dataclass, replace

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
    """A reading of an edit, and the evidence that ties it to a place in the file.

    `holds` is that an expected hash does, `vouches` says what evidence covers a place; both break
    ties between equally good places, and are never used otherwise.
    """

    quote: Quotation
    threshold: int
    holds: Holds | None
    vouches: Vouches

    def list_variants(self) -> list[Search]:
        """List readings of the edit with repairs, where there is something to repair."""
        from hkgit.matching.repairs import READINGS

        document, edit = self.quote.document, self.quote.edit
        literal = Quotation.of(document, edit)
        found = dict.fromkeys(Quotation.of(document, edit, repairs) for repairs in READINGS)
        return [replace(self, quote=each) for each in found if each != literal and each.old]

    def owns(self, place: Place) -> bool:
        """Whether evidence is that of a place, and not of much more that was read with it."""
        first, last = self.quote.document.lines_of(place.start, place.end)
        return 0 < self.vouches(place) <= last - first + 1 + 2 * SLACK

    def break_ties(self, places: Sequence[Place]) -> list[Place]:
        """Choose among places that are as good: by the expected hash, then by heading and hint.

        Returns what is left; several where nothing decides, or these two choose different ones.
        """
        if self.holds is not None:
            places = [place for place in places if self.holds(place)] or places
        hint = self.quote.edit.line_hint
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
        if not self.quote.edit.heading:
            return []
        document, heading = self.quote.document, encode_text(self.quote.edit.heading)
        end = b"" if len(self.quote.edit.heading) >= CUT else rb"(?![\w\x80-\xff])"
        words = re.compile(rb"\s*" + re.escape(heading) + end)
        rows = [row for row, line in enumerate(document.lines, 1) if words.match(line)]
        spans = [document.span(row + 1, find_end_of_block(document, row)) for row in rows]
        return [p for p in places if any(start <= p.start < end for start, end in spans)]

    def _apply_hint(self, places: list[Place], hint: int) -> list[Place]:
        """The one of some places in order that a line hint means, or all where it means none."""
        if hint == END_OF_FILE:
            is_last = not self.quote.document.data[places[-1].end :].strip()
            return places[-1:] if is_last else places
        if hint < 1:
            return places[:1]
        away = sorted((abs(self.quote.document.line_at(p.start) - hint), p) for p in places)
        least, other = away[0][0], away[1][0]
        # The further off a hint is, the less it says: the next place has to be out of its reach.
        reach = NEAR_HINT if self.quote.edit.old_text.strip() else 0
        is_clear = least <= reach and other > max(3 * least * least, 1)
        return [away[0][1]] if is_clear else places

    def refuse(self, places: Sequence[Place]) -> HkgitError:
        """Build the error for several places: Ambiguous, or Stale if all have another hash."""
        from hkgit.matching import advice  # most edits have one place

        if len({(place.start, place.end) for place in places}) == 1:
            return advice.refuse_no_match(self.quote)  # one place, in which a line may go to two
        error = advice.refuse_ambiguous(self.quote, places)
        expected = self.quote.edit.expected_hash
        if expected is None or self.holds is None or any(map(self.holds, places)):
            return error
        what = f"expected hash {expected[:12]} matches none of {len(places)} places"
        what = f"{what}, and {error.what}"
        return Stale(self.quote.edit.path, what, "Read the file again.", *error.near)


def settle(search: Search, tier: str, places: Sequence[Place]) -> Located:
    """Choose the place that is meant, and rate it.

    Raises Ambiguous where nothing tells several apart, AlreadyApplied where the change is
    there, Conflict where lines that it changes are misquoted.
    """
    quote, repairs = search.quote, search.quote.repairs
    place, runner_up = decide(search, places)
    if not place.is_fit:
        if not _is_slip(search, place, runner_up):
            from hkgit.matching import advice

            raise advice.refuse_conflict(quote, place, runner_up)
        repairs = (*repairs, "misquoted")
    pieces = find_pieces(quote) if tier == "elided" else [(quote, place)]
    if any(repetition.stands_over(*piece) for piece in pieces):
        from hkgit.matching import advice

        raise advice.refuse_applied(quote, place)
    second = None if runner_up is None else runner_up.similarity
    return Located(
        quote=quote,
        places=(place,),
        tier=tier,
        similarity=place.similarity,
        confidence=rate_confidence(tier, place.similarity, second, repairs),
        runner_up=second,
        repairs=repairs,
        notes=guards.find_doubled_lines(quote, place),
    )


def _is_slip(search: Search, place: Place, runner_up: Place | None) -> bool:
    """Whether evidence shows that the author saw this very place, and only misquotes it."""
    if place.similarity < search.threshold or not search.vouches(place):
        return False
    if runner_up is not None and place.agreement - runner_up.agreement < MARGIN:
        holds = search.holds
        if holds is None or not holds(place) or holds(runner_up):
            return False
    from hkgit.matching.alignment import Alignment, is_slip  # the strict tiers find fits alone

    return bool(place.targets) and is_slip(Alignment(search.quote, place.targets))


def decide(search: Search, places: Sequence[Place]) -> tuple[Place, Place | None]:
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
