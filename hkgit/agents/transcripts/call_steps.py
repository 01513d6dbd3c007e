"""Logged calls as steps that can be replayed in a repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeVar

from hkgit import dialects
from hkgit.agents.events import Editing, PendingToolEdit, Shell, ToolReading
from hkgit.agents.logged_call import LoggedCall
from hkgit.agents.shown_readings import find_ranges, list_folders, list_names, split_hits
from hkgit.agents.specs import paths_of
from hkgit.agents.tools import session_name
from hkgit.edits import AnyEdit, RenameFile, Spec
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field, replace
from hkgit.workflows.log_steps import LoggedEdit, LoggedReading, Step, Told, to_bytes

T = TypeVar("T")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass
class PathMap:
    """Maps names of logs to the paths of a repository that are `known`.

    `find_checkout` gives the checkout around a directory, and whether it is of this repository;
    None where there is none on this machine.
    """

    known: Collection[str]
    find_checkout: Callable[[Path], tuple[Path, bool] | None]
    others: set[str] = field(default_factory=set)
    _roots: dict[str, tuple[str | None, bool]] = field(default_factory=dict)

    def path(self, directory: str, name: str) -> str | None:
        """Find the path of a name; None where it is not one of the known ones."""
        here, whole = _unify(directory), _unify(name)
        whole = posixpath.normpath(posixpath.join(here, whole) if here else whole)
        root, is_own = self._root(here)
        if not is_own:
            return None
        if root is not None:
            path = _below(whole, root)
            return path if path in self.known else None
        return self._guess(here, whole)

    def _root(self, directory: str) -> tuple[str | None, bool]:
        """The checkout that a directory lies in, and whether it may be of the repository."""
        if directory not in self._roots:
            found = self.find_checkout(Path(directory)) if directory.startswith("/") else None
            if found is not None and not found[1]:
                self.others.add(directory)
            root, is_own = (None, True) if found is None else (found[0].as_posix(), found[1])
            self._roots[directory] = root, is_own
        return self._roots[directory]

    def _guess(self, directory: str, whole: str) -> str | None:
        if not whole.startswith(("/", "//")) and not _DRIVE.match(whole):
            return whole if whole in self.known else None
        above = (str(each) for each in PurePosixPath(directory).parents)
        roots = [directory, *("" if each == "." else each for each in above)]
        # The longest path is the surest: many directories have a README.
        paths = (_below(whole, root) for root in reversed(roots))
        return next((path for path in paths if path is not None and path in self.known), None)


def _unify(name: str) -> str:
    return name.replace("\\", "/") if _DRIVE.match(name) else name


def _below(whole: str, root: str) -> str | None:
    prefix = root.rstrip("/") + "/"
    return whole[len(prefix) :] if whole.startswith(prefix) else None


def steps_of(calls: Iterable[LoggedCall], paths: PathMap) -> Iterator[Step]:
    """Yield the steps of those calls that refer to known paths; each call counts once."""
    done: set[tuple[object, ...]] = set()
    for call in calls:
        key = _name_once(call)
        if key in done:
            continue
        for did in _did(call, paths):
            done.add(key)
            yield Step(
                time=call.time,
                session=session_name("recovered", call.conversation),
                agent=call.agent,
                where=call.where,
                call=call.id,
                tool=call.tool,
                did=did,
                turn=call.turn,
            )


def _name_once(call: LoggedCall) -> tuple[object, ...]:
    """Name a call so that its repetitions are found, as in a session that was resumed.

    Some programs count the calls of each session from 0; one call may read several files. Those
    of Claude Code have ids of their own; logs of a sub-agent may tell other times than its agent's.
    """
    time = None if call.id.startswith("toolu_") else call.time
    match call.did:
        case ToolReading(path):
            return call.id, time, path
        case Shell(command):
            return call.id, time, command
    return call.id, time, ""


def _did(call: LoggedCall, paths: PathMap) -> Iterator[LoggedReading | LoggedEdit]:
    match call.did:
        case ToolReading() as read:
            yield from _list_read(call, read, paths)
        case Shell() as shell:
            if shell.told is not None:
                yield from _list_edits(call, None, shell.told, paths)
            yield from _list_shown(call, shell, paths)
        case Editing(told=Told() as told) as edit:
            yield from _list_edits(call, edit, told, paths)
        case PendingToolEdit(told=Told() as told):
            yield from _list_edits(call, None, told, paths)


def _list_shown(call: LoggedCall, shell: Shell, paths: PathMap) -> Iterator[LoggedReading]:
    """List what a command has shown of each file that it names, or its answer does."""
    folders = list_folders(shell)

    def find(name: str) -> str | None:
        places = (paths.path(call.directory, str(PurePosixPath(each, name))) for each in folders)
        return next((path for path in places if path is not None), None)

    hits, rest = split_hits(shell.output, find)
    for path, lines in hits.items():
        yield LoggedReading(path, lines)
    known = (find(name) for name in list_names(shell.command))
    named = tuple(dict.fromkeys(path for path in known if path is not None))
    answer, asked = "\n".join(rest), find_ranges(shell.command)
    for path in named:
        yield LoggedReading(path, answer, said=shell.command, asked=asked, named=named)


def _list_read(call: LoggedCall, read: ToolReading, paths: PathMap) -> Iterator[LoggedReading]:
    path, answer = paths.path(call.directory, read.path), read.answer
    if path is not None and answer is not None:
        whole = to_bytes(answer) if read.is_whole else None
        yield LoggedReading(path, answer, read.start_line, whole)


def _list_edits(
    call: LoggedCall, edit: Editing | None, told: Told, paths: PathMap
) -> Iterator[LoggedEdit]:
    """Write a call as an edit of known paths, if it is about some."""
    spec = None if edit is None else _parse(edit)
    written = [] if spec is None else paths_of(spec)
    named = {name: paths.path(call.directory, name) for name in (*told.names, *written)}
    own = {path for name in told.names or written if (path := named[name]) is not None}
    # The log may name files otherwise than the spec does, and others beside.
    found = {name: path for name, path in named.items() if path is not None and path in own}
    if not found:
        return
    if spec is not None:
        only = found.get(told.names[0]) if len(told.names) == 1 else None
        moved = [_rename_edit(each, found, only) for each in spec.edits]
        edits = tuple(each for each in moved if each is not None)
        spec = replace(spec, edits=edits) if edits else None
    told = replace(
        told,
        names=tuple(dict.fromkeys(found.values())),
        before=_rename(told.before, found),
        after=_rename(told.after, found),
        hunks=_rename(told.hunks, found),
    )
    yield LoggedEdit(spec, told)


def _parse(edit: Editing) -> Spec | None:
    """Parse the words of an edit; None where they are in none that hkgit reads."""
    try:
        return replace(dialects.parse(edit.text, edit.dialect), miscounted=frozenset())
    except InvalidInput:
        return None


def _rename_edit(edit: AnyEdit, found: Mapping[str, str], only: str | None) -> AnyEdit | None:
    """Give an edit the paths of the repository; None where it is of another file than all known."""
    path = found.get(edit.path, only)
    if path is None or not isinstance(edit, RenameFile):
        return None if path is None else replace(edit, path=path)
    target = found.get(edit.new_path)
    return None if target is None else replace(edit, path=path, new_path=target)


def _rename(told: Mapping[str, T] | None, found: Mapping[str, str]) -> dict[str, T] | None:
    return {found[name]: each for name, each in (told or {}).items() if name in found} or None
