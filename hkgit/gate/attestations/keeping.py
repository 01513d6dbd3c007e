"""keeping.py: store envelopes by their subject, under refs that clones do not fetch by default.

`refs/hkgit/attestations/<tree>/<tree before>/<digest>` names the blob of an envelope. The name is
for finding it; what counts is what is signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hkgit.errors import HkgitError
from hkgit.evidence.ledger.canonical import digest
from hkgit.gate.attestations.envelope import MAX_BYTES, Envelope, read_envelope
from hkgit.gate.attestations.statement import read_statement
from hkgit.git.repository import Repository

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
