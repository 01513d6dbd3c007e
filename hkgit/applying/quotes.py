"""Edits that quote the text they change.

A hash or a receipt that covers a place and holds there shows that the author saw these very lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hkgit.applying.context import EditContext, change_diff
from hkgit.applying.evidence import Evidence, find_holding_hash, find_holding_read, is_empty
from hkgit.applying.outcome import APPLIED, EditOutcome
from hkgit.applying.workspace import FileState, check_text
from hkgit.edits import END_OF_FILE, Edit, Read, decode_text, encode_text
from hkgit.errors import Ambiguous, Conflict, HkgitError, Near, NoMatch
from hkgit.matching.ladder import locate
from hkgit.matching.place import Located, Place
from hkgit.matching.quotation import find_end_of_block, indent_of
from hkgit.matching.search import Holds, Vouches
from hkgit.matching.strict import is_whole
from hkgit.matching.transfer import transfer
from hkgit.matching.words import fold
from hkgit.text.document import BOM, Document, Lines, Splice
from hkgit.values import replace


def _find_anchor(document: Document, edit: Edit) -> tuple[int, bool]:
    """Find the line of the last anchor, and whether each of them named one line only.

    Anchors are compared without the whitespace around them; each is looked for in the block that
    the line of the one before opens, else anywhere below. Where no line is an anchor, the one that
    begins with its words is meant. Raises NoMatch when an anchor is nowhere.
    """
    texts = [line.strip() for line in document.lines]
    line, is_sure = 0, True
    for anchor in edit.anchors:
        block = find_end_of_block(document, line) if line else 0
        found = _find_anchor_lines(texts[:block], line, anchor) if block > line else []
        if not found:
            every = _find_anchor_lines(texts, line, anchor)
            found = [row for row in every if not (line and _is_outside(document, line, row))]
        if not found:
            where = f"below line {line}" if line else "in the file"
            what = f"the anchor {anchor.strip()!r} is nowhere {where}"
            fix = "Quote the whole line above the hunk, or leave it out."
            raise NoMatch(edit.path, what, fix)
        line, is_sure = found[0], is_sure and len(found) == 1
    return line, is_sure


def _is_outside(document: Document, line: int, row: int) -> bool:
    """Whether line `row` looks like one of the block that an anchor at `line` opens, but is not.

    It is below that block, and indented more than the anchor: something else opens its block.
    """
    lines, end = document.lines, find_end_of_block(document, line)
    opens = any(each.strip() for each in lines[line:end])
    return opens and row > end and len(indent_of(lines[row - 1])) > len(indent_of(lines[line - 1]))


def _find_anchor_lines(texts: Sequence[bytes], line: int, anchor: str) -> list[int]:
    """Find the lines that an anchor may mean: those equal to it, or but for typography.

    Where there is none, those that begin so.
    """
    wanted, below = encode_text(anchor).strip(), texts[line:]
    plain = b"" if b"".join(below).isascii() else fold(wanted)
    words = re.compile(re.escape(wanted) + rb"(?<=\w)(?![\w\x80-\xff])")
    tests: tuple[Callable[[bytes], object], ...] = (
        lambda text: text == wanted,
        lambda text: plain and fold(text) == plain,
        words.match,
    )
    every = ([n for n, text in enumerate(below, line + 1) if test(text)] for test in tests)
    return next(filter(None, every), [])


def find_line_below(document: Document, edit: Edit) -> int:
    """Return the number of the last anchor's line; raise Ambiguous when it may be several."""
    line, is_sure = _find_anchor(document, edit)
    if not is_sure or fold(document.lines[line - 1].strip()) != fold(
        encode_text(edit.anchors[-1]).strip()
    ):
        what = f"the anchor {edit.anchors[-1].strip()!r} names more or less than one line"
        raise Ambiguous(edit.path, what, "Add context lines, so that the hunk names one place.")
    return line


def settle_end(
    document: Document, splices: Sequence[Splice], *, is_terminated: bool
) -> tuple[tuple[Splice, ...], bool | None]:
    """Adjust splices so that the document keeps an end; tell whether the file's last line has one.

    Documents are worked on with an end on their last line; whether the file has it is kept apart.
    None where the edit leaves that as it is.
    """
    if not splices or not document.line_count:
        return tuple(splices), None
    end = document.end_of(document.line_count)
    *above, last = sorted(splices, key=lambda splice: splice.start)
    text_end = len(document.data) - len(end)
    tail = last.new or document.data[: last.start].removeprefix(BOM)
    is_ended = not tail or tail.endswith(b"\n")
    if not is_terminated and last.end == text_end and is_ended:
        return (*above, replace(last, end=len(document.data))), True
    if last.end == len(document.data) and not is_ended:
        return (*above, replace(last, new=last.new + end)), False
    return tuple(splices), None


def change_text(context: EditContext, edit: Edit, threshold: int) -> tuple[FileState, EditOutcome]:
    """Replace quoted text. Raises what `ladder.locate` and `transfer.transfer` raise, and Stale."""
    check_text(edit.path, context.state)
    located, splices = _locate_edit(context, edit, threshold)
    spans = [(place.start, place.end) for place in located.places]
    base_lines = tuple(context.seen.base_lines(*span) for span in spans)
    writers = tuple(number for span in spans for number in context.seen.writers(*span))
    evidence = context.settle_evidence(base_lines, edit.expected_hash, writers)
    is_read = not all(map(is_empty, base_lines))
    if evidence.kind == "none" and is_read and _is_quote(context.document, located):
        evidence = Evidence("quote")
    final_newline = edit.final_newline
    if located.tier == "exact" and final_newline is None:
        ended = context.state.is_terminated
        splices, final_newline = settle_end(context.document, splices, is_terminated=ended)
    state = context.splice(splices)
    if final_newline is not None:
        state = replace(state, is_terminated=final_newline)
    diff = change_diff(context, splices, final_newline)
    matched = decode_text(context.document.data[slice(*spans[0])])
    if not edit.old_text.endswith("\n"):
        matched = matched.removesuffix("\n").removesuffix("\r")
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
        lines=tuple(context.present_lines(*span) for span in spans),
        base_lines=base_lines,
        matched_text=matched,
        diff=diff,
        notes=located.notes,
        respelled=() if located.tier == "exact" else tuple(_find_respellings(edit, diff)),
    )
    return state, outcome


def _find_respellings(edit: Edit, diff: str) -> Iterator[str]:
    """Tell how the whitespace of the written lines differs from that of the new text."""
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
    context: EditContext, edit: Edit, threshold: int
) -> tuple[Located, tuple[Splice, ...]]:
    """Where the edit lands and what changes there, in bytes of the context's document."""
    if edit.final_newline is not None and edit.old_text == edit.new_text:
        # Only the end of the last line changes; the place is wanted all the same.
        located, _ = _locate_edit(
            context, replace(edit, new_text="", final_newline=None), threshold
        )
        return located, ()
    document, meant, anchor = context.document, edit, 0
    if edit.anchors:
        anchor, is_sure = _find_anchor(document, edit)
        if is_sure and edit.line_hint is None:
            meant = replace(edit, line_hint=_nearest(document, anchor, edit, threshold))
        document = _hide_outside(document, anchor, document.line_count)
    located = locate(document, meant, threshold, *_find_grounds(context, edit))
    if edit.anchors and edit.line_hint != END_OF_FILE:
        _expect_in_block(context.document, anchor, edit, located.places[0])
    try:
        return located, transfer(located)
    except Conflict as error:
        error.near = tuple(Near(*document.lines_of(p.start, p.end)) for p in located.places)
        raise


def _expect_in_block(document: Document, anchor: int, edit: Edit, place: Place) -> None:
    """Raise NoMatch for a place in another block than the one that the anchor above opens."""
    first, last = document.lines_of(place.start, place.end)
    rows = (row for row in range(first, last + 1) if document.lines[row - 1].strip())
    if _is_outside(document, anchor, next(rows, first)):
        what = f"the block of the anchor {edit.anchors[-1].strip()!r} does not have the old text"
        fix = f"Read the file again; lines {first}-{last} have it, in another block."
        raise NoMatch(edit.path, what, fix, Near(first, last))


_HIDDEN = bytes(byte if byte in b" \t\r\n" else 0 for byte in range(256))


def _hide_outside(document: Document, above: int, last: int) -> Document:
    """Make all words but those below line `above`, up to the last, unreadable where they are."""
    data, (start, end) = document.data, document.span(above + 1, last)
    return Document(
        data[:start].translate(_HIDDEN) + data[start:end] + data[end:].translate(_HIDDEN)
    )


def _nearest(document: Document, anchor: int, edit: Edit, threshold: int) -> int | None:
    """The line hint that chooses what is below an anchor.

    That is the only place in the block which the anchor opens, else one near by; or none of many.
    """
    try:
        block = _hide_outside(document, anchor, find_end_of_block(document, anchor))
        locate(block, edit, threshold)
    except Ambiguous:
        return None
    except HkgitError:
        return anchor + 1
    return 0


def _find_grounds(context: EditContext, edit: Edit) -> tuple[Holds | None, Vouches]:
    """Whether an expected hash, the edit's own or else any other, holds at a place; None without.

    And of how many lines the hash or receipt is that covers a place and holds there, for then the
    author saw these lines; of several the narrowest counts. A receipt expects nothing: more was
    read than is meant.
    """
    expected = edit.expected_hash
    hashes = [read for read in context.reads if read.kind == "hash"]

    def find(place: Place, reads: Sequence[Read]) -> list[Lines]:
        touched = [context.seen.base_lines(place.start, place.end)]
        if expected is not None:
            found = [find_holding_hash(context.base, touched, expected)]
        else:
            found = [find_holding_read(context.base, touched, [read]) for read in reads]
        return [each.lines or touched[0] for each in found if each is not None]

    def holds(place: Place) -> bool:
        return bool(find(place, hashes))

    def vouches(place: Place) -> int:
        if context.seen.writers(place.start, place.end):
            return 0
        found = find(place, context.reads)
        return min((last - first + 1 for first, last in found), default=0)

    return None if expected is None and not hashes else holds, vouches


def _is_quote(document: Document, located: Located) -> bool:
    """Whether the old text is there byte for byte in whole lines, once."""
    place, is_exact = located.places[0], located.tier == "exact" and not located.repairs
    text = document.data[place.start : place.end]
    is_once = document.data.find(text, document.data.find(text) + 1) < 0
    return is_exact and is_whole(document, place) and is_once
