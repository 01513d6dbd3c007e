"""What a refused edit is told.

Nothing here is ever applied by itself: whether the file's lines are still the ones that were
meant to change is for the author of the edit to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import islice, pairwise

from hkgit.edits import Edit, decode_text
from hkgit.errors import AlreadyApplied, Ambiguous, Conflict, HkgitError, Near, NoMatch
from hkgit.matching.alignment import (
    Alignment,
    align,
    find_candidates,
    judge_alignment,
    measure_similarity,
)
from hkgit.matching.merge import Merge
from hkgit.matching.place import FULL, Place
from hkgit.matching.placeholder import is_elision
from hkgit.matching.quotation import Quotation, find_occurrences, indent_of, make_key
from hkgit.matching.strict import cuts_at
from hkgit.matching.words import find_head_word, find_tail_word
from hkgit.text.diff import LineChange
from hkgit.text.document import Document, Splice
from hkgit.values import replace

WORD = rb"[\w\x80-\xff]+"
LONG = 3  # A word of fewer letters says nothing as a part of another one
MOST_WORDS = 8
MOST_LINES = 50


def find_by_words(quote: Quotation, most: int) -> tuple[Place, ...]:
    """Find the places around the lines that are most like one of the old lines, `most` at most."""
    alike = {
        (row, near): measure_similarity(make_key(quote.old_lines[row]), make_key(quote.lines[near]))
        for row, near in dict.fromkeys(_pair_by_words(quote, most))
    }
    best = max(alike.values(), default=0)
    found = {near: row for row, near in [*alike][::-1] if 0 < best == alike[row, near]}
    return tuple(_around(quote, row, near) for near, row in sorted(found.items())[:most])


def _pair_by_words(quote: Quotation, most: int) -> Iterator[tuple[int, int]]:
    """Each old line and line of the file with one of the longest words in both, from 0."""
    words = sorted(set(re.findall(WORD, quote.old)), key=lambda word: (-len(word), word))
    for word in words[:MOST_WORDS] if quote.lines else ():
        rows = [row for row, line in enumerate(quote.old_lines) if word in line]
        for start in _find_word(quote.document.data, word):
            near = quote.document.line_at(start) - 1
            yield from ((row, near) for row in rows[:most])


def _find_word(data: bytes, word: bytes) -> list[int]:
    """Find where a word begins; a long one also as a part of another."""
    if len(word) >= LONG:
        return find_occurrences(data, word, MOST_LINES)
    found = re.finditer(rb"(?<![\w\x80-\xff])%s(?![\w\x80-\xff])" % word, data)
    return [match.start() for match in islice(found, MOST_LINES)]


def _around(quote: Quotation, row: int, near: int) -> Place:
    """The candidate in which old line `row` is line `near` of the file, both counted from 0."""
    lines, old = quote.keys, quote.old_keys
    first = max(near - row, 0)
    above = align(old[:row], lines[first:near], first)
    below = align(old[row + 1 :], lines[near + 1 : near + len(old) - row], near + 1)
    return judge_alignment(Alignment(quote, (*above, near, *below)))


MOST = 4000
"""So many bytes a corrected edit may have: one that is larger costs more than to read again."""

FARTHEST = 8  # So many lines above or below a place are quoted at most to tell it from others
LARGE = 4 * 2**20  # In a file of so many bytes nobody looks for what tells equal places apart
CLEAR = 6  # By so much weight a place must agree better than any other


PART = rb"[\w\x80-\xff]+|\S"

LIKELY = 800  # From this similarity on, per mille, the best place may be the one that is meant
SURE = 970  # and from this one on surely is, though it has another name


def correct_edit(quote: Quotation, found: Sequence[Place]) -> Edit | None:
    """Rewrite an edit so that it quotes the one place that is near; None where that is unclear.

    What the author changed within a line is changed in the file's line. None too where the new
    text would still have a word of the misquotation.
    """
    edit = quote.edit
    if edit.replace_all or edit.expected_count not in (None, 1):
        return None
    if not found or found[0].similarity < LIKELY or not _stands_out(found):
        return None
    if any(is_elision(line.strip()) for line in quote.old_lines):
        # What they left out was not meant to go.
        return None
    place = found[0]
    is_cut = any(_is_cut_short(quote, place, row) for row in quote.removed)
    if is_cut or _is_headed_otherwise(quote, place):
        return None
    try:
        splices = _Proposal(quote, place.targets).splices()
    except Conflict:
        return None
    here = quote.document.data[place.start : place.end]
    misquoted = _find_words(b"\n".join(quote.old_lines)) - _find_words(here)
    if any(misquoted & _find_words(splice.new) for splice in splices):
        return None
    old, new = _sides(quote.document, place, splices)
    if old == new or len(old) + len(new) > MOST or not _is_once(quote.document, old):
        return None
    old_text, new_text = (decode_text(text.replace(b"\r\n", b"\n")) for text in (old, new))
    return replace(edit, old_text=old_text, new_text=new_text, expected_hash=None, line_hint=None)


def _is_headed_otherwise(quote: Quotation, found: Place) -> bool:
    """Whether a line that opens a block is not the file's, so that the block may be another one.

    Where all else is surely the same, it is this block by another name.
    """
    rows = [row for row, line in enumerate(quote.old_lines) if line.strip()]
    depths = [len(indent_of(quote.old_lines[row])) for row in rows]
    opening = [row for row, (a, b) in zip(rows, pairwise(depths), strict=False) if a < b]
    targets = [found.targets[row] for row in opening]
    if None in targets:
        return True
    here = [quote.keys[target] for target in targets if target is not None]
    return here != [quote.old_keys[row] for row in opening] and found.similarity < SURE


def _is_cut_short(quote: Quotation, found: Place, row: int) -> bool:
    """Whether an old line is a part of the file's whose rest no new line has: it would be lost."""
    target = found.targets[row]
    old, here = quote.old_lines[row].strip(), b"" if target is None else quote.lines[target].strip()
    added = [quote.new_lines[i].strip() for i in quote.added]
    if not old or old == here or not added:
        return False
    behind, before = here.removeprefix(old).strip(), here.removesuffix(old).strip()
    if here.startswith(old):
        return not any(line.endswith(behind) for line in added)
    return here.endswith(old) and not any(line.startswith(before) for line in added)


def _find_words(text: bytes) -> set[bytes]:
    return set(re.findall(WORD, text))


def _sides(document: Document, place: Place, splices: Sequence[Splice]) -> tuple[bytes, bytes]:
    """What the file says at a place and where it changes, and the same with the changes made."""
    start = min([place.start, *(splice.start for splice in splices)])
    end = max([place.end, *(splice.end for splice in splices)])
    old, new = document.data[start:end], b""
    for splice in sorted(splices, key=lambda splice: splice.start):
        new += document.data[start : splice.start] + splice.new
        start = splice.end
    return old, new + document.data[start:end]


class _Proposal(Merge):
    """The author's changes where they probably belong, for the author to confirm."""

    def splices(self) -> list[Splice]:
        return [
            self._splice(change, lines if self._is_known(change) else None)
            for change, lines in zip(self.quote.changes, self.landings, strict=True)
        ]

    def _is_known(self, change: LineChange) -> bool:
        """Whether each line that a change replaces has its counterpart, and no other is between."""
        rows = range(change.old_start, change.old_end)
        placed = [self.targets[i] for i in rows if self.quote.old_lines[i].strip()]
        return None not in placed and not self.list_unknown(change.old_start, change.old_end)

    def _edit_line(self, row: int, theirs: bytes, number: int) -> bytes:
        """The file's line with the author's change, unless the author wrote that whole.

        Raises Conflict where a part of the change would then be there twice.
        """
        lines = self.quote.old_lines[row], self._spelt[row], theirs
        base, ours, author = (Counter(re.findall(PART, line)) for line in lines)
        if ours - base and ours - base <= author - base:
            return self._write_line(theirs, number)
        merged = super()._edit_line(row, theirs, number)
        if not Counter(re.findall(WORD, merged)) <= ours | author:
            raise self._refuse_unplaced(self.quote.changes[0])
        return merged


def _stands_out(found: Sequence[Place]) -> bool:
    """Whether no other candidate is nearly as good as the first."""
    return len(found) == 1 or found[0].agreement - found[1].agreement >= CLEAR


def _is_once(document: Document, text: bytes) -> bool:
    """Whether a text of the document is nowhere else in it, not even overlapping itself."""
    return document.data.find(text) == document.data.rfind(text)


def tell_apart(document: Document, spans: Sequence[tuple[int, int]]) -> tuple[Near, ...]:
    """Widen places of equal text by the fewest lines that make each of them unique."""
    steps = range(FARTHEST + 1 if len(document.data) < LARGE else 0)
    # Lines above alone, below alone, both.
    for above, below in dict.fromkeys(lines for n in steps for lines in ((n, 0), (0, n), (n, n))):
        wider = [
            (max(first - above, 1), min(last + below, document.line_count)) for first, last in spans
        ]
        texts = [document.data[slice(*document.span(*lines))] for lines in wider]
        if all(_is_once(document, text) for text in texts):
            return tuple(Near(*lines) for lines in wider)
    return tuple(Near(*lines) for lines in spans)


SHOWN = 3  # So many places are described; of more only the lines are named
LINES_SHOWN = 10

SMALL = 1500  # A file of at most so many bytes is shown whole, which costs less than another call
LONGEST = 120


def refuse_no_match(quote: Quotation) -> NoMatch:
    """Build the error for an old text that is nowhere: what comes nearest, and what differs."""
    found = find_candidates(quote)[:SHOWN] or find_by_words(quote, SHOWN)
    best = {quote.document.lines_of(each.start, each.end): each for each in reversed(found)}
    near = tuple(Near(*lines, each.similarity) for lines, each in reversed(best.items()))
    if found:
        nearest = "; ".join(
            f"{_lines(each.start_line, each.end_line)}, {_percent(each.similarity or 0)} alike"
            for each in near
        )
        fix = f"Nearest: {nearest}. {_difference(quote, found[0])}"
    else:
        fix = "No similar line was found."
        if quote.lines and len(quote.document.data) <= SMALL:
            near = (Near(1, len(quote.lines)),)
    what = "the old text is not in the file"
    if near and near[0].similarity == FULL:
        what += " as it is quoted"
    if quote.old in quote.document.data:
        what += ", except inside longer words or lines"
    todo = "Quote the file as it is." if near else "Read the file again and quote it as it is."
    error = NoMatch(quote.edit.path, what, f"{fix} {todo}", *near)
    error.corrected = correct_edit(quote, found)
    return error


def refuse_inside_word(quote: Quotation, place: Place) -> NoMatch:
    """Build the error for an old text that occurs once, as a part of a longer word."""
    data = quote.document.data
    first, last = quote.document.lines_of(place.start, place.end)
    at = place.start if cuts_at(data, place.start) else place.end
    line = data.rfind(b"\n", 0, at) + 1
    word = find_tail_word(data[line:at]) + find_head_word(data[at : data.find(b"\n", at)])
    return NoMatch(
        f"{quote.edit.path}:{first}",
        f"the old text is only inside a longer word, {_quote(word)}",
        "Quote the whole word, or the whole line; or replace all occurrences, which also changes "
        "parts of words.",
        Near(first, last),
    )


def refuse_applied(quote: Quotation, place: Place) -> AlreadyApplied:
    """Build the error for a new text that is in the file."""
    first, last = quote.document.lines_of(place.start, place.end)
    return AlreadyApplied(
        f"{quote.edit.path}:{first}",
        f"the new text is already at {_lines(first, last)}",
        "Leave the edit out; or, if it is another place that you mean, quote more of it.",
    )


def refuse_half_applied(
    quote: Quotation, done: Sequence[Place], places: Sequence[Place]
) -> Ambiguous:
    """Build the error for an edit of all places of which some have the new text around them."""
    return Ambiguous(
        quote.edit.path,
        f"the new text is already around {len(done)} of {len(places)} places of the old one, at"
        f" lines {list_starts(quote, done)}",
        "Edit the others one by one, each with a line of context.",
    )


def refuse_ambiguous(quote: Quotation, places: Sequence[Place]) -> Ambiguous:
    """Build the error for several places that are as good, or nearly so."""
    spans = sorted(quote.document.lines_of(place.start, place.end) for place in places)
    is_equal = len({(place.agreement, place.similarity) for place in places}) == 1
    shares = ", ".join(_percent(place.similarity) for place in places[:SHOWN])
    why = "" if is_equal else f" ({shares} alike), too similar to choose"
    return Ambiguous(
        quote.edit.path,
        f"the old text matches {len(places)} places, at lines {list_starts(quote, places)}{why}",
        "Quote more lines above or below, so that the edit names one place.",
        *tell_apart(quote.document, spans[:SHOWN]),
    )


def list_starts(quote: Quotation, places: Sequence[Place], most: int = LINES_SHOWN) -> str:
    """Name the lines at which places begin, the first of them where they are many."""
    lines = sorted(quote.document.line_at(place.start) for place in places)
    return ", ".join([*map(str, lines[:most]), *["..."] * (len(lines) > most)])


def refuse_conflict(quote: Quotation, place: Place, runner_up: Place | None) -> HkgitError:
    """Build the error for a place where a line to be removed differs.

    It is NoMatch where the place may be another one.
    """
    found = [place]
    # One that overlaps is in part the same place.
    if runner_up is not None and (runner_up.end <= place.start or place.end <= runner_up.start):
        found.append(runner_up)
    if _is_headed_otherwise(quote, place) or not _stands_out(found):
        return refuse_no_match(quote)
    first, last = quote.document.lines_of(place.start, place.end)
    differs = _difference(quote, place, quote.bound) or _difference(quote, place)
    error = Conflict(
        f"{quote.edit.path}:{first}",
        "the place is there, but lines that the edit changes differ",
        f"{differs} Write the edit against what is there now.",
        Near(first, last, place.similarity),
    )
    error.corrected = correct_edit(quote, [place])
    return error


def _difference(quote: Quotation, candidate: Place, rows: Set[int] | None = None) -> str:
    """The first old line, of all or of some rows, that is otherwise in the file or nowhere."""
    for row, target in enumerate(candidate.targets):
        old = quote.old_lines[row]
        if not old.strip() or (rows is not None and row not in rows):
            continue
        here = target if target is not None else _instead(quote, candidate, row)
        if here is None:
            return f"Not there: {_quote(old)}."
        if make_key(quote.lines[here]) != make_key(old):
            return f"{_show_line(quote, here)}, the edit {_quote(old)}."
    unknown = Alignment(quote, candidate.targets).list_unknown()
    return f"{_show_line(quote, unknown[0])}, which the edit does not have." if unknown else ""


def _show_line(quote: Quotation, row: int) -> str:
    """What a line of the file, counted from 0, says."""
    return f"Line {row + 1} says {_quote(quote.lines[row])}"


def _instead(quote: Quotation, candidate: Place, row: int) -> int | None:
    """The line that the file has where it has not an old one, if the author does not know it."""
    targets = candidate.targets
    above = [target for target in targets[:row] if target is not None]
    after = above[-1] + 1 if above else None
    if after is None or after in targets or after >= len(quote.lines):
        return None
    return after if quote.lines[after].strip() else None


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _percent(similarity: int) -> str:
    return f"{similarity // 10} %"


def _quote(line: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")
