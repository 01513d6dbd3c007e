"""ids.py: the ids of objects: 40 hex digits, or 64 where a repository counts in SHA-256."""

from __future__ import annotations

from hkgit.text.hashing import start_hash
from hkgit.values import late_pattern

HEX = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
FULL_ID = late_pattern(HEX)

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without a file, which git knows without storing it; `Repository.snapshot` takes it in
every repository, git itself only where ids have 40 digits."""

EMPTY_TREES = {
    "sha1": EMPTY_TREE,
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""By the name of the object format."""


def is_empty_tree(object_id: str) -> bool:
    return object_id in EMPTY_TREES.values()


def absent_like(object_id: str) -> str:
    """Return the id that stands for no object: as many zeros as this id has digits."""
    return "0" * len(object_id)


def compute_id(kind: str, data: bytes, object_format: str) -> str:
    """Compute the id that git gives to an object of a type with these bytes."""
    head = b"%s %d\0" % (kind.encode(), len(data))
    digest = start_hash(object_format, head, more=len(data))
    digest.update(data)
    return digest.hexdigest()
