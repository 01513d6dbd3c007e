"""reading.py: lines of a file for an agent: bounded, with their hash and where to go on."""

from __future__ import annotations

from pathlib import Path

from hkgit.applying.files.directory import DirectorySnapshot
from hkgit.edits import DIRECTORY, SUBMODULE, SYMLINK, Snapshot
from hkgit.errors import InvalidInput
from hkgit.sessions.readings.checkout import find_unedited, measure_file
from hkgit.text.document import BOM, Document, hash_lines
from hkgit.text.tags import compute_tags
from hkgit.values import dataclass

MAX_LINES = 2000
MAX_BYTES = 256 * 2**10
"""So much is shown at once where no last line is named; then it is said where to go on."""

STREAMED = 8 * 2**20
"""Files over so many bytes are read through line by line, and not held in memory."""

_PROBE = 8000
_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines of a file as read, with the hash to quote.

    `kind` is `text`, `image` or `binary`; the lines of the latter two are left out, and `mime` says
    what they are. `next_line` is where to go on reading; None where nothing is left that was asked
    for. `tags` are those of the lines, None in place of one whose tag a line above has already.
    `has_receipt` says that the session keeps a receipt of it; `size` is in bytes.
    """

    path: str
    start_line: int
    end_line: int
    total_lines: int
    range_hash: str | None
    raw_lines: tuple[bytes, ...]
    size: int
    kind: str = "text"
    mime: str | None = None
    next_line: int | None = None
    tags: tuple[str | None, ...] | None = None
    has_receipt: bool = False

    @property
    def lines(self) -> list[str]:
        """The lines, bytes that are not UTF-8 shown as replacement characters."""
        return [line.decode("utf-8", "replace") for line in self.raw_lines]

    @property
    def shown(self) -> list[str]:
        """The lines as `ab|text` where they were read with tags, else as they are."""
        if self.tags is None:
            return self.lines
        pairs = zip(self.tags, self.lines, strict=True)
        return [f"{tag or '  '}|{line}" for tag, line in pairs]

    @property
    def hint(self) -> str:
        """What there is to know beside the lines; empty where there is nothing."""
        if self.kind != "text":
            return f"{self.path} is {self.mime}, {self.size:,} bytes: its lines are not shown."
        shown = f"lines {self.start_line}-{self.end_line} of {self.total_lines}"
        is_passed = self.end_line < self.start_line <= self.total_lines
        if is_passed:
            shown = f"line {self.start_line} is too long to show"
            if self.size <= STREAMED:
                shown += f" unless it is named: {self.path}:{self.start_line}-{self.start_line}"
        if self.next_line is None:
            return shown if is_passed else ""
        return f"{shown}; go on at {self.path}:{self.next_line}-"


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
        return _stream_lines(root / path, path, start, end, limit, size), None
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
    file = files.get(path)
    if file is None:
        raise InvalidInput(path, "there is no such file", "Check the path and the revision.")
    if file.mode in (DIRECTORY, SYMLINK, SUBMODULE):
        from hkgit.applying.files.workspace import KINDS, advise_on

        where = f" to {file.data.decode('utf-8', 'replace')}" if file.mode == SYMLINK else ""
        raise InvalidInput(path, f"is {KINDS[file.mode]}{where}", advise_on(file.mode))
    kind, mime = _kind(file.data[:_PROBE])
    document = Document(file.data)
    first, last = _bounds(path, start, end, document.line_count)
    if kind != "text":
        hashed = document.range_hash(first, last)
        passed = Reading(
            path=path,
            start_line=first,
            end_line=last,
            total_lines=document.line_count,
            range_hash=hashed,
            raw_lines=(),
            size=len(file.data),
            kind=kind,
            mime=mime,
        )
        return passed, file.data
    shown = document.lines[first - 1 : last]
    if end is None:
        shown = shown[: _fitting(shown, limit)]
    stop = first + len(shown) - 1
    named = tuple(compute_tags(document.lines[:stop])[first - 1 :]) if hashline else None
    reading = Reading(
        path=path,
        start_line=first,
        end_line=stop,
        total_lines=document.line_count,
        range_hash=hash_lines(shown),
        raw_lines=shown,
        size=len(file.data),
        next_line=_next(first, stop, last),
        tags=named,
    )
    return reading, file.data


def _bounds(path: str, start: int | None, end: int | None, total: int) -> tuple[int, int]:
    """The lines that are asked for; an end past the last line is clamped. Raises InvalidInput.

    An empty file has the empty range, which is written 1-0.
    """
    if (start, end, total) == (1, 0, 0):
        return 1, 0
    first = 1 if start is None else start
    if first < 1 or (end is not None and end < first):
        raise InvalidInput(f"{path}:{first}-{end}", "is no range", "Count lines from 1.")
    if start is not None and first > total:
        what = f"starts past the last line: the file has {total} lines"
        raise InvalidInput(f"{path}:{first}", what, "Name lines it has.")
    return first, total if end is None else min(end, total)


def _fitting(lines: tuple[bytes, ...], limit: int | None) -> int:
    """How many lines are shown at once."""
    if limit is None:
        return len(lines)
    size = 0
    for count, line in enumerate(lines[:limit]):
        size += len(line) + 1
        if size > MAX_BYTES:
            return count
    return min(len(lines), limit)


def _next(first: int, stop: int, last: int) -> int | None:
    """The line to go on with; past a line that is too long to show."""
    following = stop + 1 if stop >= first else first + 1
    return following if stop < last and following <= last else None


def _kind(head: bytes) -> tuple[str, str]:
    """The kind of a file by its first bytes: text, image, or binary (git's rule: a NUL)."""
    for magic, mime in _IMAGES.items():
        if head.startswith(magic) and (b"\0" in head or magic != b"BM"):
            return "image", mime
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image", "image/webp"
    return ("binary", "a binary file") if b"\0" in head else ("text", "text/plain")


def _stream_lines(
    place: Path, path: str, start: int | None, end: int | None, limit: int | None, size: int
) -> Reading:
    """Read a large file; only what is shown is held, and so much is shown at most at once."""
    # Few files are so large.
    from hkgit.sessions.readings.large_files import count_lines, seek_line

    with place.open("rb") as stream:
        kind, mime = _kind(stream.read(_PROBE))
        if kind != "text":
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
        total = count_lines(stream)
        first, last = _bounds(path, start, end, total)
        seek_line(stream, first)
        head = stream.read(MAX_BYTES)
        is_all = not stream.read(1)
    if first == 1:
        head = head.removeprefix(BOM)
    whole = head if is_all else head[: head.rfind(b"\n") + 1]
    wanted = last - first + 1 if limit is None or end is not None else min(last - first + 1, limit)
    shown = Document(whole).lines[:wanted]
    stop = first + len(shown) - 1
    return Reading(
        path=path,
        start_line=first,
        end_line=stop,
        total_lines=total,
        range_hash=hash_lines(shown),
        raw_lines=shown,
        size=size,
        next_line=_next(first, stop, last),
    )
