"""Lines of a file in the checkout, as far as they were asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from hkgit.applying.files import DirectorySnapshot
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.text.document import Document
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.attributes import Unedited
    from hkgit.text.document import Lines
    from hkgit.text.strict_json import JsonObject


LARGEST = 64 * 2**20
"""Files of more bytes are not read or edited: an edit needs several times as much memory."""


@dataclass(frozen=True)
class Checkout:
    """A snapshot of a directory that refuses files too large to be read or edited."""

    root: Path

    def get(self, path: str) -> File | None:
        """Return the file at a path. Raises InvalidInput where it is too large."""
        check_tree_path(path)
        with suppress(OSError):
            size = (self.root / path).lstat().st_size
            if size > LARGEST:
                what = f"has {size:,} bytes; files over {LARGEST:,} are not read or edited"
                raise InvalidInput(path, what, "Use another tool.")
        return DirectorySnapshot(self.root).get(path)

    def paths(self) -> Iterable[str]:
        return DirectorySnapshot(self.root).paths()


@dataclass(frozen=True)
class ReadableCheckout(Checkout):
    """A checkout whose files are to be read: it refuses those that git left out of it."""

    def get(self, path: str) -> File | None:
        file = super().get(path)
        if file is None and self._unedited is not None:
            self._unedited.expect_checked_out(path)
        return file

    @cached_property
    def _unedited(self) -> Unedited | None:
        """The test for files that are not edited in place; None without a repository."""
        # Who only reads a file that is there waits for none of it.
        from hkgit.git.attributes import Unedited
        from hkgit.sessions.homes import find_git_dir

        git_dir = find_git_dir(self.root)
        return None if git_dir is None else Unedited(self.root, git_dir)


@dataclass(frozen=True)
class EditableCheckout(ReadableCheckout):
    """A checkout whose files are to be edited: also refuses those of which git stores another
    text."""

    def get(self, path: str) -> File | None:
        file = super().get(path)
        if self._unedited is not None and (file is None or file.mode in (REGULAR, EXECUTABLE)):
            self._unedited.expect_plain(path)
        return file


MAX_LINES = 2000
MAX_BYTES = 256 * 2**10
"""So much is shown at once where no last line is named; then it is said where to go on."""

_PROBE = 8000
"""So many bytes of a file tell its kind."""

_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


@dataclass(frozen=True)
class Reading:
    """Lines of a file as read, with the hash to quote.

    `kind` is `text`, `image` or `binary`; the lines of the latter two are left out, and `mime` says
    what they are. `next_line` is where to go on reading; None where nothing is left that was asked
    for. `tags` are those of the lines, None in place of one whose tag a line above has already.
    `has_receipt` says that the session keeps a receipt of it.
    """

    path: str
    file: Document
    start_line: int
    end_line: int
    kind: str = "text"
    mime: str | None = None
    next_line: int | None = None
    tags: tuple[str | None, ...] | None = None
    has_receipt: bool = False

    @property
    def range_hash(self) -> str:
        return self.file.range_hash(self.start_line, self.end_line)

    @property
    def raw_lines(self) -> tuple[bytes, ...]:
        return self.file.lines[self.start_line - 1 : self.end_line] if self.kind == "text" else ()

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
            size = f"{len(self.file.data):,} bytes"
            return f"{self.path} is {self.mime}, {size}: its lines are not shown."
        shown = f"lines {self.start_line}-{self.end_line} of {self.file.line_count}"
        is_passed = self.end_line < self.start_line <= self.file.line_count
        if is_passed:
            named = f"{self.path}:{self.start_line}-{self.start_line}"
            shown = f"line {self.start_line} is too long to show unless it is named: {named}"
        if self.next_line is None:
            return shown if is_passed else ""
        return f"{shown}; go on at {self.path}:{self.next_line}-"

    @property
    def document(self) -> JsonObject:
        """It as JSON (`hkgit schema read`); keys without a value are left out."""
        from hkgit.text.escape import to_json_text

        document: JsonObject = {
            "path": to_json_text(self.path),
            "start_line": self.start_line,
            "end_line": self.end_line,
            "total_lines": self.file.line_count,
            "range_hash": self.range_hash,
            "range_lines": self.lines,
        }
        more: JsonObject = {
            "mime": self.mime,
            "next_line": self.next_line,
            "kind": None if self.kind == "text" else self.kind,
            "has_receipt": self.has_receipt or None,
            "tagged_lines": None if self.tags is None else self.shown,
        }
        return document | {name: value for name, value in more.items() if value is not None}


def read_snapshot(
    files: Snapshot,
    path: str,
    start: int | None,
    end: int | None,
    *,
    hashline: bool = False,
    limit: int | None,
) -> Reading:
    """Read a file of a snapshot. Raises InvalidInput when there is no such file or line."""
    file = _find_regular_file(files, path)
    kind, mime = _find_kind(file.data[:_PROBE])
    document = Document(file.data)
    first, last = _find_bounds(path, start, end, document.line_count)
    shown = document.lines[first - 1 : last] if kind == "text" else ()
    if end is None and limit is not None:
        sizes = accumulate(len(line) + 1 for line in shown[:limit])
        shown = shown[: bisect_right([*sizes], MAX_BYTES)]
    stop = first + len(shown) - 1 if kind == "text" else last
    # Past a line that is too long to show.
    following = stop + 1 if stop >= first else first + 1
    tags: tuple[str | None, ...] | None = None
    if hashline and kind == "text":
        from hkgit.text.hashes import compute_tags  # few readings have tags

        tags = tuple(compute_tags(document.lines[:stop])[first - 1 :])
    return Reading(
        path=path,
        file=document,
        start_line=first,
        end_line=stop,
        kind=kind,
        mime=mime,
        next_line=following if stop < last and following <= last else None,
        tags=tags,
    )


def _find_regular_file(files: Snapshot, path: str) -> File:
    file = files.get(path)
    if file is None:
        raise InvalidInput(path, "there is no such file", "Check the path and the revision.")
    if file.mode in (DIRECTORY, SYMLINK, SUBMODULE):
        from hkgit.applying.workspace import KINDS, advise_on

        where = f" to {file.data.decode('utf-8', 'replace')}" if file.mode == SYMLINK else ""
        raise InvalidInput(path, f"is {KINDS[file.mode]}{where}", advise_on(file.mode))
    return file


def _find_kind(head: bytes) -> tuple[str, str | None]:
    """Tell the kind of a file by its first bytes: text, image, or binary (git's rule: a NUL).

    Returns what the others are as well: a MIME type, or words.
    """
    for magic, mime in _IMAGES.items():
        if head.startswith(magic) and (b"\0" in head or magic != b"BM"):
            return "image", mime
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image", "image/webp"
    return ("binary", "a binary file") if b"\0" in head else ("text", None)


def _find_bounds(path: str, start: int | None, end: int | None, total: int) -> Lines:
    """Find the lines that are asked for; an end past the last line is clamped.

    An empty file has the empty range, which is written 1-0; so line 1 of it may be named as well.
    """
    if (start, total) == (1, 0):
        return 1, 0
    first = 1 if start is None else start
    if first < 1 or (end is not None and end < first):
        fix = "Name the first line and then the last, counted from 1."
        raise InvalidInput(f"{path}:{first}-{end}", "is not a range of lines", fix)
    if start is not None and first > total:
        what = f"starts past the last line: the file has {total} lines"
        raise InvalidInput(f"{path}:{first}", what, "Name lines it has.")
    return first, total if end is None else min(end, total)
