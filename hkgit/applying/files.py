"""Files of a directory: read, and written all or none.

A file that is written over is gone, whoever saved it a moment ago. One that changes places with
the new file is not: the system decides, in one step, what was there.

Whoever saves a file while hkgit writes it loses nothing: what was taken away is kept until it has
been looked at, and what somebody has put in a place since is never written over.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import GitRefused, InvalidInput, Stale
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

_AT_CWD = -100
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2), and RENAME_SWAP of renamex_np(2)


_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
"""How a system, or a file system, says that it cannot exchange."""


def exchange(one: Path, other: Path) -> None:
    """Let two files change places. Raises FileNotFoundError where one is not there.

    Where the system cannot do that in one step, there is a moment in which a file that is saved
    at `other` is lost.
    """
    swap = _swap()
    if swap is not None and swap(os.fsencode(one), os.fsencode(other)):
        return
    kept = other.with_name(f".hkgit-{os.urandom(8).hex()}")
    link(other, kept)
    one.replace(other)
    kept.replace(one)


def place_new(new: Path, place: Path) -> None:
    """Put a file where there is none. Raises FileExistsError where there is one."""
    link(new, place)
    new.unlink()


def link(file: Path, name: Path) -> None:
    """Give a file a second name; not every file system has links, so it may be a copy.

    Raises FileExistsError where the name is not free.
    """
    try:
        name.hardlink_to(file)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        import shutil

        with name.open("xb") as stream:
            stream.write(file.read_bytes())
        shutil.copystat(file, name)


@cache
def _swap() -> Callable[[bytes, bytes], bool] | None:
    """The system's call that exchanges two names; None where there is none.

    It answers False, and does nothing, where the file system does not know it.
    """
    import ctypes  # what only reads need not wait for it

    at_cwd = () if sys.platform == "darwin" else (_AT_CWD,)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        rename = library.renamex_np if sys.platform == "darwin" else library.renameat2
    except (OSError, AttributeError):
        return None

    def swap(one: bytes, other: bytes) -> bool:
        if rename(*at_cwd, one, *at_cwd, other, _EXCHANGE) == 0:
            return True
        number = ctypes.get_errno()
        if number not in _UNKNOWN:
            raise OSError(number, os.strerror(number))
        return False

    return swap


@dataclass(frozen=True)
class Taken:
    """A file that was replaced, made or removed, with all that is needed to undo that.

    `kept` is where the old file is now, None if there was none; `written` is the new content, None
    if the file was removed; `known` is the old content that the change was computed from.
    """

    place: Path
    kept: Path | None
    written: File | None
    known: File | None

    @property
    def is_as_known(self) -> bool:
        """Whether the old file is the one that the change was computed from."""
        return _read_present(self.kept) == self.known

    def forget(self) -> None:
        """Delete the old file; try twice, since a virus scanner may hold it for a moment."""
        if self.kept is None:
            return
        try:
            self.kept.unlink()
        except OSError:
            with suppress(OSError):
                self.kept.unlink()


def take_place(place: Path, new: Path | None, written: File | None, known: File | None) -> Taken:
    """Replace a file by `new`, or remove it for None, and keep the old one. Raises OSError."""
    return Taken(place, _put(place, new), written, known)


def _put(place: Path, new: Path | None) -> Path | None:
    """Put a file in a place, or none; return where the one is now that was there, if any was."""
    if new is None:
        aside = place.with_name(f".hkgit-{os.urandom(8).hex()}")
        place.rename(aside)
        return aside
    try:
        exchange(new, place)
    except FileNotFoundError:
        try:
            place_new(new, place)
            return None
        except FileExistsError:
            exchange(new, place)
    return new


def restore_all(taken: Iterable[Taken]) -> list[Path]:
    """Put old files back, the last first; return those that could only be kept beside.

    What somebody has put in a place since stays there. What fails here is not told: the failure
    that it answers is.
    """
    kept = (_restore(each) for each in reversed([*taken]))
    return [place for place in kept if place is not None]


def _restore(each: Taken) -> Path | None:
    try:
        if each.kept is not None and each.written is None:
            place_new(each.kept, each.place)
            return None
        found = _put(each.place, each.kept)
        if found is not None and _read_present(found) != each.written:
            return _keep(each, _put(each.place, found))
        if found is not None:
            found.unlink()
        return None
    except FileNotFoundError:
        return None
    except OSError:
        return _keep(each, each.kept)


def _keep(each: Taken, kept: Path | None) -> Path | None:
    """Leave what cannot be put back under a name that is seen; what is known is not needed."""
    if kept is None or not os.path.lexists(kept):
        return None
    if _read_present(kept) == each.known:
        kept.unlink(missing_ok=True)
        return None
    name = each.place.with_name(f"{each.place.name[:50]}.kept-{os.urandom(4).hex()}")
    with suppress(OSError):
        return kept.rename(name)
    return kept


def _read_present(place: Path | None) -> File | None:
    """Read what is at a place; what cannot be read is none that anybody knows."""
    try:
        return None if place is None else read_file_at(place, place.lstat().st_mode)
    except FileNotFoundError:
        return None
    except (OSError, InvalidInput):
        return File(b"", DIRECTORY)


def read_file_at(place: Path, mode: int) -> File:
    """Read the file at a place, given its `st_mode`; raise InvalidInput for a pipe or the like."""
    if stat.S_ISLNK(mode):
        return File(os.fsencode(place.readlink()), SYMLINK)
    if stat.S_ISDIR(mode):
        return File(b"", SUBMODULE if (place / ".git").exists() else DIRECTORY)
    if not stat.S_ISREG(mode):
        raise InvalidInput(str(place), "is not a regular file", "Name a regular file.")
    return File(place.read_bytes(), EXECUTABLE if mode & stat.S_IXUSR else REGULAR)


def keep_owner(place: Path, new: Path) -> None:
    """Give a new file owner, group and extended attributes of the one that it will replace.

    Only root may give a file away, so for others the most that the system allows is done. The
    access list comes with the attributes; permissions are to be set after it.
    """
    found, fresh = place.stat(), new.stat()
    if (found.st_uid, found.st_gid) != (fresh.st_uid, fresh.st_gid) and hasattr(os, "chown"):
        for owner in (found.st_uid, -1):
            with suppress(OSError):
                os.chown(new, owner, found.st_gid)
                break
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(place):
                with suppress(OSError):
                    os.setxattr(new, name, os.getxattr(place, name))


def remove_empty_above(root: Path, path: str) -> None:
    """Take away the directories above a file that hold nothing more, but for the current one."""
    with suppress(OSError):
        here = Path.cwd()
        for above in (root / path).parents:
            if above == root or here.is_relative_to(above.resolve()):
                break
            above.rmdir()


def clear_away(folder: Path, ours: Callable[[], Iterable[bytes]]) -> list[Path]:
    """Remove what a process that died left beside files that it was writing.

    `ours` is what it wrote or took away, and is asked for only where something is left. Anything
    else was saved by somebody while it wrote: it gets a name that is seen, which is answered.
    """
    left, kept = [*folder.glob(".hkgit-" + "[0-9a-f]" * 16)], []
    texts = [*ours()] if left else []
    for place in left:
        with suppress(OSError):
            data = place.read_bytes()
            if any(each.startswith(data) for each in texts):
                place.unlink()
            else:
                seen = place.name.replace(".hkgit-", "hkgit-kept-")
                kept.append(place.rename(place.with_name(seen)))
    return kept


@dataclass(frozen=True)
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

    `found` is what the new state was made of; where it is not given, what is there now. New
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


_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate line ends otherwise


def _permissions(place: Path, mode: int) -> int:
    """Those that a file has; what git calls its mode decides whether it can be executed."""
    old = stat.S_IMODE(place.stat().st_mode)
    if bool(old & stat.S_IXUSR) == (mode == EXECUTABLE):
        return old
    return old | (old & 0o444) >> 2 if mode == EXECUTABLE else old & ~0o111


def _refuse_write(path: str, why: str) -> GitRefused:
    return GitRefused(path, f"could not be written: {why}", "Check this file, then try again.")
