"""rival_calls.py: find what files become by the calls of other sessions, recorded or still open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path

from hkgit.agents.open_edits import find_open_edits
from hkgit.agents.shell.running import list_running_commands
from hkgit.agents.specs import spec_of
from hkgit.applying.planner import Options
from hkgit.edits import File, Overlay, Spec
from hkgit.errors import HkgitError
from hkgit.sessions.drafting import plan_call
from hkgit.sessions.readings.checkout import Checkout
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import Version
from hkgit.values import dataclass

_MOST = 64
"""So many versions of files are tried at most."""

Files = Mapping[str, File | None]


@dataclass(frozen=True, slots=True)
class RivalCall:
    """What another call makes of files, None where it does not fit them.

    `time` is when it was recorded, 0 for one that is still open.
    """

    make: Callable[[Files], Files | None]
    time: int = 0


def make_by_spec(spec: Spec, checkout: Checkout) -> Callable[[Files], Files | None]:
    """Return what plans a spec on files."""

    def make(files: Files) -> Files | None:
        try:
            plan = plan_call([spec], Overlay(checkout, files), Options(), (), {}, lambda _: None)
        except HkgitError:
            return None
        return {path: plan.changed.get(path, files[path]) for path in files} if plan.is_ok else None

    return make


def list_rival_calls(
    rivals: Sequence[Path], root: Path, checkout: Checkout, paths: Sequence[str]
) -> Iterator[RivalCall]:
    for folder in rivals:
        for snapshot, named in product(list_running_commands(folder), paths):
            yield RivalCall(make_by_command(snapshot.command, named))
        for edit in find_open_edits(folder):
            with suppress(HkgitError):
                yield RivalCall(make_by_spec(spec_of(edit.edit, root, edit.directory), checkout))
        yield from _list_recorded(SessionJournal(folder), paths)


def _list_recorded(journal: SessionJournal, paths: Sequence[str]) -> Iterator[RivalCall]:
    calls = journal.load().effective
    for change, time in ((change, call.time) for call in calls for change in call.changes):
        path = change.path
        if path is None or path not in paths or path != change.new_path or change.after is None:
            continue
        data = journal.blobs.get(change.after.sha256)
        after = None if data is None else File(data, change.after.mode)
        yield RivalCall(_recorded(path, change.before, after), time)


def make_by_command(command: str, path: str) -> Callable[[Files], Files | None]:
    """Return what makes of a file what a command says."""
    from hkgit.agents.shell.explaining import make_by_words  # few commands run meanwhile

    def make(files: Files) -> Files | None:
        made = make_by_words(command, path, files[path])
        return None if made is None else {**files, path: made}

    return make


def _recorded(
    path: str, before: Version | None, after: File | None
) -> Callable[[Files], Files | None]:
    """Return what leads one version of a file to the next."""

    def make(files: Files) -> Files | None:
        fits = after is not None and Version.of(files[path]) == before
        return {**files, path: after} if fits else None

    return make


def find_way(start: Files, end: Files, steps: Sequence[RivalCall]) -> list[int] | None:
    """Find steps that lead from some files to others; when each was recorded."""
    ways = list_reachable(start, steps)
    return next((times for files, times in ways if times and files == end), None)


def list_reachable(start: Files, steps: Sequence[RivalCall]) -> Iterator[tuple[Files, list[int]]]:
    """Yield what files become by steps, each taken once at most, the fewest steps first."""
    waiting: list[tuple[Files, list[int], frozenset[int]]] = [(start, [], frozenset())]
    for files, times, taken in waiting:
        yield files, times
        for number, step in enumerate(steps):
            if number in taken or len(waiting) >= _MOST:
                continue
            made = step.make(files)
            if made is not None and made != files:
                waiting.append((made, [*times, step.time], taken | {number}))
