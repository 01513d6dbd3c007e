"""Versions of files and small records on disk.

Nobody else can read it: a value may quote files that only their owner reads.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.edits import File
from hkgit.errors import GitRefused
from hkgit.sessions.homes import find_notes
from hkgit.text.hashes import digest
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.evidence.entry import FileMark


def keep_json(place: Path, value: object) -> bytes:
    """Replace a file by a value in one step; an empty value removes the file. Raises OSError."""
    if not value:
        place.unlink(missing_ok=True)
        return b""
    data = json.dumps(value, separators=(",", ":")).encode()
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
    new.replace(place)
    return data


_LEVEL = 1
"""Of zlib: the fastest, as most versions are never read again."""


@dataclass(frozen=True)
class Blobs:
    """A directory of compressed files."""

    folder: Path

    @classmethod
    def of_session(cls, folder: Path) -> Blobs:
        """Those of the session in a folder."""
        return cls(folder / "versions")

    def put(self, data: bytes) -> str:
        """Keep some bytes; answers with their name. Raises GitRefused."""
        name = digest(data)
        place = self._place(name)
        if place.exists():
            return name
        staged = place.with_name(f".{os.urandom(8).hex()}")
        with expect_writable(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                staged.write_bytes(zlib.compress(data, _LEVEL))
                staged.replace(place)
            finally:
                staged.unlink(missing_ok=True)
        return name

    def put_files(self, files: Iterable[File | None]) -> None:
        """Keep the bytes of files. Raises GitRefused."""
        for file in files:
            if file is not None:
                self.put(file.data)

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name; None where they are not kept, or are damaged."""
        try:
            data = zlib.decompress(self._place(name).read_bytes())
        except (OSError, zlib.error):
            return None
        return data if digest(data) == name else None

    def file(self, version: FileMark | None) -> File | None:
        """Return a version of a file; None for none, and where it is not kept."""
        data = None if version is None else self.get(version.sha256)
        return None if version is None or data is None else File(data, version.mode)

    def keep(self, names: Collection[str]) -> None:
        """Throw all others away."""
        for place in self.folder.glob("??/*"):
            if place.parent.name + place.name not in names:
                place.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self.folder / name[:2] / name[2:]


@contextmanager
def expect_writable(place: Path) -> Iterator[None]:
    """Raise GitRefused where the state of a call cannot be kept; nothing was edited."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {error.strerror or os.strerror(error.errno or 0)}"
        raise GitRefused(str(place), what, "Free some space, then try again.") from error


def list_noted_versions(folder: Path) -> Iterator[str]:
    """List the versions of files that open calls of a session have found (`agents.begun_calls`)."""
    for place in find_notes(folder, "*"):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            files = json.loads(place.read_text())["files"]
            yield from (version for _, _, version in files.values())
