"""directory.py: the files below a directory, read and written without ever leaving it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import GitRefused, InvalidInput
from hkgit.paths import check_tree_path

_EXECUTE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


@dataclass(frozen=True, slots=True)
class DirectorySnapshot:
    """A snapshot of a directory: links are seen as links, never followed."""

    root: Path

    def get(self, path: str) -> File | None:
        """The file at a path below the root; a link is one, a nested repository a submodule.

        Raises InvalidInput for a path that leads elsewhere, and for what cannot be read.
        """
        place = _place(self.root, path)
        if place is None:
            return None
        try:
            return _file(place, place.lstat().st_mode)
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


def _place(root: Path, path: str) -> Path | None:
    """Where a path is on disk; None where it leads through a link or a file."""
    check_tree_path(path)
    place = root
    *parents, name = path.split("/")
    for part in parents:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return None
    return place / name


def _file(place: Path, mode: int) -> File | None:
    if stat.S_ISLNK(mode):
        return File(os.fsencode(place.readlink()), SYMLINK)
    if stat.S_ISDIR(mode):
        return File(b"", SUBMODULE if (place / ".git").exists() else DIRECTORY)
    if not stat.S_ISREG(mode):
        raise InvalidInput(str(place), "is no regular file", "Name a regular file.")
    return File(place.read_bytes(), EXECUTABLE if mode & stat.S_IXUSR else REGULAR)


def write_files(root: Path, files: Mapping[str, File | None]) -> None:
    """Bring files to their new state, all of them or none; each is replaced in one step.

    New bytes are all on disk before the first file changes place, and the old ones are kept until
    the last has. Raises GitRefused when the system does not let a file be written.
    """
    with ExitStack() as made:
        staged = {path: _staged(made, root, path, file) for path, file in files.items()}
        _replace_all(root, staged)
        made.pop_all()


def _replace_all(root: Path, staged: Mapping[str, Path | None]) -> None:
    """Let every new file take its place; where one cannot, those before it are put back."""
    with ExitStack() as kept, ExitStack() as undoing:
        for path, new in staged.items():
            try:
                undoing.callback(_restore, root / path, _kept(kept, root / path))
                _replace(root / path, new)
            except OSError as error:
                raise _refused(path, str(error.strerror)) from error
        undoing.pop_all()


def _replace(place: Path, new: Path | None) -> None:
    if new is None:
        place.unlink()
    else:
        new.replace(place)


def _kept(stack: ExitStack, place: Path) -> Path | None:
    """A second name for what stands at a place, until the stack is left; None for nothing."""
    if not place.exists():
        return None
    kept = place.with_name(f".hkgit-{os.urandom(8).hex()}")
    stack.callback(kept.unlink, missing_ok=True)
    try:
        kept.hardlink_to(place)
    except OSError:  # not every file system has links
        import shutil

        shutil.copy2(place, kept)
    return kept


def _restore(place: Path, kept: Path | None) -> None:
    """What stood at a place, put back; the failure that this answers is the one to be told."""
    with suppress(OSError):
        if kept is None:
            place.unlink(missing_ok=True)
        else:
            kept.replace(place)


def _staged(stack: ExitStack, root: Path, path: str, file: File | None) -> Path | None:
    """The new bytes beside their place, with the mode that the file gets; None for none.

    Whatever of it is left is removed with the stack, and directories that were made for it.
    """
    place = _place(root, path)
    if place is None or place.is_symlink() or place.is_dir():
        raise _refused(path, "a symbolic link, a directory or a file is in the way")
    if file is None:
        return None
    staged = place.with_name(f".hkgit-{os.urandom(8).hex()}")
    try:
        _make_directory(stack, place.parent)
        mode = 0o777 if file.mode == EXECUTABLE else 0o666
        handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        stack.callback(staged.unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as stream:
            stream.write(file.data)
        if place.exists():
            staged.chmod(_permissions(place, file.mode))
    except OSError as error:
        raise _refused(path, str(error.strerror)) from error
    return staged


def _make_directory(stack: ExitStack, folder: Path) -> None:
    """Make a directory and those above it, to be removed with the stack where nothing is in them.
    """
    if folder.is_dir():
        return
    _make_directory(stack, folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
        stack.callback(_remove_directory, folder)


def _remove_directory(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would translate line ends otherwise."""


def _permissions(place: Path, mode: int) -> int:
    """Those that a file has; what git calls its mode decides whether it can be executed."""
    old = stat.S_IMODE(place.stat().st_mode)
    if bool(old & stat.S_IXUSR) == (mode == EXECUTABLE):
        return old
    readers = (old & (stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)) >> 2
    return old | readers if mode == EXECUTABLE else old & ~_EXECUTE


def _refused(path: str, why: str) -> GitRefused:
    return GitRefused(path, f"could not be written: {why}", "Look at this file, then try again.")
