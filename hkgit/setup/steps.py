"""steps.py: one file of the set-up: what is to become of it and why. Planning writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hkgit.directory import write_files
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import GitRefused


class Action(StrEnum):
    """What becomes of a file; `blocked` needs a person to do something."""

    WROTE = "wrote"
    REMOVED = "removed"
    KEPT = "kept"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Step:
    """One file, by its absolute path; `content` only where it is written."""

    path: Path
    action: Action
    note: str = ""
    content: bytes = b""
    executable: bool = False


def kept(path: Path, note: str) -> Step:
    """A file that stays as it is."""
    return Step(path, Action.KEPT, note)


def read(path: Path) -> bytes | None:
    """The bytes of a file, None where nothing stands; what is no file has none.

    Raises GitRefused when the system does not let it be read.
    """
    try:
        if path.is_file():
            return path.read_bytes()
        return b"" if path.is_symlink() or path.exists() else None
    except OSError as error:
        raise GitRefused(str(path), f"cannot be read: {error.strerror}") from error


def carry_out(steps: Iterable[Step]) -> None:
    """Write and remove the files. Raises GitRefused when the system does not let one be."""
    for step in steps:
        if step.action is Action.WROTE:
            _write(step)
        elif step.action is Action.REMOVED:
            write_files(step.path.parent, {step.path.name: None})


def _write(step: Step) -> None:
    place = step.path.resolve()
    mode = EXECUTABLE if step.executable else REGULAR
    write_files(place.parent, {place.name: File(step.content, mode)})
    if step.executable:
        place.chmod(place.stat().st_mode | 0o111)
