"""taking.py: take in what commands have made of files, as differences."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from hkgit.agents.shell.moves import ShellWork
from hkgit.edits import File
from hkgit.errors import HkgitError
from hkgit.sessions.answers import EditReport


class Take(Protocol):
    """Takes in what has become of files since they were as they are given; see `Recorder`."""

    def __call__(
        self, before: Mapping[str, File | None], *, time: int = 0
    ) -> EditReport | None: ...


def take_work(work: ShellWork, take: Take) -> EditReport | None:
    """Take in what a command has done. Raises HkgitError."""
    committed = _take_files(work.committed, take, work.time)
    return _take_files(work.changed, take, 0) or committed


def _take_files(before: Mapping[str, File | None], take: Take, time: int) -> EditReport | None:
    """Take in files at once, and each by itself where that cannot be."""
    if not before:
        return None
    try:
        return take(before, time=time)
    except HkgitError as error:
        if len(before) == 1:
            raise
        refused = error
    for path, file in before.items():
        with suppress(HkgitError):
            take({path: file}, time=time)
    raise refused
