"""directory.py: the files below a directory, read and written without ever leaving it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import GitRefused, InvalidInput
from hkgit.paths import check_tree_path


@dataclass(frozen=True, slots=True)
class DirectorySnapshot:
    """A snapshot of a directory: links are seen as links, never followed."""

    root: Path

    def get(self, path: str) -> File | None:
        """The file at a path below the root; a link is one, a nested repository a submodule."""
        check_tree_path(path)
        place = self.root
        for part in path.split("/")[:-1]:
            place /= part
            if place.is_symlink() or not place.is_dir():
                return None
        place /= path.rsplit("/", 1)[-1]
        try:
            mode = place.lstat().st_mode
            return _file(place, mode)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InvalidInput(path, f"cannot be read: {error.strerror}") from error

    def paths(self) -> Iterator[str]:
        """Every file below the root but those of git."""
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if name != ".git"]
            for name in files:
                yield (Path(folder) / name).relative_to(self.root).as_posix()


def _file(place: Path, mode: int) -> File | None:
    if stat.S_ISLNK(mode):
        return File(os.fsencode(place.readlink()), SYMLINK)
    if stat.S_ISDIR(mode):
        return File(b"", SUBMODULE if (place / ".git").exists() else DIRECTORY)
    if not stat.S_ISREG(mode):
        raise InvalidInput(str(place), "is no regular file", "Name a regular file.")
    return File(place.read_bytes(), EXECUTABLE if mode & stat.S_IXUSR else REGULAR)


def write_files(root: Path, files: Mapping[str, File | None]) -> None:
    """Bring files to their new state; each is replaced in one step, none half written.

    New bytes are all on disk before the first file changes place. Raises GitRefused when the
    system does not let a file be written; what was written by then stands in the message.
    """
    staged = {path: _staged(root, path, file) for path, file in files.items() if file is not None}
    done: list[str] = []
    try:
        for path, file in files.items():
            if file is None:
                (root / path).unlink()
            else:
                staged.pop(path).replace(root / path)
            done.append(path)
    except OSError as error:
        what = f"could not be written: {error.strerror}; written before it: {done or 'nothing'}"
        raise GitRefused(str(error.filename), what, "Look at these files.") from error
    finally:
        for left in staged.values():
            left.unlink(missing_ok=True)


def _staged(root: Path, path: str, file: File) -> Path:
    """The new bytes beside their place, with the mode that the file has or gets."""
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".hkgit-", dir=place.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(file.data)
        staged = Path(name)
        staged.chmod(_permissions(place, file.mode))
    except OSError as error:
        raise GitRefused(path, f"could not be written: {error.strerror}") from error
    return staged


def _permissions(place: Path, mode: int) -> int:
    if place.exists():
        return stat.S_IMODE(place.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return (0o777 if mode == EXECUTABLE else 0o666) & ~mask
