"""json_ends.py: complete JSON that ends too early."""

from __future__ import annotations

import json
import re

MOST_TRIES = 20

_FENCE = re.compile(r"\n[ \t]*(?:`{3,}|~{3,})[ \t\r]*\Z")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*+)\\(?:u[0-9A-Fa-f]{0,3})?\Z")
_HALF_WORD = re.compile(r"[a-z]{1,4}|-|[0-9.eE+-]+")


def complete_json(text: str, start: int) -> tuple[str, str] | None:
    """Complete the JSON from `start` on: the text with its missing ends, and those ends alone.

    None where the JSON does not break off at the end of the text: then it is wrong, not short. A
    member that is not whole is left out, but a string that is not is closed.
    """
    stop = len(text[: _fence(text)].rstrip())
    tokens = list(_TOKEN.finditer(text, start, stop))
    missing = _find_missing_ends(tokens)
    if not missing or not _breaks_off(text[start:stop]):
        return None
    if (closed := _with_ends(text[start:stop], missing)) is not None:
        return f"{text[:start]}{closed}\n", missing
    for token in [token for token in tokens if token[0] in ",[{"][: -MOST_TRIES - 1 : -1]:
        end = token.start() if token[0] == "," else token.end()
        rest = _find_missing_ends([each for each in tokens if each.end() <= end])
        if (closed := _with_ends(text[start:end], rest)) is not None:
            return f"{text[:start]}{closed}\n", missing
    return None


def _fence(text: str) -> int:
    """Where the fence that closes a text stands, if one does."""
    found = _FENCE.search(text.rstrip())
    return len(text) if found is None else found.start()


def _find_missing_ends(tokens: list[re.Match[str]]) -> str:
    """Find what closes the strings and brackets that are open behind some tokens; "" for none."""
    stack: list[str] = []
    for token in tokens:
        if token[0] in _CLOSERS:
            stack.append(_CLOSERS[token[0]])
        elif token[0] in "]}" and stack:
            stack.pop()
            if not stack:
                return ""
    last = tokens[-1][0] if tokens else ""
    is_open = last.startswith('"') and (len(last) == 1 or re.fullmatch(_STRING, last) is None)
    return ('"' if is_open else "") + "".join(reversed(stack))


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def _breaks_off(body: str) -> bool:
    """Whether the first mistake of some JSON is that it ends."""
    try:
        json.JSONDecoder().raw_decode(body)
    except json.JSONDecodeError as error:
        rest = body[error.pos :].strip()
        is_string = error.msg.startswith("Unterminated") or _HALF_ESCAPE.match(rest) is not None
        return not rest or is_string or _HALF_WORD.fullmatch(rest) is not None
    return False


def _with_ends(body: str, ends: str) -> str | None:
    """JSON with its ends, or None where that is not JSON."""
    if ends.startswith('"'):
        body = _HALF_ESCAPE.sub(r"\1", body)
    closed = body + ends
    try:
        json.loads(closed)
    except ValueError:
        return None
    return closed
