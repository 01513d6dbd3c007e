"""hints.py: add to refusals what an agent needs to succeed at the next try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Ambiguous, Conflict, Near, NoMatch
from hkgit.matching.lines import EditLines, FileLines, make_key
from hkgit.matching.places import FULL, Place
from hkgit.matching.refusals.correcting import correct_edit, tell_apart
from hkgit.matching.refusals.shared_words import find_by_words
from hkgit.matching.search.candidates import find_candidates
from hkgit.matching.tiers.exact import cuts_at
from hkgit.matching.tiers.words import find_head_word, find_tail_word
from hkgit.text.document import Document

SHOWN = 3
"""So many places are described; of more only the lines are named."""

LINES_SHOWN = 10

SMALL = 1500
"""A file of at most so many bytes is shown whole, which costs less than another call."""

LONGEST = 120


def refuse_no_match(view: FileLines, wanted: EditLines, edit: Edit) -> NoMatch:
    """Build the error for an old text that is nowhere: what comes nearest, and what differs."""
    found = find_candidates(view, wanted)[:SHOWN] or find_by_words(view, wanted, SHOWN)
    near = tuple(_near(view, each) for each in found)
    if found:
        nearest = "; ".join(_describe(view, each) for each in near)
        fix = f"Nearest: {nearest}. {_difference(view, wanted, found[0])}"
    else:
        fix = "No similar line was found."
        if view.lines and len(view.document.data) <= SMALL:
            near = (Near(1, len(view.lines)),)
    where, what = edit.path, "the old text is not in the file"
    if near and near[0].similarity == FULL:
        what = "the old text does not stand in the file as it is quoted"
    if wanted.old in view.document.data:
        what += ", except inside longer words or lines"
    todo = "Quote the file as it is." if near else "Read the file again and quote it as it is."
    error = NoMatch(where, what, f"{fix} {todo}")
    error.near, error.corrected = near, correct_edit(view, wanted, found, edit)
    return error


def refuse_inside_word(view: FileLines, place: Place, edit: Edit) -> NoMatch:
    """Build the error for an old text that stands once, as a part of a longer word."""
    document = view.document
    first, last = document.lines_of(place.start, place.end)
    word = _word_around(document.data, place)
    error = NoMatch(
        f"{edit.path}:{document.number_in_file(first)}",
        f"the old text stands only inside a longer word, {_quote(word)}",
        "Quote the whole word, or the whole line; or replace all occurrences, which also changes "
        "parts of words.",
    )
    error.near = (Near(first, last),)
    return error


def _word_around(data: bytes, place: Place) -> bytes:
    """The first word that an end of a place cuts in two."""
    at = place.start if cuts_at(data, place.start) else place.end
    line = data.rfind(b"\n", 0, at) + 1
    return find_tail_word(data[line:at]) + find_head_word(data[at : data.find(b"\n", at)])


def refuse_applied(view: FileLines, place: Place, edit: Edit) -> AlreadyApplied:
    """Build the error for a new text that stands in the file."""
    first, last = view.document.lines_of(place.start, place.end)
    return AlreadyApplied(
        f"{edit.path}:{view.document.number_in_file(first)}",
        f"the new text stands at {_lines(view.document, first, last)} already",
        "Leave the edit out; or, if it is another place that you mean, quote more of it.",
    )


def refuse_half_applied(
    view: FileLines, done: Sequence[Place], places: Sequence[Place], edit: Edit
) -> Ambiguous:
    """Build the error for an edit of all places of which some have the new text around them."""
    starts = [view.document.line_at(place.start) for place in done[:LINES_SHOWN]]
    lines = ", ".join(str(view.document.number_in_file(start)) for start in starts)
    more = ", ..." if len(done) > LINES_SHOWN else ""
    return Ambiguous(
        edit.path,
        f"the new text stands around {len(done)} of {len(places)} places of the old one already, "
        f"at lines {lines}{more}",
        "Edit the others one by one, each with a line of context.",
    )


def refuse_ambiguous(document: Document, places: Sequence[Place], edit: Edit) -> Ambiguous:
    """Build the error for several places that are as good, or nearly so."""
    spans = sorted(document.lines_of(place.start, place.end) for place in places)
    numbers = ", ".join(str(document.number_in_file(first)) for first, _ in spans[:LINES_SHOWN])
    more = ", ..." if len(spans) > LINES_SHOWN else ""
    is_equal = len({(place.agreement, place.similarity) for place in places}) == 1
    shares = ", ".join(_percent(place.similarity) for place in places[:SHOWN])
    why = "" if is_equal else f" ({shares} alike), too nearly the same to choose"
    line = _distinction(document, spans)
    error = Ambiguous(
        edit.path,
        f"the old text fits {len(places)} places, at lines {numbers}{more}{why}",
        f"Quote more lines above or below, so that the edit names one place.{line}",
    )
    error.near = tell_apart(document, spans[:SHOWN])
    return error


def refuse_conflict(view: FileLines, wanted: EditLines, place: Place, edit: Edit) -> Conflict:
    """Build the error for a place where a line to be removed differs."""
    first, _ = view.document.lines_of(place.start, place.end)
    differs = _difference(view, wanted, place, wanted.bound) or _difference(view, wanted, place)
    error = Conflict(
        f"{edit.path}:{view.document.number_in_file(first)}",
        "the place is there, but not as the edit has it, in lines that it changes",
        f"{differs} Write the edit against what the place says now.",
    )
    error.near, error.corrected = (_near(view, place),), correct_edit(view, wanted, [place], edit)
    return error


def _near(view: FileLines, place: Place) -> Near:
    return Near(*view.document.lines_of(place.start, place.end), place.similarity)


def _describe(view: FileLines, near: Near) -> str:
    lines = _lines(view.document, near.start_line, near.end_line)
    return f"{lines}, {_percent(near.similarity or 0)} alike"


def _difference(
    view: FileLines, wanted: EditLines, candidate: Place, rows: Set[int] | None = None
) -> str:
    """The first old line, of all or of some rows, that stands otherwise in the file or nowhere."""
    for row, target in enumerate(candidate.targets):
        old = wanted.old_lines[row]
        if not old.strip() or (rows is not None and row not in rows):
            continue
        here = target if target is not None else _instead(view, candidate, row)
        if here is None:
            return f"Not there: {_quote(old)}."
        if make_key(view.lines[here]) != make_key(old):
            return f"{_show_line(view, here)}, the edit {_quote(old)}."
    unknown = next(_unknown(view, candidate), None)
    if unknown is None:
        return ""
    return f"{_show_line(view, unknown)}, which the edit has not."


def _show_line(view: FileLines, row: int) -> str:
    """What a line of the file, counted from 0, says."""
    return f"Line {view.document.number_in_file(row + 1)} says {_quote(view.lines[row])}"


def _instead(view: FileLines, candidate: Place, row: int) -> int | None:
    """The line that the file has where it has not an old one, if the author does not know it."""
    above = [target for target in candidate.targets[:row] if target is not None]
    after = above[-1] + 1 if above else None
    if after is None or after in candidate.targets or after >= len(view.lines):
        return None
    return after if view.lines[after].strip() else None


def _unknown(view: FileLines, candidate: Place) -> Iterator[int]:
    """The lines between those that the author knew."""
    known = {target for target in candidate.targets if target is not None}
    first, last = view.document.lines_of(candidate.start, candidate.end)
    return (n for n in range(first - 1, last) if n not in known and view.lines[n].strip())


def _distinction(document: Document, spans: Sequence[tuple[int, int]]) -> str:
    """The line right above the places, where it is another one at each of them."""
    above = [document.lines[first - 2].strip() if first > 1 else b"" for first, _ in spans]
    if len(spans) > SHOWN or len(set(above)) < len(spans) or not all(above):
        return ""
    named = zip(spans, above, strict=True)
    shown = "; ".join(
        f"{document.number_in_file(first)}: {_quote(line)}" for (first, _), line in named
    )
    return f" The lines right above them: {shown}."


def _lines(document: Document, first: int, last: int) -> str:
    first, last = document.number_in_file(first), document.number_in_file(last)
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _percent(similarity: int) -> str:
    return f"{similarity // 10} %"


def _quote(line: bytes) -> str:
    text = line.strip().decode("utf-8", "replace")
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")
