"""What crashes have left in a repository."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from hkgit.applying.files import clear_away
from hkgit.edits import EXECUTABLE, REGULAR
from hkgit.errors import HkgitError
from hkgit.git.repository import Repository
from hkgit.git.transaction.journal import TransactionState, find_abandoned, list_transactions
from hkgit.git.transaction.transaction import Outcome, Settled, find_outcome, settle_abandoned


def list_running(repository: Repository) -> tuple[TransactionState, ...]:
    """List the transactions that have a process."""
    left = {settled.state.id for settled in list_stale(repository)}
    return tuple(
        state for state in list_transactions(repository.common_dir) if state.id not in left
    )


def list_stale(repository: Repository, *, fix: bool = False) -> tuple[Settled, ...]:
    """List the transactions that have no process any more; with `fix` they are settled first."""
    if fix:
        return tuple(settle_abandoned(repository))
    found = []
    for journal in find_abandoned(repository.common_dir):
        try:
            found.append(Settled(journal.state, find_outcome(repository, journal.state)))
        except HkgitError as error:
            found.append(Settled(journal.state, Outcome.NOTHING, error))
        finally:
            journal.leave()
    return tuple(found)


def find_leftovers(repository: Repository, *, fix: bool = False) -> list[str]:
    """Find what calls that died left beside files of the checkout, a line each.

    With `fix` what the files or git have as well is removed; anything else somebody saved, and it
    gets a name that is seen. Raises GitRefused.
    """
    root = repository.work_tree
    if root is None:
        return []
    listed = repository.git("ls-files", "-z", "--others", "--", _LEFT).words
    left = [place for place in map(root.joinpath, listed) if _is_old(place)]
    if not fix:
        return [f"{place} was left by a call that died" for place in left]
    lines = []
    for place in left:
        kept = clear_away(place.parent, partial(_read_known_files, repository, place.parent))
        lines += [f"what was saved during a call is kept in {each}" for each in kept]
    return lines


_LEFT = ":(top,glob)**/.hkgit-" + 16 * "[0-9a-f]"
_AT_WORK = 60
"""Seconds in which a call may still be writing."""


def _is_old(place: Path) -> bool:
    with suppress(OSError):
        return time.time() - place.lstat().st_ctime > _AT_WORK
    return False


def _read_known_files(repository: Repository, folder: Path) -> Iterator[bytes]:
    """Read the files of a directory, and what the index has of them."""
    for place in folder.iterdir():
        if place.is_file() and not place.is_symlink() and not place.name.startswith(".hkgit-"):
            yield place.read_bytes()
    listed = repository.git("ls-files", "-z", "-s", "--", ":(literal)" + str(folder))
    for line in listed.words:
        mode, object_id, _ = line.split(maxsplit=2)
        if int(mode, 8) in (REGULAR, EXECUTABLE):
            yield repository.blob(object_id)
