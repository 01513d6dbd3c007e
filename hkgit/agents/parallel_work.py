"""Tell the work of a call from what other calls have done, or may have done, since it began."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hkgit.agents.begun_calls import (
    BegunCall,
    Files,
    find_lost,
    list_rivals,
    load_version,
    may_change,
)
from hkgit.agents.events import Shell
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark
from hkgit.sessions.call_journal import list_recorded
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import find_folders, list_candidates
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.shell_changes import ShellWork


def find_start(root: Path, call: BegunCall, paths: Iterable[str]) -> tuple[Files, int]:
    """Find how files were before all that a call has done, and since when, in ms since 1970.

    What its session has recorded since it began was done by other calls. So was what others have,
    as far as it leads on from how a file was. Raises Stale where that is not known.
    """
    files = {path: call.restore(path) for path in paths}
    since = dict.fromkeys(files, call.begun)
    for each in list_recorded(find_folders(root), call.begun):
        path = each.path
        if path in files and (each.folder == call.folder or mark(files[path]) == each.before):
            files[path], since[path] = load_version(each.folder, path, each.after), each.time
    return files, min(since.values(), default=call.begun)


def has_changed(root: Path, call: BegunCall) -> bool:
    """Whether something has become of the files of an edit. Raises Stale if it is not known."""
    before, checkout = find_start(root, call, call.files)[0], Checkout(root)
    return any(checkout.get(path) != file for path, file in before.items())


def find_rival(root: Path, folder: Path, paths: Iterable[str], since: int) -> str | None:
    """Name another session that may have changed files since a time, in ms since 1970.

    It has an open call that may change one, has recorded a change since, or could not tell.
    """
    names = {*paths}
    lost = (
        name for path, (time, name) in find_lost(root).items() if path in names and time > since
    )
    others = _list_others(root, folder)
    recorded = (x.folder.name for x in list_recorded(others, since) if x.path in names)
    busy = (
        other.name
        for other in others
        if any(may_change(each, names) for each in list_rivals(other))
    )
    return next((name for found in (lost, recorded, busy) for name in found), None)


def _list_others(root: Path, folder: Path) -> list[Path]:
    """List the sessions of other conversations.

    An editor's session of the same conversation reports the same calls.
    """
    own = _name_conversation(folder)
    folders = (each for home in list_candidates(root) for each in sorted(home.glob("*/")))
    return [each for each in folders if _name_conversation(each) != own]


def _name_conversation(folder: Path) -> str:
    return folder.name.partition("-")[2] or folder.name


def find_own_work(
    root: Path, work: ShellWork, call: BegunCall
) -> tuple[ShellWork, Mapping[str, str]]:
    """Find what a command did itself of what was done while it ran.

    Names by their paths the files that another session may have changed, with that session.
    """
    others = _list_others(root, call.folder)
    rivals = [each for folder in others for each in list_rivals(folder)]
    # One that ends by now has recorded first what it did: so that is read after this.
    recorded = list_recorded(others, call.begun)
    known = find_lost(root)
    lost = {x: known[x][1] for x in work.since if x in known and known[x][0] > work.since[x]}
    checkout = Checkout(root)
    own: set[str] = set()
    for path, before in {**work.changed, **work.committed}.items():
        now, found = mark(checkout.get(path)), mark(before)
        theirs = [x for x in recorded if x.path == path and x.time >= work.since[path]]
        for each in theirs:
            found = each.after if each.before == found else found
        if path in lost:
            continue
        if theirs and found != now:
            lost[path] = theirs[0].folder.name
        elif not theirs and (rival := _find_rival(root, path, now, rivals)):
            lost[path] = rival.folder.name
        elif not theirs:
            own.add(path)
    changed, committed = (
        {path: file for path, file in files.items() if path in own}
        for files in (work.changed, work.committed)
    )
    return replace(work, changed=changed, committed=committed), lost


def _find_rival(
    root: Path, path: str, now: FileMark | None, rivals: Iterable[BegunCall]
) -> BegunCall | None:
    """Find a call that is not over and has found a file otherwise than it is now."""
    for each in rivals:
        found: FileMark | str | None = now
        if path in each.files:
            found = each.files[path].mark
        elif isinstance(each.did, Shell):  # it has found it as it was in its commit
            from hkgit.git.repository import Repository  # an edit asks no commit

            repository = Repository.discover(root, is_small=True)
            found = None if each.head is None else mark(repository.snapshot(each.head).get(path))
        if found != now:
            return each
    return None
