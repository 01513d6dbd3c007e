"""Hashes as `hashlib` gives them, without loading OpenSSL for a few small ones.

OpenSSL is several times as fast, and takes a fifth of a start of the interpreter to load. So the
first bytes of a process are left to the implementations that come with Python.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash as Hash


_FEW_BYTES = 1 << 19  # How much is hashed before loading OpenSSL pays
_MODULES = {"sha1": "_sha1", "sha256": "_sha256" if sys.version_info < (3, 12) else "_sha2"}
"""Where Python's own implementations are."""

_hashed = 0


def start_hash(name: str, data: bytes = b"", *, more: int = 0) -> Hash:
    """Begin a hash with some data; `more` bytes are expected to follow.

    Small amounts are hashed by Python's own modules, because to load OpenSSL takes longer.
    """
    global _hashed
    _hashed += len(data) + more
    if _hashed < _FEW_BYTES and name in _MODULES:
        try:
            started: Hash = getattr(__import__(_MODULES[name]), name)(data)
        except ImportError:  # a Python may be built without
            pass
        else:
            return started
    import hashlib

    fast: Hash = getattr(hashlib, name)(data)
    return fast


def sha256(data: bytes) -> Hash:
    """Begin a SHA-256 with some bytes."""
    return start_hash("sha256", data)
