"""read.py: `hkgit read`, the first half of every edit."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click

from hkgit.commands.common import echo_json, json_option, open_repository, root_relative
from hkgit.commands.manners import remark
from hkgit.dialects.tags import tags
from hkgit.directory import DirectorySnapshot
from hkgit.document import Document
from hkgit.edits import DIRECTORY, SUBMODULE, SYMLINK, Snapshot
from hkgit.errors import InvalidInput

_RANGE = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?\Z", re.DOTALL)
_KINDS = {DIRECTORY: "a directory", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines of a file as read, with the hash to quote."""

    path: str
    document: Document
    start_line: int
    end_line: int

    @property
    def range_hash(self) -> str:
        return self.document.range_hash(self.start_line, self.end_line)

    def tagged_lines(self) -> list[str]:
        """The lines as `ab|text`; `  |text` where a line above, in the whole file, has the tag."""
        shown = tags(self.document.lines[: self.end_line])[self.start_line - 1 :]
        return [f"{tag or '  '}|{line}" for tag, line in zip(shown, self.lines(), strict=True)]

    def lines(self) -> list[str]:
        """The lines, bytes that are not UTF-8 shown as replacement characters."""
        lines = self.document.lines[self.start_line - 1 : self.end_line]
        return [line.decode("utf-8", "replace") for line in lines]


def split_target(target: str) -> tuple[str, int | None, int | None]:
    """`PATH`, `PATH:N` or `PATH:START-END` as a path and two line numbers."""
    found = _RANGE.match(target)
    if found is None:
        return target, None, None
    start = int(found["start"])
    return found["path"], start, int(found["end"]) if found["end"] is not None else start


def read_lines(files: Snapshot, path: str, start: int | None, end: int | None) -> Reading:
    """Read lines of a file, all of them by default; an end past the last line is clamped.

    Raises InvalidInput when there is no such file or line.
    """
    file = files.get(path)
    if file is None:
        raise InvalidInput(path, "there is no such file", "Check the path and the revision.")
    if file.mode in _KINDS:
        raise InvalidInput(path, f"is {_KINDS[file.mode]}", "Name a regular file.")
    document = Document(file.data)
    first = 1 if start is None else start
    last = document.line_count if end is None else min(end, document.line_count)
    if first < 1 or (end is not None and end < first):
        raise InvalidInput(f"{path}:{first}-{end}", "is no range", "Count lines from 1.")
    if start is not None and first > document.line_count:
        what = f"starts past the last line: the file has {document.line_count} lines"
        raise InvalidInput(f"{path}:{first}", what, "Name lines it has.")
    return Reading(path, document, first, last)


@click.command()
@click.argument("target", metavar="PATH[:N | :START-END]")
@click.option("--rev", help="Read from a revision instead of the working tree.")
@click.option("--hashline", is_flag=True, help="Show each line with its tag: ab|text.")
@json_option
def command(target: str, rev: str | None, hashline: bool, as_json: bool) -> None:
    """Print lines of a file with the hash that an edit of them quotes."""
    repository = open_repository()
    if rev is None and repository.work_tree is None:
        raise InvalidInput("--rev", "a bare repository has no working tree", "Name a revision.")
    files: Snapshot
    if rev is not None or repository.work_tree is None:
        files = repository.snapshot(repository.resolve(rev or "HEAD"))
    else:
        files = DirectorySnapshot(repository.work_tree)
    path, start, end = split_target(target)
    if start is not None and files.get(root_relative(repository, target)) is not None:
        path, start, end = target, None, None
    reading = read_lines(files, root_relative(repository, path), start, end)
    if end is not None and reading.end_line < end:
        remark(f"the file ends at line {reading.end_line}")
    if hashline and not as_json:
        click.echo("".join(f"{line}\n" for line in reading.tagged_lines()), nl=False)
    else:
        _print(reading, as_json=as_json)


def _print(reading: Reading, *, as_json: bool) -> None:
    if as_json:
        echo_json(
            {
                "path": reading.path,
                "start_line": reading.start_line,
                "end_line": reading.end_line,
                "total_lines": reading.document.line_count,
                "range_hash": reading.range_hash,
                "range_lines": reading.lines(),
            }
        )
        return
    lines = f"{reading.start_line}-{reading.end_line} of {reading.document.line_count}"
    click.echo(f"{reading.path}:{lines}  {reading.range_hash}")
    width = len(str(reading.end_line))
    for number, line in enumerate(reading.lines(), reading.start_line):
        click.echo(f"{number:>{width}}| {line}")

