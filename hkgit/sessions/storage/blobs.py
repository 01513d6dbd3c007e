"""blobs.py: versions of files, stored by the SHA-256 of their bytes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.evidence.ledger.canonical import digest
from hkgit.values import dataclass

_LEVEL = 1
"""Of zlib: the fastest; versions live until the next commit."""


@dataclass(frozen=True, slots=True)
class Blobs:
    """A directory of compressed files."""

    folder: Path

    def put(self, data: bytes) -> str:
        """Keep some bytes; answers with their name. Raises GitRefused."""
        name = digest(data)
        place = self._place(name)
        if place.exists():
            return name
        staged = place.with_name(f".{os.urandom(8).hex()}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                staged.write_bytes(zlib.compress(data, _LEVEL))
                staged.replace(place)
            finally:
                staged.unlink(missing_ok=True)
        except OSError as error:
            raise refuse_unwritable(place, error) from error
        return name

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name; None where they are not kept, or are damaged."""
        try:
            data = zlib.decompress(self._place(name).read_bytes())
        except (OSError, zlib.error):
            return None
        return data if digest(data) == name else None

    def keep(self, names: Collection[str]) -> None:
        """Throw all others away."""
        for place in self.folder.glob("??/*"):
            if place.parent.name + place.name not in names:
                place.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self.folder / name[:2] / name[2:]


def refuse_unwritable(place: Path, error: OSError) -> GitRefused:
    """Build the error for a call whose state cannot be kept; nothing was edited."""
    reason = error.strerror or os.strerror(error.errno or 0)
    return GitRefused(str(place), f"cannot be written: {reason}", "Make room, then try again.")
