"""The manifest of a prune: the record of which entries a commit takes out of the tree.

It stands in the ledger like an entry, named by the hash of its bytes. The entries themselves stay
where replay looks for them: in the commit that added them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import MAX_BYTES, SCHEMA, write_canonical
from hkgit.text.strict_json import Json, parse_document
from hkgit.values import dataclass, field, late_pattern

MAX_ENTRIES = 10_000
"""So many entries one manifest may name."""

_ID = late_pattern(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The ids of the entries, in order; `claims` is somebody's word, as in an entry."""

    entries: tuple[str, ...]
    claims: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[str], claims: Mapping[str, Json]) -> Manifest:
        """Make the manifest of some entries. Raises InvalidInput when they are too many."""
        ids = tuple(sorted(set(entries)))
        if not 1 <= len(ids) <= MAX_ENTRIES:
            what = f"{len(ids)} entries, a manifest names 1 to {MAX_ENTRIES}"
            raise InvalidInput("prune", what, "Prune some of them at a time.")
        return cls(ids, claims)

    def to_bytes(self) -> bytes:
        """Write the canonical bytes whose SHA-256 names the manifest."""
        prune = {"entries": list(self.entries)}
        return write_canonical({"schema": SCHEMA, "prune": prune, "claims": dict(self.claims)})


def is_manifest(data: bytes) -> bool:
    """Whether canonical bytes cannot be those of an entry, which begin with its base."""
    return data.startswith(b'{"claims":')


def read_manifest(data: bytes) -> Manifest:
    """Parse a manifest. Raises InvalidInput where its bytes are not canonical."""
    if len(data) > MAX_BYTES:
        raise InvalidInput("manifest", f"has {len(data)} bytes, over {MAX_BYTES}")
    try:
        root = parse_document(data.decode())
    except UnicodeDecodeError as error:
        raise InvalidInput("manifest", "is not UTF-8") from error
    parts = root.fields(["schema", "prune", "claims"], [])
    if parts["schema"].integer(1) != SCHEMA:
        raise parts["schema"].wrong(f"the integer {SCHEMA}")
    listed = parts["prune"].fields(["entries"], [])["entries"]
    ids = [node.text() for node in listed.items()]
    if not all(map(_ID.match, ids)) or ids != sorted(set(ids)):
        raise listed.wrong("ids of entries, each once and in order")
    claims = {key: node.value for key, node in parts["claims"].members().items()}
    manifest = Manifest.of(ids, claims)
    if manifest.to_bytes() != data:
        raise InvalidInput("manifest", "is not canonical JSON and one line feed")
    return manifest
