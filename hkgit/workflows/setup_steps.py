"""One planned step of the set-up: a file, its new content, and why."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from hkgit.applying.files import write_files
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import GitRefused
from hkgit.values import dataclass


class Action(StrEnum):
    """How the set-up changes a file; `blocked` needs a person to do something."""

    WROTE = "wrote"
    REMOVED = "removed"
    KEPT = "kept"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class SetupStep:
    """One file, by its absolute path; `content` only where it is written."""

    path: Path
    action: Action
    note: str = ""
    content: bytes = b""
    executable: bool = False


def keep_file(path: Path, note: str) -> SetupStep:
    """Make the step of a file that stays as it is."""
    return SetupStep(path, Action.KEPT, note)


def read(path: Path) -> bytes | None:
    """Read the bytes of a file, None where there is none; what is no file has none.

    Raises GitRefused when the system does not let it be read.
    """
    try:
        if path.is_file():
            return path.read_bytes()
        return b"" if path.is_symlink() or path.exists() else None
    except OSError as error:
        raise GitRefused(str(path), f"cannot be read: {error.strerror}") from error


def carry_out(steps: Iterable[SetupStep]) -> None:
    """Write and remove the files. Raises GitRefused when the system does not let one be."""
    for step in steps:
        if step.action is Action.WROTE:
            _write(step)
        elif step.action is Action.REMOVED:
            _remove(step.path)


def _remove(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        write_files(path.parent, {path.name: None})
        return
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise GitRefused(str(path), f"cannot be removed: {error.strerror}") from error


def _write(step: SetupStep) -> None:
    place = step.path.resolve()
    mode = EXECUTABLE if step.executable else REGULAR
    write_files(place.parent, {place.name: File(step.content, mode)})
    if step.executable:
        place.chmod(place.stat().st_mode | 0o111)
