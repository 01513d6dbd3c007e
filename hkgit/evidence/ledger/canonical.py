"""canonical.py: write records in one way only, so that a hash can name them."""

from __future__ import annotations

import base64
import json

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.text.hashing import sha256
from hkgit.text.json_nodes import Json, Node

_MOST = 2**53 - 1
"""The largest whole number that every reader of JSON reads alike."""


def write_canonical(value: Json) -> bytes:
    """Write canonical JSON (RFC 8785) and one line feed. Raises InvalidInput for other values."""
    if _is_plain(value):
        # Python writes what entries are made of as the RFC wants it; the rest needs its package.
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:  # it says so in its words
            pass
    import rfc8785

    if _has_fraction(value):
        raise InvalidInput("ledger entry", "cannot be written: its numbers must be whole")
    try:
        return rfc8785.dumps(value) + b"\n"
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InvalidInput("ledger entry", f"cannot be written: {error}") from error


def _is_plain(value: Json) -> bool:
    """Whether a value has but text, small whole numbers, and keys that sort alike everywhere."""
    kind: type = type(value)
    if kind is dict:
        return all(map(_is_key, value)) and all(map(_is_plain, value.values()))
    if kind is list or kind is tuple:
        return all(map(_is_plain, value))
    if kind is int:
        return bool(-_MOST <= value <= _MOST)
    return kind is str or kind is bool or value is None


def _has_fraction(value: Json) -> bool:
    """Whether a number has a fraction or an exponent, which not all programs write alike."""
    if isinstance(value, dict):
        return any(map(_has_fraction, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_fraction, value))
    return isinstance(value, float)


def _is_key(key: object) -> bool:
    return type(key) is str and key.isascii()


def digest(data: bytes) -> str:
    """Hash bytes: SHA-256 in lower-case hex."""
    return sha256(data).hexdigest()


def text_json(text: str) -> Json:
    """Write text as a JSON string, or as base64 where its bytes are not UTF-8."""
    data = encode_text(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def text_of(node: Node) -> str:
    """Read the text that `text_json` wrote. Raises InvalidInput."""
    if isinstance(node.value, str):
        return node.value
    data = node.fields(["base64"], [])["base64"]
    try:
        text = decode_text(base64.b64decode(data.text(), validate=True))
    except ValueError as error:
        raise data.wrong("base64") from error
    if text_json(text) != node.value:
        raise data.wrong("base64 in its usual form, of bytes that are not UTF-8")
    return text
