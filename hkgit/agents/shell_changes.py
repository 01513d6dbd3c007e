"""Record what a shell command has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.begun_calls import (
    PLAIN,
    UNKNOWN,
    BegunCall,
    KeptFile,
    ask_status,
    load_version,
    stamp,
)
from hkgit.edits import DIRECTORY, File, Snapshot
from hkgit.errors import InvalidInput, Stale
from hkgit.evidence.entry import LEDGER
from hkgit.sessions.call_journal import RecordedChange, list_recorded
from hkgit.sessions.file_lines import Checkout
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.repository import Repository


_MOST_MOVES = 50
"""So many moves of HEAD are looked at."""

_COMMITS = ("commit: ", "commit (")
_RESET = "reset:"


@dataclass(frozen=True)
class ShellWork:
    """Files that a command has changed, as they were before it.

    `committed` are those that it has committed past git's hooks, by `time`, in milliseconds since
    1970. `since` is when each file was as it is given.
    """

    changed: Mapping[str, File | None] = field(default_factory=dict)
    committed: Mapping[str, File | None] = field(default_factory=dict)
    time: int = 0
    since: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class HeadMoves:
    """Where HEAD has been since a commit.

    `is_told` says that files were brought along wherever it went. Where it was moved by commits
    alone, of which none has evidence, `paths` are theirs, and `time` is that of the first. `base`
    is the commit that it was reset to before them: files may have been left as they were.
    """

    is_told: bool
    paths: tuple[str, ...] = ()
    time: int = 0
    base: str | None = None


def find_moves(repository: Repository, head: str | None) -> HeadMoves:
    """Find where HEAD has been since it was `head`; None is before the first commit."""
    if head is None:
        return HeadMoves(is_told=True)
    said: list[tuple[str, str]] = []
    for line in repository.git("reflog", f"-{_MOST_MOVES}", "--format=%H %gs").text.splitlines():
        commit, _, how = line.partition(" ")
        if commit == head:
            return _find_since(repository, head, said)
        said.append((commit, how))
    return HeadMoves(is_told=False)


def _find_since(repository: Repository, head: str, said: list[tuple[str, str]]) -> HeadMoves:
    resets = (at for at, (_, how) in enumerate(said) if how.startswith(_RESET))
    last = next(resets, None)
    hows = [how for _, how in said]
    if last is None:
        return _find_commits(repository, head, hows)
    if not all(how.startswith((_RESET, *_COMMITS)) for how in hows[last:]):
        return HeadMoves(is_told=False)
    base = said[last][0]
    found = _find_commits(repository, base, hows[:last])
    is_plain = bool(found.paths) or not hows[:last]
    return replace(found, is_told=False, base=base if is_plain else None)


def _find_commits(repository: Repository, head: str, said: list[str]) -> HeadMoves:
    if not said or not all(how.startswith(_COMMITS) for how in said):
        return HeadMoves(is_told=True)
    form = "--format=%ct %(trailers:key=Hkgit-Entry,valueonly,separator=%x2C)"
    lines = repository.git("log", form, f"{head}..HEAD").text.splitlines()
    times = [int(line) for line in lines if line.strip().isdecimal()]
    if not times or len(times) < len(lines):
        return HeadMoves(is_told=True)
    changed = repository.git("diff", "--name-only", "--no-renames", "-z", head, "HEAD").text
    paths = tuple(path for path in changed.split("\0") if path)
    return HeadMoves(is_told=True, paths=paths, time=min(times) * 1000)


def is_overlapping(first: File | None, second: File | None, third: File | None) -> bool:
    """Whether what leads from the second file to the third changes what made it of the first."""
    if first == second:
        return False
    if first is None or second is None or third is None:
        return True
    lines = [split_raw(each.data) for each in (first, second, third)]
    made, changed = find_changes(lines[0], lines[1]), find_changes(lines[1], lines[2])
    return any(a.new_start <= b.old_end and b.old_start <= a.new_end for a in made for b in changed)


_MOST_CHANGED = 200
"""A command that changes more files has not edited them: it has built or unpacked something."""

_UNKNOWN = File(b"", DIRECTORY)


def find_work(root: Path, call: BegunCall) -> ShellWork:
    """Find the files that have changed since a command began, as they were before.

    What its session has recorded meanwhile was done by other calls. Raises Stale where too much has
    changed.
    """
    head, paths = ask_status(root)
    moves = HeadMoves(is_told=True) if head == call.head else _find_moves(root, call)
    own = {each.path: each for each in list_recorded([call.folder], call.begun)}
    suspect = [
        path
        for path in dict.fromkeys([*paths, *call.files, *own, *moves.paths])
        if not path.startswith(LEDGER) and _may_differ(root / path, call.files.get(path))
    ]
    if len(suspect) > _MOST_CHANGED:
        fix = "None of it is recorded; the gate will say so at the commit."
        raise Stale("the command", f"has changed {len(suspect)} files", fix)
    changed, committed = dict[str, File | None](), dict[str, File | None]()
    for path, before, is_committed in _find_before(root, suspect, call, own, moves):
        (committed if is_committed else changed)[path] = before
    return ShellWork(
        changed=changed,
        committed=committed,
        time=max(moves.time, call.begun),  # a commit may bear any date
        since={x: own[x].time if x in own else call.begun for x in (*changed, *committed)},
    )


def _find_moves(root: Path, call: BegunCall) -> HeadMoves:
    from hkgit.git.repository import Repository

    return find_moves(Repository.discover(root, is_small=True), call.head)


def _may_differ(place: Path, kept: KeptFile | None) -> bool:
    return kept is None or (kept.mark != UNKNOWN and kept.stamp != stamp(place))


def _find_before(
    root: Path,
    suspect: Sequence[str],
    call: BegunCall,
    own: Mapping[str, RecordedChange],
    moves: HeadMoves,
) -> Iterator[tuple[str, File | None, bool]]:
    if not suspect:
        return
    # Most commands change nothing.
    from hkgit.git.repository import Repository
    from hkgit.git.transaction.landing import find_unfinished

    repository = Repository.discover(root, is_small=True)
    if any(find_unfinished(repository)) or repository.git("ls-files", "--unmerged").text:
        return  # git has written what it merges
    old = _files_of(repository, call.head)
    new = _files_of(repository, repository.head().commit)
    for path in suspect:
        is_kept, now, moved = path in call.files or path in own, _get(root, path), new(path)
        before = _restore(call, path, own.get(path)) if is_kept else old(path)
        is_committed = now == moved
        is_gits = is_committed and path not in moves.paths
        if now == before or is_gits:
            continue
        if not is_kept and moves.base is not None:
            if is_overlapping(repository.snapshot(moves.base).get(path), before, now):
                continue  # the reset may have changed it as well
        elif not is_kept and call.head and before != moved and not is_committed:
            if not moves.is_told:
                continue
            before = moved  # git has brought it there first: of another branch, say
        if all(each is None or each.mode in PLAIN for each in (before, now)):
            yield path, before, is_committed


def _get(root: Path, path: str) -> File | None:
    try:
        return Checkout(root).get(path)
    except InvalidInput:
        return _UNKNOWN


def _restore(call: BegunCall, path: str, recorded: RecordedChange | None) -> File | None:
    try:
        if recorded is None:
            return call.restore(path)
        return load_version(call.folder, path, recorded.after)
    except Stale:
        return _UNKNOWN


def _files_of(repository: Repository, commit: str | None) -> Callable[[str], File | None]:
    """What reads a file of a commit; of none, nothing."""
    return (lambda path: None) if commit is None else repository.snapshot(commit).get


def find_head(root: Path) -> Snapshot | None:
    """Find the files of the last commit; None before the first one."""
    from hkgit.git.repository import Repository

    repository = Repository.discover(root, is_small=True)
    commit = repository.head().commit
    return None if commit is None else repository.snapshot(commit)
