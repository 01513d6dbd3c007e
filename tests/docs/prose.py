"""The sentences and paragraphs of a page, for a linter: without code and targets of links."""

import re
from collections.abc import Iterator

MOST_WORDS = 40
MOST_IN_A_PARAGRAPH = 90

ODD_WORDS = {
    r"heed\w*": "read, use, obey",
    r"mend\w*": "fix",
    r"blanks|a blank(?! (?:old |new )?(?:lines?|one|item))": "space, whitespace",
    r"(?:stands?|stood)(?! for)": "is, occurs",
    r"such (?:are|is)": "these are, for example",
    r"(?:is|are) none of": "is not one of",
    r"is no (?:JSON|TOML|UTF-8|pass|proof)": "is not",
    r"passed (?:by|over)": "skipped",
    r"whoever's|nobody's": "name the person or thing",
    r"(?:is|are) said to be": "is reported as",
    r"is asked of": "runs on",
    r"bears? out": "confirms",
    r"(?:are|is) told of": "is reported",
    r"else it": "otherwise it",
    r"of its own making": "that it made",
    r"as it stands|where it stands": "as it is",
    r"there is not": "does not exist",
    r"anew": "again",
    r"speaks? of": "is about, refers to",
    r"tells? of": "describe, name",
    r"lets? (?:\w+ )?pass": "accepts, allows",
    r"in the place of": "instead of",
    r"makes? room": "free some space",
}
"""Words of a translated English, each with what to write instead."""

_LEFT_OUT = re.compile(r"^(`{3,}|~~~).*?^\1\s*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]+`")
_END = re.compile(r"(?<=[.!?])[)\"*_]*\s+")
_BEGIN = re.compile(r"^\s*(?:[-*+]|\d+\.|#+|>)\s+")
_NUMBER = re.compile(r"^\*\*[A-Z]\d+\*\* ")
_ODD = re.compile(rf"(?<![\w-])(?:{'|'.join(ODD_WORDS)})(?![\w-])", re.IGNORECASE)


def sentences(page: str) -> Iterator[str]:
    """Every sentence; a cell of a table is one of its own."""
    for block in _blocks(_plain(page)):
        yield from (each for each in _END.split(block) if each.strip())


def long_sentences(page: str) -> list[str]:
    """Those of more words than a reader keeps."""
    return [each for each in sentences(page) if len(each.split()) > MOST_WORDS]


def paragraphs(page: str) -> list[str]:
    """Every paragraph, item of a list and cell of a table."""
    return [each for each in _blocks(_plain(page)) if each.strip()]


def long_paragraphs(page: str) -> list[str]:
    """Those that a reader would rather have in two."""
    return [each for each in paragraphs(page) if len(each.split()) > MOST_IN_A_PARAGRAPH]


def find_odd_words(text: str) -> list[str]:
    """Find the words that a stranger would stumble over, code left out."""
    return _ODD.findall(_plain(text))


def _plain(page: str) -> str:
    return _CODE.sub("code", _LINK.sub(r"\1", _LEFT_OUT.sub("", page)))


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
