"""canonical.py: write records in one way only, so that a hash can name them."""

from __future__ import annotations

import base64
import binascii
import hashlib

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.text.json_nodes import Json, Node


def canonical(value: Json) -> bytes:
    """RFC 8785 canonical JSON and one line feed. Raises InvalidInput for what JSON cannot say."""
    import rfc8785

    try:
        return rfc8785.dumps(value) + b"\n"
    except rfc8785.CanonicalizationError as error:
        raise InvalidInput("ledger entry", f"cannot be written: {error}") from error


def digest(data: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def text_json(text: str) -> Json:
    """Text as a JSON string, or as base64 where its bytes are not UTF-8."""
    data = encode_text(text)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def text_of(node: Node) -> str:
    """The text that `text_json` wrote. Raises InvalidInput."""
    if isinstance(node.value, str):
        return node.value
    data = node.fields(["base64"], [])["base64"]
    try:
        return decode_text(base64.b64decode(data.text(), validate=True))
    except binascii.Error as error:
        raise data.wrong("base64") from error
