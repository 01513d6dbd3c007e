"""Signed envelopes, and the refs that keep them.

Signed is not the payload but `encode_pae` of it, so that no other kind of document can be taken
for it. The payload's bytes are kept as they are: nothing is serialised again to be verified.

`refs/hkgit/attestations/<tree>/<tree before>/<digest>` names the blob of an envelope. The name is
for finding it; what counts is what is signed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping

from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.entry import digest, write_canonical
from hkgit.gate.attestations.statement import read_statement
from hkgit.git.repository import Repository
from hkgit.text.strict_json import Node, parse_document
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


REFS = "refs/hkgit/attestations"
MOST = 32
"""So many envelopes of one place are looked at: each takes a process or more."""


def store_envelope(repository: Repository, envelope: Envelope) -> str:
    """Store an envelope where `read_envelopes` finds it; the name of its ref. Raises GitRefused."""
    statement = read_statement(envelope.payload)
    return store_envelope_below(
        repository, f"{REFS}/{statement.tree}/{statement.base_tree}", envelope
    )


def store_envelope_below(repository: Repository, folder: str, envelope: Envelope) -> str:
    """Store an envelope under a name of its own; the name of its ref. Raises GitRefused."""
    data = envelope.to_bytes()
    ref = f"{folder}/{digest(data)[:16]}"
    repository.write_ref(ref, repository.write_blob(data))
    return ref


def read_envelopes(repository: Repository, base_tree: str, tree: str) -> Iterator[Envelope]:
    """Read the envelopes stored for a change from tree to tree; verify no signature."""
    return read_envelopes_below(repository, f"{REFS}/{tree}/{base_tree}")


def read_envelopes_below(
    repository: Repository, folder: str, incoming: Mapping[str, str] | None = None
) -> Iterator[Envelope]:
    """Read the envelopes stored below one ref prefix; no signature is verified.

    `incoming` are refs of a push that are not set yet, with the ids they name. Of more than `MOST`
    of either, the first by name count: anybody may push there.
    """
    only = f"--count={MOST}"
    args = ("for-each-ref", only, "--format=%(objectname)", f"{folder}/")
    blobs = repository.git(*args).text.split()
    new = [each for ref, each in (incoming or {}).items() if ref.startswith(f"{folder}/")]
    return load_envelopes(repository, (*blobs, *new[:MOST]))


def list_envelopes(repository: Repository, *roots: str) -> dict[str, list[str]]:
    """List the blobs of all envelopes below some places, at most `MOST` of each folder."""
    listed = repository.git("for-each-ref", "--format=%(objectname) %(refname)", "--", *roots).text
    found: dict[str, list[str]] = {}
    for line in listed.splitlines():
        blob, _, ref = line.partition(" ")
        found.setdefault(ref.rpartition("/")[0], []).append(blob)
    return {folder: blobs[:MOST] for folder, blobs in found.items()}


def load_envelopes(repository: Repository, blobs: Iterable[str]) -> Iterator[Envelope]:
    """Read the envelopes in some blobs, and skip those that cannot be read."""
    for blob in blobs:
        try:
            if repository.blob_size(blob) <= MAX_BYTES:
                yield read_envelope(repository.blob(blob))
        except HkgitError:  # what cannot be read says nothing
            continue
