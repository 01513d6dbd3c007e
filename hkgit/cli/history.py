"""The commits that a command is asked about, and the policy that judges them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.commits import History
from hkgit.cli.common import open_repository
from hkgit.cli.options import argument, option
from hkgit.cli.output import print_note, show_progress
from hkgit.errors import InvalidInput
from hkgit.gate.commit_range import CommitRange, split_range
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository

RANGE = argument("A..B")
REVISION = argument("[REV | A..B]", default="HEAD")
POLICY = option("The policy to use instead of the trusted side's.", metavar="FILE|REV:PATH")


def open_history(words: str, policy: str | None = None, *, is_range: bool | None = None) -> History:
    """Open what `A..B` or `REV` names in the current repository; `is_range` says which it must be.

    The policy is that at A, at HEAD where no range is named, or the one that is named. Of a shallow
    clone it is said that it is one: what it left out is in no answer. Raises UsageError and
    InvalidInput.
    """
    repository = open_repository()
    note_shallow(repository)
    return find_history(repository, words, policy, is_range=is_range)


def find_history(
    repository: Repository, words: str, policy: str | None = None, *, is_range: bool | None = None
) -> History:
    """Find the same in a repository that is open."""
    if is_range or (is_range is None and ".." in words):
        asked = resolve_range(repository, words)
    else:
        asked = CommitRange(None, repository.resolve(words))
    trusted = asked.old or repository.head().commit
    return History(repository, asked, load_policy(repository, policy, trusted))


def watch_judging(commits: Sequence[str]) -> Iterator[str]:
    """Show how far the judging of commits has come."""
    return show_progress("judging commit")(commits)


def note_shallow(repository: Repository) -> None:
    """Say of a shallow clone that it is one."""
    if repository.is_shallow:
        print_note("note: this clone is shallow: git fetch --unshallow brings earlier history")


def resolve_range(repository: Repository, words: str) -> CommitRange:
    """Find the two commits of `A..B`. Raises UsageError for another form, else InvalidInput."""
    try:
        old, new = split_range(words)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error
    try:
        return CommitRange(repository.resolve(old), repository.resolve(new))
    except InvalidInput as error:
        if repository.is_shallow or repository.head().commit is None:  # as the error says
            raise
        fix = f"{error.fix} In CI, check out with fetch-depth: 0."
        raise InvalidInput(error.where, error.what, fix) from error
