"""words.py: picking and changing the words of a line, for the labels."""

from __future__ import annotations

import re
from random import Random

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
NUMBER = re.compile(r"\d+")
COMMENT = re.compile(r"(?:#|//)\s+(\S.*)|^\s*\*\s+(\S.*)")

_RESERVED = (
    "and assert async await break case catch class const continue def default del elif else except"
    " export extends false False finally for from function if import in int is lambda let new None"
    " not null or pass private public raise return self static struct super switch this throw true"
    " True try type undefined var void while with yield"
)
RESERVED = frozenset(_RESERVED.split())
SYNONYMS = {
    "get": "fetch", "set": "assign", "data": "payload", "name": "label", "value": "val",
    "request": "req", "response": "resp", "path": "location", "file": "document", "key": "field",
    "text": "content", "options": "settings", "args": "arguments", "index": "position",
    "result": "outcome", "error": "failure", "message": "msg", "item": "entry", "node": "element",
    "test": "check", "is": "has", "type": "kind", "context": "ctx", "config": "conf",
}  # fmt: skip


def is_code_word(word: str) -> bool:
    """Whether a word names something that an author could misremember."""
    return word not in RESERVED


def misremembered(rng: Random, word: str) -> str:
    """A name close to this one, as a model would recall it."""
    parts = word.split("_")
    at = rng.randrange(len(parts))
    if parts[at].lower() in SYNONYMS:
        parts[at] = SYNONYMS[parts[at].lower()]
        return "_".join(parts)
    changes = [word + "s", "_" + word, word + "_", word + "2", word[:-1], "my_" + word]
    return rng.choice(changes)


def with_word_changed(rng: Random, line: str) -> str | None:
    """The line with one identifier misremembered, or None where there is none."""
    found = [m for m in IDENTIFIER.finditer(line) if is_code_word(m.group())]
    if not found:
        return None
    match = rng.choice(found)
    return line[: match.start()] + misremembered(rng, match.group()) + line[match.end() :]


def with_number_changed(rng: Random, line: str) -> str | None:
    """The line with one number raised, or None where there is none."""
    found = list(NUMBER.finditer(line))
    if not found:
        return None
    match = rng.choice(found)
    number = str(int(match.group()) + rng.randint(1, 9)).zfill(len(match.group()))
    return line[: match.start()] + number + line[match.end() :]


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]
