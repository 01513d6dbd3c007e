"""Record what a shell command has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.begun_calls import (
    ABSENT,
    BEYOND,
    KeptFile,
    ShellSnapshot,
    find_running,
    load_snapshot,
    renew_snapshots,
    save_snapshot,
    stamp,
    tell_time,
)
from hkgit.agents.events import LineHunk, Told
from hkgit.agents.specs import relative_to_root
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, File, Snapshot, encode_text
from hkgit.errors import InvalidInput, Stale
from hkgit.evidence.entry import LEDGER
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.file_lines import Checkout
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.text.hashes import digest
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.repository import Repository
    from hkgit.sessions.edit_session import EditSession


_MOST_MOVES = 50
"""So many moves of HEAD are looked at."""

_COMMITS = ("commit: ", "commit (")
_RESET = "reset:"


@dataclass(frozen=True)
class ShellWork:
    """Files that a command has changed, as they were before it.

    `committed` are those that it has committed past git's hooks, by `time`, in milliseconds since
    1970. `since` is when each file was as it is given. `lost` are files that another session has
    found changed meanwhile, by its name, and could not tell by whom.
    """

    changed: Mapping[str, File | None] = field(default_factory=dict)
    committed: Mapping[str, File | None] = field(default_factory=dict)
    time: int = 0
    command: str = ""
    since: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)


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


_LARGEST = 2**20
_MOST_FILES = 2000
"""What larger files hold, and more files, is not kept: a change of theirs is not recorded."""

_MOST_CHANGED = 200
"""A command that changes more files has not edited them: it has built or unpacked something."""

_MOST_RUNNING = 20
"""Of so many commands at once is it kept how files were: of some no hook tells the end."""

_PLAIN = (REGULAR, EXECUTABLE)
_UNKNOWN = File(b"", DIRECTORY)
_STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all")
_FIELDS = {"1": 8, "u": 10, "?": 1}
"""How many fields are before the path, by the kind of a line of `git status`."""


class ShellSnapshots:
    """The snapshots of a session, each for a command that is running, by the words of the call."""

    def __init__(self, root: Path, session: Path) -> None:
        self._root, self._session = root, session
        self._blobs = Blobs.of_session(session)

    def keep(self, words: str) -> None:
        """Keep how the checkout is before a command. Raises GitRefused."""
        for place in find_running(self._session)[:-_MOST_RUNNING]:
            place.unlink(missing_ok=True)
        head, paths = _ask_status(self._root)
        files = dict.fromkeys(paths[_MOST_FILES:], KeptFile(BEYOND))
        files |= {path: self._keep_file(path) for path in paths[:_MOST_FILES]}
        save_snapshot(self._place(words), ShellSnapshot(head, files, words))

    def has(self, words: str) -> bool:
        """Whether the snapshot of a command is kept."""
        return self._place(words).exists()

    def find_work(self, words: str) -> ShellWork:
        """Find the files that have changed since, as they were before.

        Raises Stale where too much has changed.
        """
        return self._compare(self._place(words))

    def refresh(self, work: ShellWork) -> ShellWork:
        """Leave out of a command's work what other hooks have settled since it was found."""
        snapshot = load_snapshot(self._place(work.command))
        if snapshot is None:
            return work
        settled = {
            path
            for path, since in work.since.items()
            if path in snapshot.files and snapshot.files[path].since > since
        }
        changed, committed = (
            {path: file for path, file in files.items() if path not in settled}
            for files in (work.changed, work.committed)
        )
        return replace(work, changed=changed, committed=committed, lost=_find_lost(snapshot))

    def end(self, words: str) -> None:
        """Forget the snapshot: what the command has done is recorded, as far as it is."""
        self._place(words).unlink(missing_ok=True)

    def find_running_work(self) -> ShellWork:
        """Find what the command started last has changed so far, as `find_work` tells it."""
        found = find_running(self._session)
        return self._compare(found[-1]) if found else ShellWork()

    def renew(self, paths: Iterable[str]) -> None:
        """Let the commands that still run begin with what has now been recorded of files."""
        if find_running(self._session):
            now = tell_time()
            files = {path: replace(self._keep_file(path), since=now) for path in paths}
            renew_snapshots(self._session, files)

    def lose(self, path: str, sessions: Iterable[Path], by: str) -> None:
        """Let all commands that still run begin with a file as it is now.

        Session `by` could not tell who has changed it until then.
        """
        for folder in sessions:
            if find_running(folder):
                blobs = Blobs.of_session(folder)
                file = replace(self._keep_file(path, blobs), since=tell_time(), lost=by)
                renew_snapshots(folder, {path: file})

    def _place(self, words: str) -> Path:
        # JSON may hold half a character, which no encoding has.
        name = digest(words.encode("utf-8", "surrogatepass"))[:32]
        return self._session / "aside" / f"shell-{name}.json"

    def _keep_file(self, path: str, blobs: Blobs | None = None) -> KeptFile:
        mark = stamp(self._root / path)
        if mark == ABSENT or int(mark.split(".")[1]) > _LARGEST:
            return KeptFile(mark)
        file = self._get(path)
        if file is None or file.mode not in _PLAIN:
            return KeptFile(mark)
        return KeptFile(mark, file.mode, (blobs or self._blobs).put(file.data))

    def _compare(self, place: Path) -> ShellWork:
        snapshot = load_snapshot(place)
        if snapshot is None:
            return ShellWork()
        head, paths = _ask_status(self._root)
        moves = HeadMoves(is_told=True) if head == snapshot.head else self._find_moves(snapshot)
        suspect = [
            path
            for path in dict.fromkeys([*paths, *snapshot.files, *moves.paths])
            if not path.startswith(LEDGER) and self._may_differ(path, snapshot.files.get(path))
        ]
        if len(suspect) > _MOST_CHANGED:
            fix = "None of it is recorded; the gate will say so at the commit."
            raise Stale("the command", f"has changed {len(suspect)} files", fix)
        changed, committed = dict[str, File | None](), dict[str, File | None]()
        for path, before, is_committed in self._find_before(suspect, snapshot, moves):
            (committed if is_committed else changed)[path] = before
        since = {path: each.since for path, each in snapshot.files.items() if each.since}
        return ShellWork(
            changed=changed,
            committed=committed,
            time=max(moves.time, snapshot.begun),  # a commit may bear any date
            command=snapshot.command,
            since={path: since.get(path, snapshot.begun) for path in (*changed, *committed)},
            lost=_find_lost(snapshot),
        )

    def _find_moves(self, snapshot: ShellSnapshot) -> HeadMoves:
        from hkgit.git.repository import Repository

        return find_moves(Repository.discover(self._root, is_small=True), snapshot.head)

    def _may_differ(self, path: str, kept: KeptFile | None) -> bool:
        is_known = kept is None or kept.stamp == ABSENT or kept.version is not None
        return is_known and (kept is None or kept.stamp != stamp(self._root / path))

    def _find_before(
        self, suspect: Sequence[str], snapshot: ShellSnapshot, moves: HeadMoves
    ) -> Iterator[tuple[str, File | None, bool]]:
        if not suspect:
            return
        # Most commands change nothing.
        from hkgit.git.repository import Repository
        from hkgit.git.transaction.landing import find_unfinished

        repository = Repository.discover(self._root, is_small=True)
        if any(find_unfinished(repository)) or repository.git("ls-files", "--unmerged").text:
            return  # git has written what it merges
        old = _files_of(repository, snapshot.head)
        new = _files_of(repository, repository.head().commit)
        for path in suspect:
            kept, now, moved = snapshot.files.get(path), self._get(path), new(path)
            before, is_committed = old(path) if kept is None else self._restore(kept), now == moved
            is_gits = is_committed and path not in moves.paths
            if now == before or is_gits:
                continue
            if kept is None and moves.base is not None:
                if is_overlapping(repository.snapshot(moves.base).get(path), before, now):
                    continue  # the reset may have changed it as well
            elif kept is None and snapshot.head and before != moved and not is_committed:
                if not moves.is_told:
                    continue
                before = moved  # git has brought it there first: of another branch, say
            if all(each is None or each.mode in _PLAIN for each in (before, now)):
                yield path, before, is_committed

    def _get(self, path: str) -> File | None:
        try:
            return Checkout(self._root).get(path)
        except InvalidInput:
            return _UNKNOWN

    def _restore(self, kept: KeptFile) -> File | None:
        if kept.version is None:
            return None
        data = self._blobs.get(kept.version)
        return _UNKNOWN if data is None else File(data, kept.mode)


def _find_lost(snapshot: ShellSnapshot) -> dict[str, str]:
    return {path: each.lost for path, each in snapshot.files.items() if each.lost}


def _ask_status(root: Path) -> tuple[str | None, list[str]]:
    """The commit that HEAD is, None before the first, and each path that differs from it."""
    from hkgit.git.program import run

    head, paths = None, []
    for line in os.fsdecode(run(_STATUS, cwd=root).stdout).split("\0"):
        kind, _, rest = line.partition(" ")
        if kind == "#" and rest.startswith("branch.oid "):
            named = rest.removeprefix("branch.oid ")
            head = None if named == "(initial)" else named
        elif kind in _FIELDS:
            paths.append(line.split(" ", _FIELDS[kind])[-1])
    return head, [path for path in paths if not path.endswith("/")]


def _files_of(repository: Repository, commit: str | None) -> Callable[[str], File | None]:
    """What reads a file of a commit; of none, nothing."""
    return (lambda path: None) if commit is None else repository.snapshot(commit).get


_FIX = "What it changed is not recorded in any session; the gate will say so at the commit."


def find_files_before(told: Told, session: EditSession, directory: Path) -> dict[str, File | None]:
    """Find the changed files as they were, by their paths from the root.

    Not those of which no more is told, nor those that are now as in the last commit, which git has
    brought back or committed, nor hkgit's own. Raises Stale where one has been changed since, and
    InvalidInput for one outside the checkout.
    """
    checkout, head = Checkout(session.root), find_head(session.root)
    state, blobs = session.journal.load().state, session.journal.blobs
    before: dict[str, File | None] = {}
    for name in told.names:
        path, hunks = relative_to_root(name, session.root, directory), (told.hunks or {}).get(name)
        is_new = name in (told.before or {})
        now, committed = checkout.get(path), None if head is None else head.get(path)
        if path.startswith(LEDGER) or now == committed or (hunks is None and not is_new):
            continue
        known = state.fresh.get(path) or state.known.get(path)
        read = None if known is None else blobs.get(known.version)
        versions = [*([] if read is None else [File(read)]), committed]
        file = None if is_new else find_before(path, hunks or (), now, versions)
        if file != now:
            before[path] = file
    return before


def find_head(root: Path) -> Snapshot | None:
    """Find the files of the last commit; None before the first one."""
    from hkgit.git.repository import Repository

    repository = Repository.discover(root, is_small=True)
    commit = repository.head().commit
    return None if commit is None else repository.snapshot(commit)


def find_before(
    path: str, hunks: Sequence[LineHunk], now: File | None, known: Iterable[File | None]
) -> File:
    """Find the file as it was. Raises Stale where it has been changed otherwise since."""
    raw = _put_back(path, hunks, [] if now is None else split_raw(now.data))
    wanted = [*map(_strip, raw)]
    mode = REGULAR if now is None else now.mode
    for file in known:
        if file is not None and [*map(_strip, split_raw(file.data))] == wanted:
            return File(file.data, mode)
    return File(b"".join(raw), mode)


def _put_back(path: str, hunks: Sequence[LineHunk], raw: list[bytes]) -> list[bytes]:
    """Lines with the old ones of each hunk in place of the new ones."""
    for hunk in hunks:  # those above are put back already, so it is where it was
        first = max(hunk.start_line - 1, 0) if hunk.old else hunk.start_line
        last = first + len(hunk.new)
        if [*map(_strip, raw[first:last])] != [_strip(encode_text(line)) for line in hunk.new]:
            raise Stale(path, "has changed since the command", _FIX)
        raw = [*raw[:first], *_old_lines(hunk, raw[first:last] or raw[:1]), *raw[last:]]
    return raw


def _old_lines(hunk: LineHunk, beside: list[bytes]) -> list[bytes]:
    end = b"\r\n" if beside and beside[0].endswith(b"\r\n") else b"\n"
    return [_strip(encode_text(line)) + end for line in hunk.old]


def _strip(line: bytes) -> bytes:
    """A line without its end."""
    return line.rstrip(b"\r\n")
