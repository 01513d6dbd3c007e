"""doctor.py: inspect the hooks of a repository, and what crashes have left in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.errors import HkgitError
from hkgit.gate.entrypoints import hook_scripts
from hkgit.git.repository import Repository
from hkgit.git.transactions.journal import TransactionState, find_abandoned, list_transactions
from hkgit.git.transactions.recovery import Outcome, Settled, outcome_of, settle_abandoned
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """An active hook, and whose it is: `hkgit`, `calls hkgit`, or `foreign`."""

    name: str
    path: Path
    owner: str


def running(repository: Repository) -> tuple[TransactionState, ...]:
    """The transactions that have a process."""
    left = {settled.state.id for settled in stale(repository)}
    return tuple(
        state for state in list_transactions(repository.common_dir) if state.id not in left
    )


def stale(repository: Repository, *, fix: bool = False) -> tuple[Settled, ...]:
    """The transactions that have no process any more; with `fix` they are settled first."""
    if fix:
        return tuple(settle_abandoned(repository))
    found = []
    for journal in find_abandoned(repository.common_dir):
        try:
            found.append(Settled(journal.state, outcome_of(repository, journal.state)))
        except HkgitError as error:
            found.append(Settled(journal.state, Outcome.NOTHING, error))
        finally:
            journal.leave()
    return tuple(found)


def find_hooks(repository: Repository) -> Iterator[InstalledHook]:
    """The active hooks that a commit or push meets here."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    for name in dict.fromkeys((*hook_scripts.ALL_HOOKS, *hook_scripts.COMMIT_HOOKS)):
        path = directory / name
        if hook_scripts.is_active(path):
            yield InstalledHook(name, path, _owner(name, path.read_bytes()))


def _owner(name: str, content: bytes) -> str:
    if name in hook_scripts.ALL_HOOKS and hook_scripts.is_own(name, content):
        return "hkgit"
    return "calls hkgit" if hook_scripts.calls_gate(content) else "foreign"
