"""words.py: picking and changing the words of a line, for the labels."""

from __future__ import annotations

import re
from random import Random

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
NUMBER = re.compile(r"\d+")
_STRING = re.compile(r"([\"'])([^\"'\\]+)\1")

_RESERVED = (
    "and assert async await break case catch class const continue def default del elif else except"
    " export extends false False finally for from function if import in int is lambda let new None"
    " not null or pass private public raise return self static struct super switch this throw true"
    " True try type undefined var void while with yield"
)
RESERVED = frozenset(_RESERVED.split())
SYNONYMS = {
    "get": "fetch",
    "set": "assign",
    "data": "payload",
    "name": "label",
    "value": "val",
    "request": "req",
    "response": "resp",
    "path": "location",
    "file": "document",
    "key": "field",
    "text": "content",
    "options": "settings",
    "args": "arguments",
    "index": "position",
    "result": "outcome",
    "error": "failure",
    "message": "msg",
    "item": "entry",
    "node": "element",
    "test": "check",
    "is": "has",
    "type": "kind",
    "context": "ctx",
    "config": "conf",
}


def identifiers(line: str) -> list[re.Match[str]]:
    """The words of a line that name something that an author could misremember."""
    return [match for match in IDENTIFIER.finditer(line) if match.group() not in RESERVED]


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
    found = identifiers(line)
    if not found:
        return None
    match = rng.choice(found)
    return line[: match.start()] + misremembered(rng, match.group()) + line[match.end() :]


def with_value_changed(rng: Random, line: str) -> str | None:
    """The line with another number in it, or else another string; None where it has neither."""
    found = list(NUMBER.finditer(line))
    if found:
        match = rng.choice(found)
        number = str(int(match.group()) + rng.randint(1, 9)).zfill(len(match.group()))
        return line[: match.start()] + number + line[match.end() :]
    changed = _STRING.sub(r"\1\2-v2\1", line, count=1)
    return changed if changed != line else None


def reworded(rng: Random, prose: str) -> str | None:
    """Prose with a word left out and another one changed; None where there is too little of it."""
    words = prose.split(" ")
    if len(words) < 4:
        return None
    del words[rng.randrange(1, len(words) - 1)]
    at = rng.randrange(1, len(words))
    words[at] = {"the": "a", "a": "the", "is": "was", "to": "into", "if": "when"}.get(
        words[at], words[at] + "s"
    )
    return " ".join(words)


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]
