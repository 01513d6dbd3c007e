"""large_files.py: read lines of a file that is too large to hold in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hkgit.sessions.readings.shown import (
    MAX_BYTES,
    PROBE,
    Reading,
    find_bounds,
    find_kind,
    find_next_line,
)
from hkgit.text.document import BOM, Document, hash_lines


def read_large_file(
    place: Path, path: str, start: int | None, end: int | None, limit: int | None, size: int
) -> Reading:
    """Read lines of a large file; only what is shown is held, at most `MAX_BYTES` of it.

    `limit` is the most lines where no `end` is named. Raises InvalidInput and OSError.
    """
    with place.open("rb") as stream:
        kind, mime = find_kind(stream.read(PROBE))
        if kind != "text":
            return _pass_over(path, size, kind, mime)
        total = count_lines(stream)
        first, last = find_bounds(path, start, end, total)
        seek_line(stream, first)
        lines = _read_whole_lines(stream, is_first=first == 1)
    wanted = last - first + 1
    if limit is not None and end is None:
        wanted = min(wanted, limit)
    shown = lines[:wanted]
    stop = first + len(shown) - 1
    return Reading(
        path=path,
        start_line=first,
        end_line=stop,
        total_lines=total,
        range_hash=hash_lines(shown),
        raw_lines=shown,
        size=size,
        next_line=find_next_line(first, stop, last),
    )


def _read_whole_lines(stream: BinaryIO, *, is_first: bool) -> tuple[bytes, ...]:
    """Read the lines that fit at once; a mark before the first line is no part of it."""
    head = stream.read(MAX_BYTES)
    is_all = not stream.read(1)
    head = head.removeprefix(BOM) if is_first else head
    return Document(head if is_all else head[: head.rfind(b"\n") + 1]).lines


def _pass_over(path: str, size: int, kind: str, mime: str | None) -> Reading:
    """Say that a file has no lines to show."""
    return Reading(
        path=path,
        start_line=1,
        end_line=0,
        total_lines=0,
        range_hash=None,
        raw_lines=(),
        size=size,
        kind=kind,
        mime=mime,
    )


def _read_chunks(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    while chunk := stream.read(2**20):
        yield chunk


def count_lines(stream: BinaryIO) -> int:
    """Count how many lines a file has; the last one may lack its end."""
    count, last = 0, b"\n"
    for chunk in _read_chunks(stream):
        count, last = count + chunk.count(b"\n"), chunk
    return count if last.endswith(b"\n") else count + 1


def seek_line(stream: BinaryIO, number: int) -> None:
    """Go to where a line begins, counted from 1."""
    before, done = number - 1, 0
    for chunk in _read_chunks(stream):
        count = chunk.count(b"\n")
        if count >= before:
            break
        before, done = before - count, done + len(chunk)
    stream.seek(done)
    for _ in range(before):
        stream.readline()
