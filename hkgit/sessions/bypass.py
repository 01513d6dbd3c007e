"""Find commits that hold what sessions edited, but were made past git's hooks.

`git commit --no-verify` does that, and an agent whose shell points `core.hooksPath` nowhere. Such a
commit has no evidence although the journal knows all of it: made again with the hooks, it has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.edits import Snapshot, decode_text
from hkgit.evidence.entry import RecordedFile
from hkgit.gate.entrypoints.hook_scripts import asks_hkgit
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import PendingEdit, list_waiting
from hkgit.sessions.outstanding import has_moved
from hkgit.sessions.squash import propose_onto
from hkgit.sessions.stage import open_journals
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.values import dataclass

_MOST = 200
"""So many commits are looked at, from HEAD on."""

_SLACK = 2
"""Seconds by which a commit may be dated before the edit that it holds."""

_FORMAT = "%H%x00%P%x00%(trailers:key=Hkgit-Entry,valueonly,separator=%x2C)%x00%s"


@dataclass(frozen=True, slots=True)
class CommitPastHooks:
    """A commit without evidence, and the edits of sessions that it holds: whose, and where."""

    id: str
    subject: str
    sessions: tuple[str, ...]
    paths: tuple[str, ...]


def find_commits_past_hooks(repository: Repository, root: Path) -> list[CommitPastHooks]:
    """Find the commits of HEAD's history that were made past the hooks, the newest first."""
    units = [*{unit.key: unit for unit in list_waiting(open_journals(repository, root))}.values()]
    if not units or not has_moved(repository, min(unit.call.time for unit in units)):
        return []
    paths = sorted({path for unit in units for path in unit.paths})
    since = min(unit.call.time for unit in units) // 1000 - _SLACK
    options = (f"--since=@{since}", f"--max-count={_MOST}", "--no-merges", "-z")
    log = repository.git(
        "--literal-pathspecs",
        *("log", *options, f"--format={_FORMAT}", "HEAD", "--", *paths),
        check=False,
    )
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
    after = repository.snapshot(commit)
    before = repository.snapshot(parents) if parents else None
    held: dict[tuple[str, str], None] = {}
    for unit in units:
        for change in unit.entry.files:
            was, now = _text(before, change.path), _text(after, change.new_path)
            if change.new_path is None:
                is_held = was is not None and _text(after, change.path) is None
            else:
                is_held = now is not None and now != was and _is_held(unit, change, was, now)
            if is_held:
                held[unit.key[0], change.new_path or change.path or ""] = None
    if not held or not propose_onto(repository, units, parents or None, after.tree_id).entries:
        return None  # made again it would have no evidence either
    sessions, changed = (tuple(dict.fromkeys(each)) for each in zip(*held, strict=True))
    return CommitPastHooks(commit, subject, sessions, changed)


def _text(files: Snapshot | None, path: str | None) -> bytes | None:
    file = None if files is None or path is None else files.get(path)
    return None if file is None else file.data


def _is_held(unit: PendingEdit, change: RecordedFile, was: bytes | None, now: bytes) -> bool:
    """Whether a file became what an edit made of it: what that wrote came, or its old text went."""
    old, new = unit.version(change.before), unit.version(change.after)
    if new is None or now == new:
        return now == new
    ours, theirs = split_raw(old or b""), split_raw(new)
    return any(
        _is_made(
            b"".join(ours[each.old_start : each.old_end]),
            b"".join(theirs[each.new_start : each.new_end]),
            was or b"",
            now,
        )
        for each in find_changes(ours, theirs)
    )


def _is_made(took: bytes, wrote: bytes, was: bytes, now: bytes) -> bool:
    if wrote.strip():
        return wrote in now and wrote not in was
    return bool(took.strip()) and took in was and took not in now


def describe_commits_past_hooks(
    repository: Repository, found: Sequence[CommitPastHooks]
) -> Iterator[str]:
    """Write a line for each commit, and one with the command that fixes all."""
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
