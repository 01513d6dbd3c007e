"""text_edits.py: place edits that quote the text they replace, then transfer the new text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hkgit.applying.context import EditContext, change_diff
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import Evidence, find_holding_hash, find_holding_read, is_empty
from hkgit.applying.files.workspace import FileState, check_text
from hkgit.applying.operations.anchors import find_below_anchors
from hkgit.applying.operations.line_ends import settle_end
from hkgit.applying.outcome import APPLIED, EditOutcome
from hkgit.edits import END_OF_FILE, Edit, decode_text
from hkgit.errors import Ambiguous, Conflict, HkgitError, Near, NoMatch, Stale
from hkgit.matching.confidence import MISQUOTED
from hkgit.matching.decide import Vouches
from hkgit.matching.ladder import locate
from hkgit.matching.lines import find_end_of_block
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.transfers.transfer import transfer
from hkgit.text.document import Document, Splice
from hkgit.values import replace

FOUND = 500
"""So alike, per mille, the quotation and the lines have to be that its hash has found."""

Landing = tuple[Located, tuple[Splice, ...], tuple[Lines, ...], Evidence]
"""Where an edit lands, what changes there, the base lines that it touches, and its evidence."""


def change_text(
    context: EditContext, edit: Edit, settings: Settings
) -> tuple[FileState, EditOutcome]:
    """Replace quoted text. Raises what `ladder.locate` and `transfer.transfer` raise, and Stale."""
    check_text(edit.path, context.state)
    located, splices, base_lines, evidence = _find_landing(context, edit, settings)
    final_newline = edit.final_newline
    if located.tier == "exact" and final_newline is None:
        ended = context.state.is_terminated
        splices, final_newline = settle_end(context.document, splices, is_terminated=ended)
    state = context.splice(splices)
    if final_newline is not None:
        state = replace(state, is_terminated=final_newline)
    diff = change_diff(context, splices, final_newline)
    outcome = EditOutcome(
        number=context.number,
        path=edit.path,
        status=APPLIED,
        tier=located.tier,
        similarity_permille=located.similarity,
        confidence_permille=located.confidence,
        runner_up_permille=located.runner_up,
        repairs=located.repairs,
        evidence=evidence,
        lines=tuple(context.present_lines(place.start, place.end) for place in located.places),
        base_lines=base_lines,
        matched_text=_text_at(context.document, located.places[0], edit),
        diff=diff,
        notes=located.notes,
        respelled=() if located.tier == "exact" else tuple(_find_respellings(edit, diff)),
    )
    return state, outcome


def _find_landing(context: EditContext, edit: Edit, settings: Settings) -> Landing:
    """Find where an edit lands; where its text alone does not tell, by its hash."""
    try:
        return _settle(context, edit, *_locate_edit(context, edit, settings))
    except (NoMatch, Ambiguous, Conflict, Stale) as error:
        found = None if settings.threshold == FULL else _at_hash(context, edit)
        if found is None or (isinstance(error, Stale) and _is_apart(context, found[0], error)):
            raise
        return _settle(context, edit, *found)


def _is_apart(context: EditContext, found: Located, error: Stale) -> bool:
    """Whether the lines of a hash are none of those where the old text stands."""
    place = found.places[0]
    first, last = context.touched_base_lines(place.start, place.end)
    return all(near.end_line < first or last < near.start_line for near in error.near)


def _settle(
    context: EditContext, edit: Edit, located: Located, splices: tuple[Splice, ...]
) -> Landing:
    """Find the base lines that an edit touches, and its evidence. Raises Stale."""
    base_lines = tuple(context.touched_base_lines(p.start, p.end) for p in located.places)
    writers = tuple(n for p in located.places for n in context.writers(p.start, p.end))
    evidence = context.settle_evidence(base_lines, edit.expected_hash, writers)
    is_read = not all(map(is_empty, base_lines))
    if evidence.kind == "none" and is_read and _is_quote(context.document, located):
        evidence = Evidence("quote")
    return located, splices, base_lines, evidence


def _at_hash(context: EditContext, edit: Edit) -> tuple[Located, tuple[Splice, ...]] | None:
    """Where the edit lands among the lines that its hash finds; None where it does not."""
    if edit.expected_hash is None or edit.anchors or edit.replace_all:
        return None
    # Few edits need it.
    from hkgit.applying.hash_places import find_lines_of_hash

    lines = find_lines_of_hash(context, edit)
    if lines is None:
        return None
    start, end = context.document.span(*lines)
    seen = Document(context.document.data[start:end], lines[0] - 1)
    try:
        located, splices = _carry_located(seen, edit, Settings(FOUND), None, lambda _: 1)
    except HkgitError:
        return None
    moved = tuple(Splice(s.start + start, s.end + start, s.new) for s in splices)
    confidence = min(located.confidence, MISQUOTED)
    return replace(located, places=(Place(start, end),), confidence=confidence), moved


def _find_respellings(edit: Edit, diff: str) -> Iterator[str]:
    """Tell in which blanks the lines that were written differ from those of the new text."""
    body = diff.split("\n@@ ", 1)[-1].split("\n")
    added = [line[1:] for line in body if line.startswith("+")]
    known = {*edit.old_text.split("\n"), *added}
    changed = [line for line in edit.new_text.split("\n") if line.strip() and line not in known]
    ends = {line.strip() for line in added}
    if any(line.strip() in ends for line in changed):
        yield "re-indented"
    words = {"".join(line.split()) for line in added}
    if any(line.strip() not in ends and "".join(line.split()) in words for line in changed):
        yield "re-spaced"


def _locate_edit(
    context: EditContext, edit: Edit, settings: Settings
) -> tuple[Located, tuple[Splice, ...]]:
    """Where the edit lands and what changes there, in bytes of the context's document."""
    if edit.final_newline is not None and edit.old_text == edit.new_text:
        # Only the end of the last line changes; the place is wanted all the same.
        located, _ = _locate_edit(context, replace(edit, new_text="", final_newline=None), settings)
        return located, ()
    if not edit.anchors:
        return _carry_located(
            context.document, edit, settings, _holds(context, edit, 0), _vouches(context, edit, 0)
        )
    shift, is_sure = find_below_anchors(context.document, edit)
    above = context.document.line_at(shift) - 1
    below = Document(context.document.data[shift:], above)
    plain = replace(edit, anchors=(), line_hint=_below(edit.line_hint, above))
    if is_sure and edit.line_hint is None:
        plain = replace(plain, line_hint=_nearest(context.document, shift, plain, settings))
    try:
        located, splices = _carry_located(
            below, plain, settings, _holds(context, edit, shift), _vouches(context, edit, shift)
        )
    except HkgitError as error:
        _move_down(error, above, edit.anchors)
        raise
    places = tuple(replace(p, start=p.start + shift, end=p.end + shift) for p in located.places)
    moved = tuple(Splice(s.start + shift, s.end + shift, s.new) for s in splices)
    return replace(located, places=places), moved


def _below(hint: int | None, above: int) -> int | None:
    """A line hint below so many lines; None for one that is not there."""
    if hint is None or hint == END_OF_FILE:
        return hint
    return hint - above if hint > above else None


def _nearest(document: Document, start: int, edit: Edit, settings: Settings) -> int | None:
    """The line hint that chooses what stands below an anchor.

    That is the only place in the block which the anchor opens, else one near by; or none of many.
    """
    block = Document(document.data[start : find_end_of_block(document, start)])
    try:
        locate(block, edit, settings)
    except Ambiguous:
        return None
    except HkgitError:
        return 1
    return 0


def _carry_located(
    document: Document,
    edit: Edit,
    settings: Settings,
    holds: Callable[[Place], bool] | None,
    vouches: Vouches,
) -> tuple[Located, tuple[Splice, ...]]:
    located = locate(document, edit, settings, holds, vouches)
    try:
        return located, transfer(document, edit, located)
    except Conflict as error:
        error.near = tuple(Near(*document.lines_of(p.start, p.end)) for p in located.places)
        raise


def _move_down(error: HkgitError, lines: int, anchors: tuple[str, ...]) -> None:
    """Let a refusal below some anchors speak of the whole file."""
    error.near = tuple(
        replace(near, start_line=near.start_line + lines, end_line=near.end_line + lines)
        for near in error.near
    )
    if isinstance(error.corrected, Edit):
        error.corrected = replace(error.corrected, anchors=anchors)


def _vouches(context: EditContext, edit: Edit, shift: int) -> Vouches:
    """Of how many lines the hash or receipt is that covers a place and holds there.

    Then the author saw these lines; of several the narrowest counts.
    """
    expected = edit.expected_hash

    def vouches(place: Place) -> int:
        start, end = place.start + shift, place.end + shift
        touched = [context.touched_base_lines(start, end)]
        if context.writers(start, end):
            return 0
        if expected is not None:
            found = [find_holding_hash(context.base, touched, expected)]
        else:
            found = [find_holding_read(context.base, touched, [read]) for read in context.reads]
        seen = [each.lines or touched[0] for each in found if each is not None]
        return min((last - first + 1 for first, last in seen), default=0)

    return vouches


def _holds(context: EditContext, edit: Edit, shift: int) -> Callable[[Place], bool] | None:
    """Whether an expected hash, the edit's own or else any other, holds at a place; None without.

    A receipt expects nothing: more was read than is meant.
    """
    expected = edit.expected_hash
    reads = [read for read in context.reads if read.kind == "hash"]
    if expected is None and not reads:
        return None

    def holds(place: Place) -> bool:
        touched = [context.touched_base_lines(place.start + shift, place.end + shift)]
        if expected is not None:
            return find_holding_hash(context.base, touched, expected) is not None
        return find_holding_read(context.base, touched, reads) is not None

    return holds


def _text_at(document: Document, place: Place, edit: Edit) -> str:
    """The text at the place; without its last line end where the old text has none."""
    text = decode_text(document.data[place.start : place.end])
    return text if edit.old_text.endswith("\n") else text.removesuffix("\n").removesuffix("\r")


def _is_quote(document: Document, located: Located) -> bool:
    """Whether the old text stands there byte for byte in whole lines, once."""
    place = located.places[0]
    text = document.data[place.start : place.end]
    rest = document.data[place.end : place.end + 2]
    ends_line = text.endswith(b"\n") or rest.startswith((b"\n", b"\r\n"))
    begins_line = document.offsets[document.line_at(place.start) - 1] == place.start
    is_once = document.data.find(text, document.data.find(text) + 1) < 0
    return located.tier == "exact" and not located.repairs and begins_line and ends_line and is_once
