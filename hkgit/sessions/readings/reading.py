"""reading.py: lines of a file for an agent: bounded, with their hash and where to go on."""

from __future__ import annotations

from pathlib import Path

from hkgit.applying.files.directory import DirectorySnapshot
from hkgit.edits import DIRECTORY, SUBMODULE, SYMLINK, File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.sessions.readings.checkout import find_unedited, measure_file
from hkgit.sessions.readings.shown import (
    MAX_BYTES,
    MAX_LINES,
    PROBE,
    STREAMED,
    Reading,
    find_bounds,
    find_kind,
    find_next_line,
)
from hkgit.text.document import Document


def read_checkout(
    root: Path,
    path: str,
    start: int | None,
    end: int | None,
    *,
    hashline: bool = False,
    limit: int | None = MAX_LINES,
) -> tuple[Reading, bytes | None]:
    """Read a file of a checkout; answers with its bytes too, where they were held in memory.

    Raises InvalidInput when there is no such file or line.
    """
    size = measure_file(root, path)
    unedited = find_unedited(root) if size is None else None
    if unedited is not None:
        unedited.expect_checked_out(path)
    if size is not None and size > STREAMED and (root / path).is_file():
        if hashline:
            what = f"has {size:,} bytes; tags are for files up to {STREAMED:,}"
            raise InvalidInput(path, what, f"Read without them: hkgit read {path}:1-{MAX_LINES}")
        # Few files are so large.
        from hkgit.sessions.readings.large_files import read_large_file

        return read_large_file(root / path, path, start, end, limit, size), None
    return read_snapshot(DirectorySnapshot(root), path, start, end, hashline=hashline, limit=limit)


def read_snapshot(
    files: Snapshot,
    path: str,
    start: int | None,
    end: int | None,
    *,
    hashline: bool = False,
    limit: int | None = MAX_LINES,
) -> tuple[Reading, bytes]:
    """Read a file of a snapshot. Raises InvalidInput when there is no such file or line."""
    file = _find_regular_file(files, path)
    kind, mime = find_kind(file.data[:PROBE])
    document = Document(file.data)
    first, last = find_bounds(path, start, end, document.line_count)
    is_text = kind == "text"
    shown = document.lines[first - 1 : last] if is_text else ()
    if end is None:
        shown = shown[: _count_fitting(shown, limit)]
    stop = first + len(shown) - 1 if is_text else last
    reading = Reading(
        path=path,
        start_line=first,
        end_line=stop,
        total_lines=document.line_count,
        range_hash=document.range_hash(first, stop),
        raw_lines=shown,
        size=len(file.data),
        kind=kind,
        mime=mime,
        next_line=find_next_line(first, stop, last),
        tags=_find_tags(document, first, stop) if hashline and is_text else None,
    )
    return reading, file.data


def _find_tags(document: Document, first: int, stop: int) -> tuple[str | None, ...]:
    # Few readings have tags.
    from hkgit.text.tags import compute_tags

    return tuple(compute_tags(document.lines[:stop])[first - 1 :])


def _find_regular_file(files: Snapshot, path: str) -> File:
    file = files.get(path)
    if file is None:
        raise InvalidInput(path, "there is no such file", "Check the path and the revision.")
    if file.mode in (DIRECTORY, SYMLINK, SUBMODULE):
        from hkgit.applying.files.workspace import KINDS, advise_on

        where = f" to {file.data.decode('utf-8', 'replace')}" if file.mode == SYMLINK else ""
        raise InvalidInput(path, f"is {KINDS[file.mode]}{where}", advise_on(file.mode))
    return file


def _count_fitting(lines: tuple[bytes, ...], limit: int | None) -> int:
    """How many lines are shown at once."""
    if limit is None:
        return len(lines)
    size = 0
    for count, line in enumerate(lines[:limit]):
        size += len(line) + 1
        if size > MAX_BYTES:
            return count
    return min(len(lines), limit)
