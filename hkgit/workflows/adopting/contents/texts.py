"""texts.py: compare files with what tools show of them: without marks and carriage returns."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.text.document import BOM


def show_text(data: bytes) -> bytes:
    """Write a text as tools show it."""
    return data.removeprefix(BOM).replace(b"\r\n", b"\n")


def is_shown_as(data: bytes | None, text: bytes) -> bool:
    """Whether a file reads like a text that a log holds."""
    return data is not None and (data == text or show_text(data) == show_text(text))


def with_ends(text: bytes, before: bytes | None) -> bytes:
    """Give a text the mark and line ends of what was there before."""
    if before is None:
        return text
    head = before.partition(b"\n")[0]
    if head.endswith(b"\r") and b"\r\n" not in text:
        text = text.replace(b"\n", b"\r\n")
    return BOM + text if before.startswith(BOM) and not text.startswith(BOM) else text


def count_shown(shown: Sequence[bytes], start_line: int, lines: Sequence[bytes]) -> int:
    """Count how many shown lines, from the first on, a file has at the same numbers."""
    count = 0
    for each, line in zip(shown, lines[start_line - 1 :], strict=False):
        if each != line:
            break
        count += 1
    return count
