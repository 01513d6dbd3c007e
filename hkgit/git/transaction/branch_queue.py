"""Let writers of one branch take turns, so that none has to retry for ever.

A matter of politeness: what keeps a branch from harm is its compare-and-swap.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.git.transaction import locks
from hkgit.git.transaction.journal import tidy
from hkgit.text.hashes import sha256

PATIENCE = 10.0
"""Seconds to wait for one's turn; whoever is before may be running tests for an hour."""


@contextmanager
def turn(repository: Repository, branch: str) -> Iterator[None]:
    """Wait for the others who are landing on a branch, but not for ever."""
    name = sha256(os.fsencode(branch)).hexdigest()[:16]
    path = repository.common_dir / "hkgit" / f"turn-{name}"
    descriptor = None
    with suppress(OSError):  # where nothing can be written, landing says so better
        descriptor = locks.wait_for(path, PATIENCE)
    if descriptor is None:
        yield
        return
    os.set_inheritable(descriptor, False)  # a daemon that a hook starts is not in the queue
    try:
        yield
    finally:
        locks.remove(path, descriptor)
        tidy(repository.common_dir)


def forget_turns(repository: Repository) -> None:
    """Take away what killed processes left of their turns."""
    for path in find_files(repository.common_dir / "hkgit", "turn-*"):
        with suppress(OSError):
            descriptor = locks.take(path)
            if descriptor is not None:
                locks.remove(path, descriptor)
    tidy(repository.common_dir)
