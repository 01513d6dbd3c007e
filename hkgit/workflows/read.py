"""read.py: lines of a file or of its content, with the hash that an edit of them quotes."""

from __future__ import annotations

from pathlib import Path

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput, WrongArgument
from hkgit.text.document import Document
from hkgit.values import dataclass
from hkgit.workflows.arguments import Content, names_file


@dataclass(frozen=True, slots=True)
class ReadRange:
    """Lines of a file with the hash that an edit of them quotes; the keys of `read --json`."""

    start_line: int
    end_line: int
    total_lines: int
    range_hash: str
    range_lines: tuple[str, ...]


def read_range(
    content: Content | Path, start_line: int = 1, end_line: int | None = None
) -> ReadRange:
    """Read lines of a file, or of its content, with their hash; an end past the last is clamped.

    A file is named by a Path; a string is content. Raises InvalidInput when the range starts
    outside the file or a string names a file, OSError when the file cannot be read.
    """
    if not isinstance(content, str | bytes | Path):
        raise WrongArgument("content", content, "text, bytes or a Path", "Give one of these.")
    if isinstance(content, str) and names_file(content):
        fix = "Give the content itself, or the file as pathlib.Path."
        raise WrongArgument("content", content, "the content of a file, not its name", fix)
    data = content.read_bytes() if isinstance(content, Path) else content
    document = Document(encode_text(data) if isinstance(data, str) else data)
    total = document.line_count
    last = total if end_line is None else min(end_line, total)
    if not 1 <= start_line <= last + 1:
        raise InvalidInput(f"{start_line}-{end_line}", f"the file has {total} lines", "Read those.")
    lines = tuple(decode_text(line) for line in document.lines[start_line - 1 : last])
    return ReadRange(
        start_line=start_line,
        end_line=last,
        total_lines=total,
        range_hash=document.range_hash(start_line, last),
        range_lines=lines,
    )
