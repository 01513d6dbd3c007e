"""range_edits.py: edits that name lines, by number or by tag."""

from __future__ import annotations

from dataclasses import replace

from hkgit.applying import ranges
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import Evidence
from hkgit.applying.outcome import APPLIED, EditOutcome
from hkgit.applying.site import Site, change_diff
from hkgit.applying.workspace import Work, check_text
from hkgit.dialects.tags import find_tag
from hkgit.document import Document
from hkgit.edits import InsertAfter, ReplaceRange, TagEdit, decoded
from hkgit.errors import Stale
from hkgit.matching.places import FULL


def change_lines(
    site: Site, edit: ReplaceRange | InsertAfter, carried: Lines | None, *, relocate: bool
) -> tuple[Work, EditOutcome]:
    """Replace or insert lines of the base. Raises Stale, or InvalidInput past the last line."""
    check_text(edit.path, site.work)
    site = replace(site, in_base=True)
    lines, evidence = _placed(site, edit, carried, relocate=relocate)
    if evidence is None:
        evidence = site.read_evidence((lines,))
    splice = ranges.written(site.base, lines, edit.new_lines)
    work = site.written((splice,))
    start = site.work.draft.present(splice.start)
    present = site.work.draft.document.lines_of(start, start + splice.end - splice.start)
    outcome = EditOutcome(
        site.number, edit.path, APPLIED, "range", FULL, FULL,
        evidence=evidence, lines=(present,), base_lines=(lines,),
        is_relocated=lines != ranges.stated_lines(edit),
        matched_text=decoded(site.base.data[splice.start : splice.end]),
        diff=change_diff(edit.path, site.base, (splice,)),
    )  # fmt: skip
    return work, outcome


def _placed(
    site: Site, edit: ReplaceRange | InsertAfter, carried: Lines | None, *, relocate: bool
) -> tuple[Lines, Evidence | None]:
    """The lines where a range edit lands, and the evidence of its own hash if it has one."""
    base, expected = site.base, edit.expected_hash
    is_insertion = isinstance(edit, InsertAfter)
    lines = carried if carried is not None else ranges.stated_lines(edit)
    if expected is None:
        ranges.check_inside(edit.path, base, lines)
        return lines, None
    hashed = ranges.hashed_lines(lines, base, is_insertion=is_insertion)
    evidence = ranges.evidence_at(base, hashed, expected, is_insertion=is_insertion)
    if evidence is not None:
        return lines, evidence
    found = ranges.find_hash(base, hashed[1] - hashed[0] + 1, expected)
    if not relocate or len(found) != 1:
        raise ranges.stale_range(edit.path, base, hashed, expected, found)
    shift = found[0] - hashed[0]
    moved = hashed[0] + shift, hashed[1] + shift
    evidence = ranges.evidence_at(base, moved, expected, is_insertion=is_insertion)
    return (lines[0] + shift, lines[1] + shift), evidence


def change_tagged(site: Site, edit: TagEdit) -> tuple[Work, EditOutcome]:
    """Replace, insert before, or delete the lines that tags name. Raises Stale for unknown tags."""
    check_text(edit.path, site.work)
    document = site.document
    first = _tagged(document, edit.path, edit.start_tag, edit.offset or 1)
    last = first if edit.stop_tag is None else _tagged(document, edit.path, edit.stop_tag, first)
    is_insertion = edit.stop_tag is None and edit.new_lines is not None
    lines = (first, first - 1) if is_insertion else (first, last)
    splice = ranges.written(document, lines, edit.new_lines or ())
    start, end = document.span(first, last)
    touched = site.touched(start, end)
    evidence = site.settled((touched,), None, site.writers(start, end))
    outcome = EditOutcome(
        site.number, edit.path, APPLIED, "tag", FULL, FULL,
        evidence=Evidence("tag") if evidence.kind == "none" else evidence,
        lines=(lines,), base_lines=(touched,),
        matched_text=decoded(document.data[start:end]),
        diff=change_diff(edit.path, document, (splice,)),
    )  # fmt: skip
    return site.written((splice,)), outcome


def _tagged(document: Document, path: str, tag: str, start_line: int) -> int:
    found = find_tag(document.lines, tag, start_line)
    if found is None:
        what = f"no line has the tag {tag}" + (f" from line {start_line} on" * (start_line > 1))
        raise Stale(path, what, f"Read it again: hkgit read --hashline {path}")
    return found
