"""packing.py: write several objects as one pack, for git to unpack in one process.

The format: gitformat-pack(5). Each object stands whole, so that nothing else is needed to read it.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection

from hkgit.git.backends.backend import BLOB, COMMIT, TAG, TREE
from hkgit.text.hashing import start_hash

_TYPES = {COMMIT: 1, TREE: 2, BLOB: 3, TAG: 4}


def write_pack(objects: Collection[tuple[str, bytes]], object_format: str) -> bytes:
    """Write a pack of objects, given as type and bytes.

    Format: gitformat-pack(5), version 2, without deltas.
    """
    parts = [b"PACK", (2).to_bytes(4, "big"), len(objects).to_bytes(4, "big")]
    for kind, data in objects:
        parts += [_head(_TYPES[kind], len(data)), zlib.compress(data, 1)]
    pack = b"".join(parts)
    return pack + start_hash(object_format, pack).digest()


def _head(kind: int, size: int) -> bytes:
    """Type and size: four bits of the size in the first byte, then seven in each, lowest first."""
    head = [kind << 4 | size & 0x0F]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)
