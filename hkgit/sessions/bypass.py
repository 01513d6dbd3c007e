"""Find commits that hold what sessions edited, but were made past git's hooks.

`git commit --no-verify` does that, and an agent whose shell points `core.hooksPath` nowhere. Such a
commit has no evidence although the journal knows all of it: made again with the hooks, it has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from hkgit.edits import decode_text
from hkgit.evidence.entry import LEDGER
from hkgit.gate.entrypoints.hook_scripts import asks_hkgit
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import PendingEdit, list_waiting
from hkgit.sessions.commit_entries import propose
from hkgit.sessions.waiting_edits import has_moved, open_journals
from hkgit.values import dataclass

_MOST = 200
"""So many commits are looked at, from HEAD on."""

_SLACK = 2
"""Seconds by which a commit may be dated before the edit that it holds."""

_FORMAT = "%H%x00%P%x00%(trailers:key=Hkgit-Entry,valueonly,separator=%x2C)%x00%s"


@dataclass(frozen=True)
class CommitPastHooks:
    """A commit without evidence, and the edits of sessions that it holds: whose, and where."""

    id: str
    subject: str
    sessions: tuple[str, ...]
    paths: tuple[str, ...]


def find_commits_past_hooks(repository: Repository) -> list[CommitPastHooks]:
    """Find the commits of HEAD's history that were made past the hooks, the newest first."""
    units = list_waiting(open_journals(repository))
    if not units or not has_moved(repository, units[0].call.time):
        return []
    paths = sorted({path for unit in units for path in unit.paths})
    since = units[0].call.time // 1000 - _SLACK
    options = (f"--since=@{since}", f"--max-count={_MOST}", "--no-merges", "-z")
    asked = ("log", *options, f"--format={_FORMAT}", "HEAD", "--", *paths)
    log = repository.git("--literal-pathspecs", *asked, check=False)
    fields = decode_text(log.stdout).rstrip("\0").split("\0") if log.code == 0 else []
    rows = zip(*(iter(fields),) * 4, strict=False)
    found = (
        _look(repository, units, commit, parents, subject)
        for commit, parents, entries, subject in rows
        if not entries
    )
    return [each for each in found if each is not None]


def _look(
    repository: Repository, units: Sequence[PendingEdit], commit: str, parents: str, subject: str
) -> CommitPastHooks | None:
    """Find what a commit would record if it were made again; None for nothing.

    None too for one that has entries, though its message does not name them.
    """
    tree = repository.commit(commit).tree
    before = repository.commit(parents).tree if parents else None
    if any(each.path.startswith(LEDGER) for each in repository.changes(before, tree)):
        return None
    entries = propose(repository, units, parents or None, tree).entries
    sessions = dict.fromkeys(unit.key[0] for each in entries for unit in each.units)
    files = (file for each in entries for file in each.entry.files)
    paths = dict.fromkeys(file.new_path or file.name for file in files)
    return CommitPastHooks(commit, subject, (*sessions,), (*paths,)) if entries else None


def is_recorded(repository: Repository, parent: str, tree: str) -> bool:
    """Whether edits of sessions that no commit has explain all that a tree changes of a commit."""
    waiting = list_waiting(open_journals(repository))
    found = propose(repository, waiting, parent, tree)
    after, made = repository.snapshot(tree), found.built.files
    changes = repository.changes(repository.commit(parent).tree, tree)
    paths = (each.path for each in changes if not each.path.startswith(LEDGER))
    return not found.uncovered and all(made.get(each) == after.get(each) for each in paths)


def describe_commits_past_hooks(repository: Repository) -> Iterator[str]:
    """Write a line for each such commit, and one with the command that fixes all."""
    found = find_commits_past_hooks(repository)
    for each in found:
        yield (
            f"commit {each.id[:9]} ({each.subject}) bypassed git's hooks, so it has no evidence of"
            f" what session {', '.join(each.sessions)} edited in {', '.join(each.paths)}"
        )
    if found:
        if not asks_hkgit(repository):
            yield "this clone has no git hooks of hkgit: hkgit init installs them"
        yield f"fix: {_find_mending_command(repository, found)}"


def _find_mending_command(repository: Repository, found: Sequence[CommitPastHooks]) -> str:
    """Find the command that makes such commits again, the newest first: older ones keep their ids.

    Where they are published they stay: their evidence is kept outside the history.
    """
    oldest = found[-1].id
    if repository.git("branch", "-r", "--contains", oldest, check=False).text:
        return f"hkgit adopt {oldest[:9]}~1..HEAD"
    return "; ".join(f"hkgit redo {each.id[:9]}" for each in found)


def are_hooks_off() -> bool:
    """Whether the environment points git's hooks somewhere else, as Gemini CLI does in its shell.

    Whatever git says of configuration to hkgit is without this.
    """
    names = {
        name.casefold() for key, name in os.environ.items() if key.startswith("GIT_CONFIG_KEY_")
    }
    given = os.environ.get("GIT_CONFIG_PARAMETERS", "").casefold()
    return "core.hookspath" in names or "core.hookspath=" in given.replace("'", "")
