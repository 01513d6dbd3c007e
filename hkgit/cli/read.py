"""`hkgit read`: the first half of every edit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from hkgit.applying.files import DirectorySnapshot
from hkgit.cli.answer import Answer
from hkgit.cli.common import find_work_root, make_relative_to, make_root_relative, open_repository
from hkgit.cli.options import argument, declare, option, option_of, session_option
from hkgit.cli.output import make_printable, print_note
from hkgit.edits import Snapshot
from hkgit.errors import GitRefused, InvalidInput
from hkgit.sessions.file_lines import MAX_LINES, ReadableCheckout, Reading, read_snapshot
from hkgit.workflows.arguments import BEFORE, HASHLINE, LIMIT

_RANGE = r"(?s)(?P<path>.+):(?P<start>\d+)(?P<dash>-(?P<end>\d+)?)?\Z"


@declare
def command(
    *,
    target: str = argument("PATH[:N | :START-END]"),
    rev: str | None = option("Read from a revision instead of the working tree."),
    hashline: bool = option_of(HASHLINE),
    session: str | None = session_option(
        "Keep a receipt: what was read is evidence for edits of this session."
    ),
    before: str | None = option_of(BEFORE, metavar="CALL"),
    limit: int | None = option_of(
        LIMIT,
        metavar="LINES",
        help=f"{LIMIT.about} Without: {MAX_LINES} with --session or --hashline, else all.",
    ),
) -> Answer:
    """Print lines of a file with the hash that an edit of them quotes.

    Without END all lines are shown, or as many as the limit allows; then the output says where to
    go on. Images and binary files are skipped.
    """
    if before is not None and session is None:
        raise click.UsageError("--before needs the session of the call: give --session too.")
    if rev is not None and session is not None:
        raise click.UsageError("Receipts are for the working tree: leave out --rev or --session.")
    if limit is None and (hashline or session is not None):
        limit = MAX_LINES
    if rev is not None:
        reading, end = _read_revision(target, rev, hashline=hashline, limit=limit)
    else:
        reading, end = _read_here(target, session, before, hashline=hashline, limit=limit)
    if end is not None and reading.end_line < end and reading.next_line is None:
        print_note(f"the file ends at line {reading.end_line}")
    if reading.hint:
        print_note(reading.hint)
    return Answer(lambda: reading.document, _lines(reading))


def _read_revision(
    target: str, rev: str, *, hashline: bool, limit: int | None
) -> tuple[Reading, int | None]:
    """Read lines of a revision; return them and the last line that was asked for."""
    repository = open_repository(is_small=True)
    files = repository.snapshot(repository.resolve(rev))
    path, start, end = _split(target, files, make_root_relative(repository, target))
    path = make_root_relative(repository, path)
    return read_snapshot(files, path, start, end, hashline=hashline, limit=limit), end


def _read_here(
    target: str, session: str | None, before: str | None, *, hashline: bool, limit: int | None
) -> tuple[Reading, int | None]:
    """Read lines of the working tree; return them and the last line that was asked for."""
    root = _root()
    path, start, end = _split(target, DirectorySnapshot(root), make_relative_to(root, target))
    if session is None:
        path = make_relative_to(root, path)
        here = ReadableCheckout(root)
        return read_snapshot(here, path, start, end, hashline=hashline, limit=limit), end
    # A reading without a session waits for nothing that edits.
    from hkgit.sessions.edit_session import EditSession

    path, opened = make_relative_to(root, path), EditSession.open(root, session)
    return opened.read(path, start, end, hashline=hashline, limit=limit, before=before), end


def _root() -> Path:
    try:
        return find_work_root()
    except GitRefused as error:
        raise InvalidInput("--rev", error.what, "Name a revision.") from error


def _split(target: str, files: Snapshot, whole: str) -> tuple[str, int | None, int | None]:
    """Split `PATH`, `PATH:N`, `PATH:START-END` or `PATH:START-` into path and line numbers.

    A file may have a name that looks like one with a range.
    """
    found = re.match(_RANGE, target)
    # Lines of a file with a name of one letter look like a path on a drive.
    with suppress(InvalidInput):
        if found is None or files.get(whole) is not None:
            return target, None, None
    assert found is not None
    start, end = int(found["start"]), found["end"]
    if found["dash"] is None:
        return found["path"], start, start
    return found["path"], start, None if end is None else int(end)


def _lines(reading: Reading) -> Iterator[str]:
    if reading.tags is not None:
        yield from map(make_printable, reading.shown)
        return
    lines = f"{reading.start_line}-{reading.end_line} of {reading.file.line_count}"
    yield f"{reading.path}:{lines}  {reading.range_hash}"
    width = len(str(reading.end_line))
    for number, line in enumerate(reading.lines, reading.start_line):
        yield f"{number:>{width}}| {make_printable(line)}"
