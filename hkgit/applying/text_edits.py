"""text_edits.py: edits that quote the text they replace: located, then transferred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hkgit.applying.anchors import below_anchors, end_of_block
from hkgit.applying.evidence import Evidence, from_reads, holding, is_empty
from hkgit.applying.outcome import APPLIED, EditOutcome
from hkgit.applying.site import Site, change_diff
from hkgit.applying.workspace import Work, check_text
from hkgit.document import Document, Splice
from hkgit.edits import END_OF_FILE, Edit, decoded
from hkgit.errors import Ambiguous, Conflict, HkgitError, Near
from hkgit.matching.ladder import locate
from hkgit.matching.places import Located, Place, Settings
from hkgit.matching.transfer import transfer


def change_text(site: Site, edit: Edit, settings: Settings) -> tuple[Work, EditOutcome]:
    """Replace quoted text. Raises what `ladder.locate` and `transfer.transfer` raise, and Stale."""
    check_text(edit.path, site.work)
    document = site.document
    located, splices = _located(site, edit, settings)
    places = located.places
    base_lines = tuple(site.touched(place.start, place.end) for place in places)
    writers = tuple(
        number for place in places for number in site.writers(place.start, place.end)
    )
    evidence = site.settled(base_lines, edit.expected_hash, writers)
    is_read = not all(map(is_empty, base_lines))
    if evidence.kind == "none" and is_read and _is_quote(document, located):
        evidence = Evidence("quote")
    work = site.written(splices)
    if edit.final_newline is not None:
        work = replace(work, is_terminated=edit.final_newline)
    outcome = EditOutcome(
        site.number, edit.path, APPLIED, located.tier,
        located.similarity, located.confidence, located.runner_up, located.repairs,
        evidence, tuple(site.present(place.start, place.end) for place in places),
        base_lines,
        matched_text=_matched(document, places[0], edit),
        diff=change_diff(site, splices, edit.final_newline),
        notes=located.notes,
    )  # fmt: skip
    return work, outcome


def _located(site: Site, edit: Edit, settings: Settings) -> tuple[Located, tuple[Splice, ...]]:
    """Where the edit lands and what changes there, in bytes of the site's document."""
    if edit.final_newline is not None and edit.old_text == edit.new_text:
        # Only the end of the last line changes; the place is wanted all the same.
        located, _ = _located(site, replace(edit, new_text="", final_newline=None), settings)
        return located, ()
    if not edit.anchors:
        return _carried(site.document, edit, settings, _holds(site, edit, 0))
    shift, is_sure = below_anchors(site.document, edit)
    above = site.document.line_at(shift) - 1
    below = Document(site.document.data[shift:], above)
    plain = replace(edit, anchors=(), line_hint=_below(edit.line_hint, above))
    if is_sure and edit.line_hint is None:
        plain = replace(plain, line_hint=_nearest(site.document, shift, plain, settings))
    try:
        located, splices = _carried(below, plain, settings, _holds(site, edit, shift))
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

    That is the only place in the block which the anchor opens; where that has none, one near by,
    and where it has several, none of them.
    """
    block = Document(document.data[start : end_of_block(document, start)])
    try:
        locate(block, edit, settings)
    except Ambiguous:
        return None
    except HkgitError:
        return 1
    return 0


def _carried(
    document: Document, edit: Edit, settings: Settings, holds: Callable[[Place], bool] | None
) -> tuple[Located, tuple[Splice, ...]]:
    located = locate(document, edit, settings, holds)
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


def _holds(site: Site, edit: Edit, shift: int) -> Callable[[Place], bool] | None:
    """Whether an expected hash, the edit's own or else any other, holds at a place; None without.

    A receipt expects nothing: more was read than is meant.
    """
    expected = edit.expected_hash
    reads = [read for read in site.reads if read.kind == "hash"]
    if expected is None and not reads:
        return None

    def holds(place: Place) -> bool:
        touched = [site.touched(place.start + shift, place.end + shift)]
        if expected is not None:
            return holding(site.base, touched, expected) is not None
        return from_reads(site.base, touched, reads) is not None

    return holds


def _matched(document: Document, place: Place, edit: Edit) -> str:
    """The text at the place; without its last line end where the old text has none."""
    text = decoded(document.data[place.start : place.end])
    return text if edit.old_text.endswith("\n") else text.removesuffix("\n").removesuffix("\r")


def _is_quote(document: Document, located: Located) -> bool:
    """Whether the old text stands there byte for byte in whole lines, once."""
    place = located.places[0]
    text = document.data[place.start : place.end]
    rest = document.data[place.end : place.end + 2]
    ends_line = text.endswith(b"\n") or rest.startswith((b"\n", b"\r\n"))
    begins_line = document.offsets[document.line_at(place.start) - 1] == place.start
    is_once = document.data.find(text, document.data.find(text) + 1) < 0
    is_literal = located.tier == "exact" and not located.repairs
    return is_literal and begins_line and ends_line and is_once
