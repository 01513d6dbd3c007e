"""range_edits.py: edits that name lines, by number or by tag."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.context import EditContext, change_diff
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import Evidence, vouches
from hkgit.applying.files.workspace import FileState, check_text
from hkgit.applying.operations import ranges
from hkgit.applying.operations.anchors import find_line_below
from hkgit.applying.outcome import APPLIED, EditOutcome
from hkgit.edits import Edit, InsertAfter, ReplaceRange, TagEdit, decode_text, encode_text
from hkgit.errors import AlreadyApplied, InvalidInput, Stale
from hkgit.matching import guards
from hkgit.matching.lines import is_telling
from hkgit.matching.places import FULL
from hkgit.text.document import Document, Splice
from hkgit.text.tags import are_tagged, find_tag
from hkgit.values import replace


def change_lines(
    context: EditContext, edit: ReplaceRange | InsertAfter, carried: Lines | None, *, relocate: bool
) -> tuple[FileState, EditOutcome]:
    """Replace or insert lines of the document.

    `carried` are the lines of the base to use instead of those that the edit names. Raises Stale,
    or InvalidInput past the last line.
    """
    check_text(edit.path, context.state)
    stated = ranges.lines_of_edit(edit) if carried is None else context.from_base(carried)
    lines, evidence = _place_range(context, edit, stated, relocate=relocate)
    _check(context, edit.path, lines, edit.new_lines)
    if isinstance(edit, InsertAfter) and edit.expected_hash is None:
        _check_absent(context.document, edit.path, lines, edit.new_lines)
    splice = ranges.splice_lines(context.document, lines, edit.new_lines)
    span = splice.start, splice.end
    outcome = _tell_outcome(context, edit, splice, span, evidence)
    is_relocated = lines != ranges.lines_of_edit(edit)
    return context.splice((splice,)), replace(outcome, is_relocated=is_relocated)


def _tell_outcome(
    context: EditContext,
    edit: ReplaceRange | InsertAfter | TagEdit,
    splice: Splice,
    span: tuple[int, int],
    evidence: Evidence,
) -> EditOutcome:
    """The outcome of an edit that names the lines of a span of the document."""
    return EditOutcome(
        number=context.number,
        path=edit.path,
        status=APPLIED,
        tier="tag" if isinstance(edit, TagEdit) else "range",
        similarity_permille=FULL,
        confidence_permille=FULL,
        evidence=evidence,
        lines=(context.present_lines(splice.start, splice.end),),
        base_lines=(context.touched_base_lines(*span),),
        matched_text=decode_text(context.document.data[slice(*span)]),
        diff=change_diff(context, (splice,)),
    )


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
    hashed = ranges.lines_of_hash(stated, document, is_insertion=isinstance(edit, InsertAfter))
    if expected is None:
        ranges.check_inside(edit.path, document, stated)
        touched = context.touched_base_lines(*document.span(*stated))
        return stated, context.settle_evidence(
            (touched,), None, context.writers(*document.span(*hashed))
        )
    evidence = _own_evidence(context, edit, hashed)
    if evidence is not None:
        return stated, evidence
    found = ranges.find_hash(document, hashed[1] - hashed[0] + 1, expected)
    if relocate and len(found) == 1:
        shift = found[0] - hashed[0]
        evidence = _own_evidence(context, edit, (hashed[0] + shift, hashed[1] + shift))
        if evidence is not None:
            return (stated[0] + shift, stated[1] + shift), evidence
    refusal = ranges.refuse_stale_range(edit.path, document, hashed, expected, found)
    if len(found) == 1:
        refusal.corrected = _move_edit(edit, found[0] - hashed[0])
    raise refusal


def _own_evidence(
    context: EditContext, edit: ReplaceRange | InsertAfter, hashed: Lines
) -> Evidence | None:
    """The evidence of an edit's own hash, or None where the lines of the base have another."""
    if edit.expected_hash is None or not ranges.is_inside(context.document, hashed):
        return None
    lines = context.touched_base_lines(*context.document.span(*hashed))
    actual = context.base.range_hash(*lines)
    if not vouches(context.base, lines) or not actual.startswith(edit.expected_hash):
        return None
    return Evidence("hash", actual, lines if isinstance(edit, InsertAfter) else None)


def _move_edit(edit: ReplaceRange | InsertAfter, shift: int) -> ReplaceRange | InsertAfter:
    """The same edit, so many lines further down."""
    if isinstance(edit, InsertAfter):
        return replace(edit, after_line=edit.after_line + shift)
    return replace(edit, start_line=edit.start_line + shift, end_line=edit.end_line + shift)


def _check(context: EditContext, path: str, lines: Lines, new_lines: Sequence[str]) -> None:
    """Raises InvalidInput for new lines that nobody means to write."""
    document = context.document
    old = document.lines[lines[0] - 1 : lines[1]]
    guards.check_lines(document.data, old, [encode_text(line) for line in new_lines], path)


def _check_absent(document: Document, path: str, lines: Lines, new_lines: Sequence[str]) -> None:
    """Raises AlreadyApplied where new lines that say something stand right below the place."""
    below = document.lines[lines[1] : lines[1] + len(new_lines)]
    new = tuple(map(encode_text, new_lines))
    if new == below and any(map(is_telling, new)):
        what = "the new lines stand here already"
        raise AlreadyApplied(f"{path}:{lines[0]}", what, "Leave the edit out, or name a hash.")


def change_tagged(context: EditContext, edit: TagEdit) -> tuple[FileState, EditOutcome]:
    """Replace, insert before, or delete the lines that tags name. Raises Stale for unknown tags."""
    check_text(edit.path, context.state)
    document = context.document
    first, last = _find_tagged_lines(document, edit)
    is_insertion = edit.stop_tag is None and edit.new_lines is not None
    lines = (first, first - 1) if is_insertion else (first, last)
    _check(context, edit.path, lines, edit.new_lines or ())
    _check_untagged(edit, document.lines[first - 1 : last])
    if is_insertion:
        _check_unrepeated(edit, first, document.lines[first - 1])
    splice = ranges.splice_lines(document, lines, edit.new_lines or ())
    span = document.span(first, last)
    touched = context.touched_base_lines(*span)
    evidence = context.settle_evidence((touched,), None, context.writers(*span))
    evidence = Evidence("tag") if evidence.kind == "none" else evidence
    return context.splice((splice,)), _tell_outcome(context, edit, splice, span, evidence)


def _check_unrepeated(edit: TagEdit, number: int, target: bytes) -> None:
    """Raises InvalidInput for lines to insert that end with the line they are put before.

    A line that says little, such as a bracket, may well stand there twice.
    """
    last = encode_text((edit.new_lines or ("",))[-1])
    if last == target and is_telling(last):
        what = f"the last of the new lines repeats line {number}, before which they are inserted"
        fix = "Leave it out: that line stays. To replace it, give its tag as hash_stop too."
        raise InvalidInput(edit.path, what, fix)


def _check_untagged(edit: TagEdit, old: Sequence[bytes]) -> None:
    """Raises InvalidInput for new lines with the tags that only a reading puts before lines."""
    if are_tagged(edit.new_lines or ()) and not are_tagged([decode_text(line) for line in old]):
        what = "every line of the new text begins with a tag"
        raise InvalidInput(edit.path, what, "Write the lines as they should stand in the file.")


def _find_tagged_lines(document: Document, edit: TagEdit) -> Lines:
    """Find the lines from one tag to the other; each means its first line in the file, or from the
    offset on. Raises Stale.
    """
    first = _find_tag(document, edit.path, edit.start_tag, edit.offset or 1)
    if edit.stop_tag is None:
        return first, first
    last = _find_tag(document, edit.path, edit.stop_tag, edit.offset or 1)
    if edit.is_exclusive:
        last -= 1
    if last < first:
        what = f"the tag {edit.stop_tag} is that of line {last}, above line {first}"
        raise Stale(edit.path, what, "Name the upper line first, or give an offset.")
    return first, last


def _find_tag(document: Document, path: str, tag: str, start_line: int) -> int:
    found = find_tag(document.lines, tag, start_line)
    if found is None:
        what = f"no line has the tag {tag}" + (f" from line {start_line} on" * (start_line > 1))
        raise Stale(path, what, f"Read it again: hkgit read --hashline {path}")
    return found
