"""The sentences of a page, for a linter: without code, bars of tables, and targets of links."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_WORDS = 40

_LEFT_OUT = re.compile(r"^(`{3,}|~~~).*?^\1\s*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]+`")
_END = re.compile(r"(?<=[.!?])[)\"*_]*\s+")
_BEGIN = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>)\s+")
_NUMBER = re.compile(r"^\*\*[A-Z]\d+\*\* ")


def sentences(page: str) -> Iterator[str]:
    """Every sentence; a cell of a table is one of its own."""
    text = _CODE.sub("code", _LINK.sub(r"\1", _LEFT_OUT.sub("", page)))
    for block in _blocks(text):
        yield from (each for each in _END.split(block) if each.strip())


def long_sentences(page: str) -> list[str]:
    """Those of more words than a reader keeps."""
    return [each for each in sentences(page) if len(each.split()) > MOST_WORDS]


def _blocks(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        is_row = line.lstrip().startswith("|")
        if is_row or not line.strip() or _BEGIN.match(line):
            yield " ".join(block)
            block = []
        if is_row:
            yield from line.split("|")
        elif line.strip():
            block.append(_NUMBER.sub("", _BEGIN.sub("", line).strip()))
