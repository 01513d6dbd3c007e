"""directory.py: read and write files below a directory, without following links out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from hkgit.applying.files.replace import (
    Taken,
    keep_owner,
    read_file_at,
    remove_empty_above,
    restore_all,
    take_place,
)
from hkgit.edits import EXECUTABLE, File
from hkgit.errors import GitRefused, InvalidInput, Stale
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

_EXECUTE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


@dataclass(frozen=True, slots=True)
class DirectorySnapshot:
    """A snapshot of a directory: links are seen as links, never followed."""

    root: Path

    def get(self, path: str) -> File | None:
        """Return the file at a path below the root; a link is one, a nested repository a submodule.

        Raises InvalidInput for a path that leads elsewhere, and for what cannot be read.
        """
        place = _place(self.root, path)
        if place is None:
            return None
        try:
            return read_file_at(place, place.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InvalidInput(path, f"cannot be read: {error.strerror}") from error

    def paths(self) -> Iterator[str]:
        """Yield every file below the root but those of git."""
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if name != ".git"]
            for name in files:
                yield (Path(folder) / name).relative_to(self.root).as_posix()


def has_file(root: str | Path, path: str) -> bool:
    """Whether a path below a root is that of a file; False for one that is too long."""
    try:
        return Path(root, path).is_file()
    except OSError:
        return False


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


def write_files(
    root: Path, files: Mapping[str, File | None], found: Mapping[str, File | None] | None = None
) -> None:
    """Bring files to their new state, all of them or none; each is replaced in one step.

    `found` is what the new state was made of; where it is not given, what stands there now. New
    bytes are all on disk before the first file changes place. What is taken away is looked at
    again: where somebody has saved another file there meanwhile, all are put back, and Stale is
    raised. Raises GitRefused when the system does not let a file be written.
    """
    present = DirectorySnapshot(root)
    with ExitStack() as cleanup:
        staged = {path: _stage_new(cleanup, root, path, file) for path, file in files.items()}
        given = found if found is not None else {}
        known = {path: given[path] if path in given else present.get(path) for path in files}
        _replace_all(root, staged, files, known)
        cleanup.pop_all()
    for path, file in files.items():
        if file is None:
            remove_empty_above(root, path)


def _replace_all(
    root: Path,
    staged: Mapping[str, Path | None],
    files: Mapping[str, File | None],
    known: Mapping[str, File | None],
) -> None:
    """Let every new file take its place; where one cannot, those before it are put back."""
    taken: list[Taken] = []
    try:
        for path, new in staged.items():
            try:
                taken.append(take_place(root / path, new, files[path], known[path]))
            except OSError as error:
                raise _refuse_write(path, str(error.strerror)) from error
        changed = [each for each in taken if not each.is_as_known]
    except BaseException:
        restore_all(taken)
        raise
    if changed:
        raise _refuse_changed(root, changed, restore_all(taken))
    for each in taken:
        each.forget()


def _refuse_changed(root: Path, changed: Iterable[Taken], kept: Iterable[Path]) -> Stale:
    """The refusal where somebody has saved files while they were being written."""
    names = ", ".join(each.place.relative_to(root).as_posix() for each in changed)
    where = "".join(f" What was saved first is kept in {place}." for place in kept)
    fix = f"Read it again, and write the edit against that.{where}"
    return Stale(names, "was changed while it was being edited; nothing was written", fix)


def _stage_new(stack: ExitStack, root: Path, path: str, file: File | None) -> Path | None:
    """The new bytes beside their place, with the mode that the file gets; None for none.

    Whatever of it is left is removed with the stack, and directories that were made for it.
    """
    place = _place(root, path)
    if place is None or place.is_symlink() or place.is_dir():
        raise _refuse_write(path, "a symbolic link, a directory or a file is in the way")
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
            keep_owner(place, staged)
            staged.chmod(_permissions(place, file.mode))
    except OSError as error:
        raise _refuse_write(path, str(error.strerror)) from error
    return staged


def _make_directory(stack: ExitStack, folder: Path) -> None:
    """Make a directory and those above it, removed with the stack where nothing is in them."""
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


def _refuse_write(path: str, why: str) -> GitRefused:
    return GitRefused(path, f"could not be written: {why}", "Look at this file, then try again.")
