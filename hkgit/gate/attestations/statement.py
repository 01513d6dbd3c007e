"""What an attestation states, signed and kept under a ref."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.entry import write_canonical
from hkgit.git.layout import HEX
from hkgit.git.repository import Repository
from hkgit.text.hashes import digest
from hkgit.text.strict_json import Node, parse_document
from hkgit.values import dataclass

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/verification_summary/v1"
SLSA_VERSION = "1.2"
VERIFIER = "urn:hkgit"
LEVELS = ("SLSA_SOURCE_LEVEL_1", "ORG_SOURCE_HKGIT_REPLAYED")
"""The level that is asserted, and our own property, prefixed as the specification wants."""


@dataclass(frozen=True)
class Statement:
    """Every commit of `base..head` passes under a policy.

    `target` is the ref that the range is for, or None for any; `accepted` are the verdicts that
    passed, `counts` how many commits had which. `git` and `hkgit` are versions, `resource` is the
    repository's URI, and `time` when it was judged, as RFC 3339 writes it.
    """

    base: str
    base_tree: str
    head: str
    tree: str
    target: str | None
    policy: str
    accepted: tuple[str, ...]
    ladder: int
    counts: Mapping[str, int]
    git: str
    hkgit: str
    resource: str
    time: str

    @property
    def trees(self) -> tuple[str, str]:
        """The tree that the range begins with, and the one that it ends with."""
        return self.base_tree, self.tree

    def to_bytes(self) -> bytes:
        """Write the payload, a SLSA verification summary: canonical JSON and one line feed.

        Annotations hold what the summary has no place for, and the command that judges again.
        """
        judged = {
            "derive": f"hkgit gate --range {self.base}..{self.head}",
            "base": {"gitCommit": self.base, "gitTree": self.base_tree},
            "accepted": list(self.accepted),
            "ladder": self.ladder,
            "counts": dict(self.counts),
        }
        refs = [] if self.target is None else [self.target]
        subject = {
            "name": self.resource,
            "digest": {"gitCommit": self.head, "gitTree": self.tree},
            "annotations": {"source_refs": refs, "hkgit": judged},
        }
        predicate = {
            "verifier": {"id": VERIFIER, "version": {"hkgit": self.hkgit, "git": self.git}},
            "timeVerified": self.time,
            "resourceUri": self.resource,
            "policy": {
                "uri": f"{self.resource}@{self.base}#.hkgit/config.toml",
                "digest": {"sha256": self.policy.removeprefix("sha256:")},
            },
            "verificationResult": "PASSED",
            "verifiedLevels": [*LEVELS],
            "slsaVersion": SLSA_VERSION,
        }
        return write_canonical(
            {
                "_type": STATEMENT,
                "subject": [subject],
                "predicateType": PREDICATE,
                "predicate": predicate,
            }
        )


def read_statement(payload: bytes) -> Statement:
    """Read a payload just as `to_bytes` writes it. Raises InvalidInput."""
    try:
        document = json.loads(payload)
        [subject], says = document["subject"], document["predicate"]
        judged, versions = subject["annotations"]["hkgit"], says["verifier"]["version"]
        statement = Statement(
            base=_read_id(judged["base"]["gitCommit"]),
            base_tree=_read_id(judged["base"]["gitTree"]),
            head=_read_id(subject["digest"]["gitCommit"]),
            tree=_read_id(subject["digest"]["gitTree"]),
            target=next(map(str, subject["annotations"]["source_refs"]), None),
            policy=f"sha256:{says['policy']['digest']['sha256']}",
            accepted=tuple(map(str, judged["accepted"])),
            ladder=int(judged["ladder"]),
            counts={verdict: int(count) for verdict, count in judged["counts"].items()},
            git=str(versions["git"]),
            hkgit=str(versions["hkgit"]),
            resource=str(says["resourceUri"]),
            time=str(says["timeVerified"]),
        )
        is_exact = statement.to_bytes() == payload
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InvalidInput("attestation", f"is not a statement of hkgit: {error}") from error
    if not is_exact:
        raise InvalidInput("attestation", "is not a statement as hkgit writes it")
    return statement


def _read_id(text: str) -> str:
    if re.fullmatch(HEX, text) is None:
        raise ValueError(f"{text} is not the id of an object")
    return text


MAX_BYTES = 2**16
"""So long an envelope may be."""


@dataclass(frozen=True)
class Signature:
    """A signature, and a hint at the key it was made with."""

    keyid: str
    sig: bytes


@dataclass(frozen=True)
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
        tuple(
            Signature(says["keyid"].text() if "keyid" in says else "", _bytes(says["sig"]))
            for says in (node.fields(["sig"], ["keyid"]) for node in parts["signatures"].items())
        ),
    )


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


def change_refs(base_tree: str, tree: str) -> str:
    """Return where the envelopes for a change from tree to tree are kept, one ref each."""
    return f"{REFS}/{tree}/{base_tree}"


def store_envelope(repository: Repository, folder: str, envelope: Envelope) -> str:
    """Store an envelope under a name of its own; the name of its ref. Raises GitRefused."""
    data = envelope.to_bytes()
    ref = f"{folder}/{digest(data)[:16]}"
    repository.write_ref(ref, *repository.write_blobs(data))
    return ref


def read_envelopes(
    repository: Repository, folder: str, incoming: Mapping[str, str] | None = None
) -> Iterator[Envelope]:
    """Read the envelopes stored below one ref prefix; no signature is verified.

    `incoming` are refs of a push that are not set yet, with the ids they name. Of more than `MOST`
    of either, the first by name count: anybody may push there.
    """
    new = [each for ref, each in (incoming or {}).items() if ref.startswith(f"{folder}/")]
    kept = list_envelopes(repository, f"{folder}/").get(folder, [])
    return load_envelopes(repository, (*kept, *new[:MOST]))


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
