"""large_files.py: count and find lines in a file that is too large to hold in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO


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
