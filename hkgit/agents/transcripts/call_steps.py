"""Logged calls as steps that can be replayed in a repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import assert_never

from hkgit import dialects
from hkgit.agents.events import Shell
from hkgit.agents.shell_words import find_ranges, list_names
from hkgit.agents.shown_readings import list_folders, split_hits
from hkgit.agents.tools import session_name
from hkgit.agents.transcripts.logged_call import EditCall, Hunks, LoggedCall, ReadCall
from hkgit.agents.transcripts.path_map import PathMap
from hkgit.edits import AnyEdit, RenameFile, Spec, encode_text
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import digest
from hkgit.values import replace
from hkgit.workflows.log_steps import LoggedEdit, LoggedHunk, LoggedReading, Step, Texts


def steps_of(calls: Iterable[LoggedCall], paths: PathMap) -> Iterator[Step]:
    """Yield the steps of those calls that speak of known paths; each call counts once."""
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
        case ReadCall(name):
            return call.id, time, name
        case Shell(command):
            return call.id, time, command
        case EditCall():
            return call.id, time, ""
    assert_never(call.did)


def _did(call: LoggedCall, paths: PathMap) -> Iterator[LoggedReading | LoggedEdit]:
    found: LoggedReading | LoggedEdit | None = None
    match call.did:
        case ReadCall() as read:
            found = _reading(call, read, paths)
        case Shell() as shell:
            yield from _list_shown(call, shell, paths)
        case EditCall() as edit:
            found = _edit(call, edit, paths)
    if found is not None:
        yield found


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


def _reading(call: LoggedCall, read: ReadCall, paths: PathMap) -> LoggedReading | None:
    path = paths.path(call.directory, read.name)
    if path is None:
        return None
    whole = None if read.whole is None else _bytes(read.whole)
    return LoggedReading(path, "\n".join(read.lines), read.start_line, whole)


def _edit(call: LoggedCall, edit: EditCall, paths: PathMap) -> LoggedEdit | None:
    """A call as an edit of known paths; None where it speaks of none of them."""
    spec = _spec(edit)
    names = edit.names or tuple(dict.fromkeys(_names(spec)))
    known = {name: paths.path(call.directory, name) for name in names}
    found = {name: path for name, path in known.items() if path is not None}
    if not found:
        return None
    if spec is not None:
        # The log may name files otherwise than the spec does.
        named = {name: paths.path(call.directory, name) for name in _names(spec)}
        own = {*found.values()}
        meant = {name: path for name, path in named.items() if path is not None and path in own}
        spec = _with_paths(edit, spec, found | meant)
    return LoggedEdit(
        paths=tuple(dict.fromkeys(found.values())),
        spec=spec,
        before=_texts(edit.before, found),
        after=_texts(edit.after, found),
        replacements=tuple((_bytes(o), _bytes(n), is_all) for o, n, is_all in edit.replacements),
        is_final=edit.is_final,
        hunks=_hunks(edit.hunks, found),
    )


def _spec(edit: EditCall) -> Spec | None:
    try:
        if edit.text is None:
            return None
        return dialects.parse(edit.text, edit.dialect)
    except InvalidInput:
        return None


def _names(spec: Spec | None) -> Iterator[str]:
    for edit in () if spec is None else spec.edits:
        yield edit.path
        if isinstance(edit, RenameFile):
            yield edit.new_path


def _with_paths(edit: EditCall, spec: Spec, found: dict[str, str]) -> Spec | None:
    """A spec with the paths of the repository; edits of other paths are left out."""
    edits = tuple(
        moved for each in spec.edits if (moved := _moved(each, found, edit.names)) is not None
    )
    if not edits:
        return None
    render = dialects.DIALECTS[spec.dialect].render
    blocks = tuple(render([each]) for each in edits)
    hashed = digest(encode_text(edit.text or ""))
    return replace(spec, edits=edits, blocks=blocks, digest=hashed, miscounted=frozenset())


def _moved(edit: AnyEdit, found: dict[str, str], names: tuple[str, ...]) -> AnyEdit | None:
    # A dialect may write a name otherwise than the log does: one that is alone is meant.
    only = found[names[0]] if len(names) == 1 and names[0] in found else None
    path = found.get(edit.path, found.get(str(PurePosixPath(edit.path)), only))
    if path is None:
        return None
    if isinstance(edit, RenameFile):
        target = found.get(edit.new_path)
        return None if target is None else replace(edit, path=path, new_path=target)
    return replace(edit, path=path)


def _texts(said: dict[str, str | None] | object | None, found: dict[str, str]) -> Texts | None:
    if not isinstance(said, dict):
        return None
    texts = {
        found[name]: None if value is None else _bytes(value)
        for name, value in said.items()
        if name in found
    }
    return texts or None


def _hunks(said: Hunks | None, found: dict[str, str]) -> dict[str, tuple[LoggedHunk, ...]] | None:
    hunks = {
        found[name]: tuple(
            LoggedHunk(
                start_line=each.start_line,
                old=tuple(map(_bytes, each.old)),
                new=tuple(map(_bytes, each.new)),
                is_ended=each.is_ended,
                has_tabs=each.has_tabs,
            )
            for each in hunks
        )
        for name, hunks in (said or {}).items()
        if name in found
    }
    return hunks or None


def _bytes(value: str) -> bytes:
    """A text of JSON as bytes; half characters, which no file has, as question marks."""
    return value.encode("utf-8", "replace")
