"""Edits that name lines."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.context import EditContext, change_diff
from hkgit.applying.evidence import Evidence, vouches
from hkgit.applying.outcome import EditOutcome, place_edit
from hkgit.applying.quotes import find_line_below
from hkgit.applying.workspace import FileState, check_text
from hkgit.edits import Edit, InsertAfter, Read, ReplaceRange, TagEdit, decode_text, encode_text
from hkgit.errors import AlreadyApplied, InvalidInput, Near, Stale
from hkgit.matching import guards
from hkgit.matching.quotation import is_telling
from hkgit.text.document import Document, Lines, Splice, hash_lines
from hkgit.text.escape import count_noun, quote_word
from hkgit.text.hashes import are_tagged, find_tag
from hkgit.values import replace

_SEARCH_BUDGET = 64 * 2**20  # How many bytes may be hashed to find out where a range has gone


def lines_of_edit(edit: ReplaceRange | InsertAfter) -> Lines:
    """Return the lines that the edit names; for an insertion the empty range behind its line."""
    if isinstance(edit, InsertAfter):
        return edit.after_line + 1, edit.after_line
    return edit.start_line, edit.end_line


def lines_of_hash(lines: Lines, document: Document, *, is_insertion: bool) -> Lines:
    """Return the lines that the edit's hash covers; for an insertion the line above it.

    At the top it is line 1, or the empty range of an empty file.
    """
    if not is_insertion:
        return lines
    above = lines[1]
    return (above, above) if above else (1, min(1, document.line_count))


def is_inside(document: Document, lines: Lines) -> bool:
    """Whether the lines are lines of the file."""
    return 1 <= lines[0] <= lines[1] + 1 <= document.line_count + 1


def check_inside(path: str, document: Document, lines: Lines) -> None:
    """Raises InvalidInput when the lines are not lines of the file."""
    if not is_inside(document, lines):
        raise InvalidInput(
            f"{path}:{lines[1]}" if lines[0] > lines[1] else f"{path}:{lines[0]}-{lines[1]}",
            f"the file has {count_noun(document.line_count, 'line')}",
            f"Read it (`hkgit read {quote_word(path)}`) and name lines it has.",
        )


def find_hash(document: Document, count: int, expected: str) -> list[int]:
    """Find the first line of each range of `count` lines with a hash; [] past a work budget."""
    if count == 0 or count * len(document.data) > _SEARCH_BUDGET:
        return []
    starts = range(1, document.line_count - count + 2)
    lines = document.lines
    return [
        start
        for start in starts
        if hash_lines(lines[start - 1 : start - 1 + count]).startswith(expected)
    ]


def refuse_stale_range(
    path: str,
    document: Document,
    hashed: Lines,
    expected: str,
    found: Sequence[int],
    *,
    advice: str = "use those, or pass --relocate",
) -> Stale:
    """Build the error for a range edit: what holds at its lines, where the range is now."""
    first, last = hashed
    if is_inside(document, hashed):
        what = f"expected hash {expected[:12]}, but the lines have another"
    else:
        what = f"expected hash {expected[:12]}, but the file has {document.line_count} lines"
    if len(found) == 1:
        moved = f"{found[0]}-{found[0] + last - first}"
        fix = f"The range is now at lines {moved}: {advice}."
    elif found:
        fix = f"The range is now at lines {', '.join(map(str, found[:5]))}: say which."
    else:
        read = f"hkgit read {quote_word(path)}"
        fix = f"Read the lines again (`{read}`) and write the edit against that."
    here = (first,) if is_inside(document, hashed) else ()
    near = (Near(start, start + last - first) for start in (*here, *found[:5]))
    return Stale(f"{path}:{first}-{last}", what, fix, *near)


def refuse_stale_read(path: str, document: Document, read: Read) -> Stale:
    """Build the error for a read that does not hold, with where its range is now."""
    lines = read.start_line or 1, read.end_line or 0
    found = find_hash(document, lines[1] - lines[0] + 1, read.range_hash)
    advice = "name those with the hash"
    return refuse_stale_range(path, document, lines, read.range_hash, found, advice=advice)


def splice_lines(document: Document, lines: Lines, new_lines: Sequence[str]) -> Splice:
    """Replace old lines by new ones, each with the line end that it takes over."""
    start, end = document.span(*lines)
    ends = [document.end_of(number) for number in range(lines[0], lines[1] + 1)]
    above = document.end_of(max(lines[1], 1)) if document.line_count else b"\n"
    ends += [ends[-1] if ends else above] * (len(new_lines) - len(ends))
    texts = map(encode_text, new_lines)
    new = b"".join(text + line_end for text, line_end in zip(texts, ends, strict=False))
    return Splice(start, end, new)


def change_lines(
    context: EditContext, edit: ReplaceRange | InsertAfter, carried: Lines | None, *, relocate: bool
) -> tuple[FileState, EditOutcome]:
    """Replace or insert lines of the document.

    `carried` are the lines of the base to use instead of those that the edit names. Raises Stale,
    or InvalidInput past the last line.
    """
    check_text(edit.path, context.state)
    stated = (
        lines_of_edit(edit)
        if carried is None
        else context.seen.lines_now(*context.base.span(*carried))
    )
    lines, evidence = _place_range(context, edit, stated, relocate=relocate)
    if isinstance(edit, InsertAfter) and edit.expected_hash is None:
        _check_absent(context.document, edit.path, lines, edit.new_lines)
    state, outcome = _write_lines(context, edit, lines, lines, evidence)
    return state, replace(outcome, is_relocated=lines != lines_of_edit(edit))


def _write_lines(
    context: EditContext,
    edit: ReplaceRange | InsertAfter | TagEdit,
    lines: Lines,
    named: Lines,
    evidence: Evidence,
) -> tuple[FileState, EditOutcome]:
    """Put the new lines of an edit in place of old ones; `named` are those that the edit names.

    Raises InvalidInput for new lines that nobody means to write.
    """
    document, new_lines = context.document, edit.new_lines or ()
    old = document.lines[lines[0] - 1 : lines[1]]
    guards.check_lines(document.data, old, [*map(encode_text, new_lines)], edit.path)
    splice, span = splice_lines(document, lines, new_lines), document.span(*named)
    outcome = place_edit(
        context.number,
        edit.path,
        "tag" if isinstance(edit, TagEdit) else "range",
        evidence,
        lines=context.present_lines(splice.start, splice.end),
        base_lines=context.seen.base_lines(*span),
    )
    text = decode_text(document.data[slice(*span)])
    outcome = replace(outcome, matched_text=text, diff=change_diff(context, (splice,)))
    return context.splice((splice,)), outcome


def insert_text(context: EditContext, edit: Edit) -> tuple[FileState, EditOutcome]:
    """Insert the text of an edit without old text: at the end, or right below its anchors."""
    lines = tuple(map(decode_text, Document(encode_text(edit.new_text)).lines))
    after = context.document.line_count if edit.at_end else find_line_below(context.document, edit)
    insertion = InsertAfter(edit.path, after, lines, edit.expected_hash)
    return change_lines(context, insertion, None, relocate=False)


def _place_range(
    context: EditContext, edit: ReplaceRange | InsertAfter, stated: Lines, *, relocate: bool
) -> tuple[Lines, Evidence]:
    """The lines where a range edit lands, and its evidence."""
    document, expected = context.document, edit.expected_hash
    hashed = lines_of_hash(stated, document, is_insertion=isinstance(edit, InsertAfter))
    if expected is None:
        check_inside(edit.path, document, stated)
        touched = context.seen.base_lines(*document.span(*stated))
        writers = context.seen.writers(*document.span(*hashed))
        return stated, context.settle_evidence((touched,), None, writers)
    evidence = _own_evidence(context, edit, hashed)
    if evidence is not None:
        return stated, evidence
    found = find_hash(document, hashed[1] - hashed[0] + 1, expected)
    if relocate and len(found) == 1:
        shift = found[0] - hashed[0]
        evidence = _own_evidence(context, edit, (hashed[0] + shift, hashed[1] + shift))
        if evidence is not None:
            return (stated[0] + shift, stated[1] + shift), evidence
    refusal = refuse_stale_range(edit.path, document, hashed, expected, found)
    if len(found) == 1:
        refusal.corrected = _move_edit(edit, found[0] - hashed[0])
    raise refusal


def _own_evidence(
    context: EditContext, edit: ReplaceRange | InsertAfter, hashed: Lines
) -> Evidence | None:
    """The evidence of an edit's own hash, or None where the lines of the base have another."""
    if edit.expected_hash is None or not is_inside(context.document, hashed):
        return None
    lines = context.seen.base_lines(*context.document.span(*hashed))
    actual = context.base.range_hash(*lines)
    if not vouches(context.base, lines) or not actual.startswith(edit.expected_hash):
        return None
    return Evidence("hash", actual, lines if isinstance(edit, InsertAfter) else None)


def _move_edit(edit: ReplaceRange | InsertAfter, shift: int) -> ReplaceRange | InsertAfter:
    """The same edit, so many lines further down."""
    if isinstance(edit, InsertAfter):
        return replace(edit, after_line=edit.after_line + shift)
    return replace(edit, start_line=edit.start_line + shift, end_line=edit.end_line + shift)


def _check_absent(document: Document, path: str, lines: Lines, new_lines: Sequence[str]) -> None:
    """Raises AlreadyApplied where new lines that say something are right below the place."""
    below = document.lines[lines[1] : lines[1] + len(new_lines)]
    new = tuple(map(encode_text, new_lines))
    if new == below and any(map(is_telling, new)):
        what = "the new lines are here already"
        raise AlreadyApplied(f"{path}:{lines[0]}", what, "Leave the edit out, or name a hash.")


def change_tagged(context: EditContext, edit: TagEdit) -> tuple[FileState, EditOutcome]:
    """Replace, insert before, or delete the lines that tags name.

    Raises Stale for unknown tags, and for an expected hash that fails; InvalidInput for new lines
    with the tags that only a reading puts before lines.
    """
    check_text(edit.path, context.state)
    document = context.document
    first, last = _find_tagged_lines(context, edit)
    is_insertion = edit.stop_tag is None and edit.new_lines is not None
    lines = (first, first - 1) if is_insertion else (first, last)
    old = map(decode_text, document.lines[first - 1 : last])
    if are_tagged(edit.new_lines or ()) and not are_tagged([*old]):
        what = "every line of the new text begins with a tag"
        raise InvalidInput(edit.path, what, "Write the lines as they should be in the file.")
    if is_insertion:
        _check_unrepeated(edit, first, document.lines[first - 1])
    span = document.span(first, last)
    touched, writers = (context.seen.base_lines(*span),), context.seen.writers(*span)
    evidence = context.settle_evidence(touched, edit.expected_hash, writers)
    evidence = Evidence("tag") if evidence.kind == "none" else evidence
    return _write_lines(context, edit, lines, (first, last), evidence)


def _check_unrepeated(edit: TagEdit, number: int, target: bytes) -> None:
    """Raises InvalidInput for lines to insert that end with the line they are put before.

    A line that says little, such as a bracket, may well be there twice.
    """
    last = encode_text((edit.new_lines or ("",))[-1])
    if last == target and is_telling(last):
        what = f"the last of the new lines repeats line {number}, before which they are inserted"
        fix = "Leave it out: that line stays. To replace it, give its tag as hash_stop too."
        raise InvalidInput(edit.path, what, fix)


def _find_tagged_lines(context: EditContext, edit: TagEdit) -> Lines:
    """Find the lines from one tag to the other; each means its first line in the file, or from the
    offset on. Raises Stale.
    """
    first = _find_tag(context, edit, edit.start_tag)
    if edit.stop_tag is None:
        return first, first
    last = _find_tag(context, edit, edit.stop_tag)
    if edit.is_exclusive:
        last -= 1
    if last < first:
        what = f"the tag {edit.stop_tag} is that of line {last}, above line {first}"
        raise Stale(edit.path, what, "Name the upper line first, or give an offset.")
    return first, last


def _find_tag(context: EditContext, edit: TagEdit, tag: str) -> int:
    """Find the line that a tag means, which earlier edits may have moved, but not replaced."""
    start_line = edit.offset or 1
    found = find_tag(context.document.lines, tag, start_line)
    if found is None:
        what = f"no line has the tag {tag}" + (f" from line {start_line} on" * (start_line > 1))
        raise Stale(
            edit.path, what, f"Read it again: hkgit read --hashline {quote_word(edit.path)}"
        )
    known = None
    if edit.offset is None and not context.seen.is_untouched:
        known = find_tag(context.base.lines, tag, 1)
    span = context.document.span(found, found)
    if known is not None and context.seen.base_lines(*span) != (known, known):
        what = f"after an earlier edit of this spec the tag {tag} is that of another line"
        raise Stale(edit.path, what, "Merge the two edits into one, or give an offset.")
    return found
