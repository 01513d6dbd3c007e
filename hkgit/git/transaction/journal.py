"""Record what a transaction is about to do, before it does it.

A journal is one file a transaction, `hkgit/tx/<id>.jsonl` in the git directory: a line of JSON a
step, each the whole state, the last complete one counts. It is locked as long as a process of
the transaction lives (see `locks`). The protocol: docs/transaction.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.state_files import find_files
from hkgit.git.transaction import locks
from hkgit.values import asdict, dataclass, field, replace


@dataclass(frozen=True)
class TransactionState:
    """Where a transaction is, and all that is needed to clear up after it.

    `temporary` is the directory that its worktrees are made in. `checkout` is the git directory
    of the checkout that is to follow `branch` from `old` to `new`, None when there is none.
    `pid`, `host` and `started` (seconds since 1970) are for people to read.
    """

    id: str
    step: str
    pid: int
    host: str
    started: int
    temporary: str
    branch: str
    old: str | None
    new: str | None = None
    checkout: str | None = None

    @property
    def prefix(self) -> str:
        """How the names of its worktrees begin."""
        return f"hkgit-{self.id}-"


@dataclass
class TransactionJournal:
    """The journal of one transaction, under lock."""

    path: Path
    descriptor: int = field(repr=False)
    state: TransactionState

    def note(self, step: str, new: str | None = None) -> None:
        """Write down the next step. Raises GitRefused."""
        state = replace(self.state, step=step, new=self.state.new if new is None else new)
        try:
            _append(self.descriptor, state)
        except OSError as error:
            raise refuse_unwritable(self.path, error) from error
        self.state = state

    def leave(self) -> None:
        """Let go of the journal, and leave it for the next who looks."""
        os.close(self.descriptor)

    def close(self) -> None:
        """Remove the journal: the transaction is over, and nothing else of it is left."""
        locks.remove(self.path, self.descriptor)
        tidy(self.path.parents[2])


def directory_of(common_dir: Path) -> Path:
    """Return where the journals of a repository are."""
    return common_dir / "hkgit" / "tx"


def tidy(common_dir: Path) -> None:
    """Take away the directories that hkgit needed and that are empty now."""
    own = common_dir / "hkgit"
    for directory in (own / "tx", own, common_dir / "worktrees"):
        with suppress(OSError):  # not empty, or not there
            directory.rmdir()


def begin(common_dir: Path, state: TransactionState) -> TransactionJournal:
    """Open the journal of a new transaction. Raises GitRefused."""
    path = directory_of(common_dir) / f"{state.id}.jsonl"
    try:
        journal = TransactionJournal(path, locks.make(path), state)
    except OSError as error:
        tidy(common_dir)
        raise refuse_unwritable(path, error) from error
    try:
        journal.note(state.step)
    except GitRefused:
        journal.close()
        raise
    return journal


def find_abandoned(common_dir: Path) -> Iterator[TransactionJournal]:
    """Find journals of transactions without a process, each locked: the caller must unlock."""
    for path in _paths(common_dir):
        descriptor = None
        with suppress(PermissionError):  # that of another user is their matter
            descriptor = locks.take(path)
        if descriptor is None:
            continue
        yield TransactionJournal(path, descriptor, _last_state(path) or _make_first_state(path))


def list_transactions(common_dir: Path) -> list[TransactionState]:
    """List the transactions that are, or were, at work."""
    states = (_last_state(path) for path in _paths(common_dir))
    return [state for state in states if state is not None]


def _paths(common_dir: Path) -> list[Path]:
    return find_files(directory_of(common_dir), "*.jsonl")


def _append(descriptor: int, state: TransactionState) -> None:
    line = json.dumps(asdict(state)).encode() + b"\n"
    if os.write(descriptor, line) != len(line):
        raise OSError(None, "the disk is full")


def _last_state(path: Path) -> TransactionState | None:
    """What the last complete line says; None when there is none that hkgit wrote."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
        found = json.loads(lines[-1])
        return TransactionState(**{name: found[name] for name in TransactionState.__match_args__})
    except (OSError, IndexError, ValueError, KeyError, TypeError):
        return None


def _make_first_state(path: Path) -> TransactionState:
    """Make the state of a transaction that was killed before it wrote anything down."""
    return TransactionState(
        id=path.stem,
        step="objects",
        pid=0,
        host="",
        started=0,
        temporary=str(path.parent),
        branch="",
        old=None,
    )


def refuse_unwritable(path: Path, error: OSError) -> GitRefused:
    """Build the error for a file of the git directory that cannot be written."""
    fix = "Check that the repository is writable and the disk has space; nothing was landed."
    return GitRefused(str(path), f"could not be written: {error.strerror}", fix)
