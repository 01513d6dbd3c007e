"""replace.py: replace a file, and be able to put the old one back.

Whoever saves a file while hkgit writes it loses nothing: what was taken away is kept until it has
been looked at, and what somebody has put in a place since is never written over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from hkgit.applying.files.exchange import exchange, place_new
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import InvalidInput
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
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
    if new is None:
        kept = _beside(place)
        place.rename(kept)
        return Taken(place, kept, written, known)
    try:
        exchange(new, place)
    except FileNotFoundError:
        try:
            place_new(new, place)
            return Taken(place, None, written, known)
        except FileExistsError:
            exchange(new, place)
    return Taken(place, new, written, known)


def restore_all(taken: Iterable[Taken]) -> list[Path]:
    """Put old files back, the last first; return those that could only be kept beside.

    What somebody has put in a place since stays there. What fails here is not told: the failure
    that it answers is.
    """
    kept = (_restore(each) for each in reversed([*taken]))
    return [place for place in kept if place is not None]


def _restore(each: Taken) -> Path | None:
    try:
        if each.kept is None:
            return _take_out(each)
        if each.written is None:
            place_new(each.kept, each.place)
            return None
        return _change_back(each, each.kept)
    except OSError:
        return _keep(each, each.kept)


def _take_out(each: Taken) -> Path | None:
    """Remove what was put where nothing stood, unless it is another file by now."""
    aside = _beside(each.place)
    with suppress(FileNotFoundError):
        each.place.rename(aside)
        if _read_present(aside) == each.written:
            aside.unlink()
            return None
        try:
            place_new(aside, each.place)
        except FileExistsError:
            return _keep(each, aside)
    return None


def _change_back(each: Taken, kept: Path) -> Path | None:
    try:
        exchange(kept, each.place)
    except FileNotFoundError:
        place_new(kept, each.place)
        return None
    if _read_present(kept) == each.written:
        kept.unlink()
        return None
    exchange(kept, each.place)
    return _keep(each, kept)


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


def _beside(place: Path) -> Path:
    return place.with_name(f".hkgit-{os.urandom(8).hex()}")


def _read_present(place: Path | None) -> File | None:
    """Read what stands at a place; what cannot be read is none that anybody knows."""
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
        raise InvalidInput(str(place), "is no regular file", "Name a regular file.")
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
            _copy_attributes(place, new)


def _copy_attributes(place: Path, new: Path) -> None:
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
    left = [*folder.glob(".hkgit-" + "[0-9a-f]" * 16)]
    texts = [*ours()] if left else []
    kept = (_clear_away(place, texts) for place in left)
    return [place for place in kept if place is not None]


def _clear_away(left: Path, ours: Iterable[bytes]) -> Path | None:
    with suppress(OSError):
        data = left.read_bytes()
        if not any(each.startswith(data) for each in ours):
            return left.rename(left.with_name(left.name.replace(".hkgit-", "hkgit-kept-")))
        left.unlink()
    return None
