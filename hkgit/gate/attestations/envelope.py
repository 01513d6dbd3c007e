"""envelope.py: a payload with signatures, in the DSSE format (secure-systems-lab, v1.0).

Signed is not the payload but `encode_pae` of it, so that no other kind of document can be taken
for it. The payload's bytes are kept as they are: nothing is serialised again to be verified.
"""

from __future__ import annotations

import base64
import binascii

from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.canonical import write_canonical
from hkgit.text.json_nodes import Node
from hkgit.text.strict_json import parse_document
from hkgit.values import dataclass

MAX_BYTES = 2**16
"""So long an envelope may be."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature, and a hint at the key it was made with."""

    keyid: str
    sig: bytes


@dataclass(frozen=True, slots=True)
class Envelope:
    """Some bytes of a type, signed."""

    payload_type: str
    payload: bytes
    signatures: tuple[Signature, ...]

    def to_bytes(self) -> bytes:
        """Write the envelope as canonical JSON and one line feed."""
        return write_canonical(
            {
                "payloadType": self.payload_type,
                "payload": _base64(self.payload),
                "signatures": [
                    {"keyid": each.keyid, "sig": _base64(each.sig)} for each in self.signatures
                ],
            }
        )


def encode_pae(payload_type: str, payload: bytes) -> bytes:
    """Encode what is signed: the pre-authentication encoding of DSSE version 1."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def read_envelope(data: bytes) -> Envelope:
    """Parse an envelope; no signature is verified. Raises InvalidInput."""
    if len(data) > MAX_BYTES:
        raise InvalidInput("attestation", f"has {len(data)} bytes, over {MAX_BYTES}")
    try:
        root = parse_document(data.decode())
    except UnicodeDecodeError as error:
        raise InvalidInput("attestation", "is not UTF-8") from error
    parts = root.fields(["payloadType", "payload", "signatures"], [])
    return Envelope(
        parts["payloadType"].text(),
        _bytes(parts["payload"]),
        tuple(_signature(node) for node in parts["signatures"].items()),
    )


def _signature(node: Node) -> Signature:
    parts = node.fields(["sig"], ["keyid"])
    keyid = parts["keyid"].text() if "keyid" in parts else ""
    return Signature(keyid, _bytes(parts["sig"]))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(node: Node) -> bytes:
    try:
        return base64.b64decode(node.text(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise node.wrong("base64") from error
