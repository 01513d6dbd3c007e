"""Options of specs, and specs from files, standard input and options."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from hkgit.applying.files import has_file
from hkgit.applying.outcome import EditOutcome, render_apply_json
from hkgit.applying.planner import Options
from hkgit.cli.answer import Answer
from hkgit.cli.options import argument, option, option_of
from hkgit.cli.output import print_note, read_input
from hkgit.dialects import append_at_end, find_dialect, parse
from hkgit.dialects.file_names import parse_expect
from hkgit.edits import Read, Spec
from hkgit.errors import HkgitError, InvalidInput
from hkgit.text.escape import quote_word, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, replace
from hkgit.workflows.arguments import (
    CHECK_SYNTAX,
    DRY_RUN,
    EMPTY_SEARCH,
    EXPECT,
    FORMAT,
    RELOCATE,
    THRESHOLD,
)


def _expect_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """A range accepts NaN, which is neither below nor above anything."""
    if math.isnan(value):
        raise click.BadParameter("nan is not a number", ctx, param)
    return value


@dataclass(frozen=True)
class SpecOptions:
    """Where the specs of a command come from, and how they are placed."""

    specs: tuple[str, ...] = argument("[SPEC]...")
    edit: str | None = option("Read a spec from FILE.", metavar="FILE")
    stdin: bool = option("Read a spec from stdin.")
    file: str | None = option("The file of a single edit.", metavar="PATH")
    old: str | None = option("The text that the edit replaces.", metavar="TEXT")
    new: str | None = option("The new text.", metavar="TEXT")
    format: str = option_of(FORMAT, metavar="DIALECT")
    empty_search: str = option_of(EMPTY_SEARCH)
    threshold: float = option_of(THRESHOLD, callback=_expect_number)
    expect: tuple[str, ...] = option_of(EXPECT, metavar="PATH[:N | :START-END]=HASH")
    relocate: bool = option_of(RELOCATE)
    check_syntax: bool | None = option_of(
        CHECK_SYNTAX, "--check-syntax/--no-check-syntax", default=None
    )
    allow_blind: bool = option("Accept edits that are not tied to what was read, and record that.")
    dry_run: bool = option_of(DRY_RUN)

    def to_options(self, *, allow_blind: bool) -> Options:
        """Convert to the options of the planner. Raises InvalidInput."""
        return Options.of(
            self.threshold,
            relocate=self.relocate,
            check_syntax=self.check_syntax,
            allow_blind=allow_blind,
        )


def read_specs(
    given: SpecOptions,
    root: Path | None,
    locate: Callable[[str], str],
    note: Callable[[InvalidInput], None],
) -> list[Spec]:
    """Parse every spec that was given. `locate` makes a path of the command line root-relative.

    Raises InvalidInput for a malformed one, which `note` keeps among the refusals, and UsageError
    when nothing or too much is given.
    """
    try:
        if given.format != "auto":
            find_dialect(given.format)
        dialect = given.format if given.file is None else "harnesskit"
        documents = _documents(given, locate)
        are_named = len(documents) > 1
        specs = [
            _spec(name if are_named else None, data, dialect, root) for name, data in documents
        ]
        return specs if given.empty_search == "create" else [*map(append_at_end, specs)]
    except InvalidInput as error:
        if not given.dry_run:
            note(error)
        raise


def _spec(name: str | None, data: bytes, dialect: str, root: Path | None) -> Spec:
    named_root = _name_of(root, data)
    try:
        exists = None if root is None else partial(has_file, root)
        return replace(parse(data, dialect, root=named_root, exists=exists), name=name)
    except InvalidInput as error:
        if name is None:
            raise
        raise InvalidInput(f"{name}: {error.where}", error.what, error.fix) from error


def _name_of(root: Path | None, data: bytes) -> str | None:
    """The root as a spec's absolute paths name it: an agent may be in it through a link."""
    if root is None:
        return None
    here = Path(os.environ.get("PWD", ""))
    for name in (here, *here.parents):
        if name != root and os.fsencode(name) in data and _is_same(name, root):
            return str(name)
    return str(root)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.is_absolute() and one.samefile(other)
    except OSError:
        return False


def _documents(given: SpecOptions, locate: Callable[[str], str]) -> list[tuple[str, bytes]]:
    """Every document with the name that it was given by."""
    single = (given.file, given.old, given.new)
    names = [*given.specs, *([] if given.edit is None else [given.edit])]
    if any(part is not None for part in single):
        if names or given.stdin or None in single:
            raise click.UsageError(_explain_single(given))
        edit = {"file": locate(given.file or ""), "old_text": given.old, "new_text": given.new}
        text = json.dumps(edit, ensure_ascii=False)
        return [("--file", text.encode("utf-8", "surrogateescape"))]
    if given.stdin or not (names or sys.stdin is None or sys.stdin.isatty()):
        names.append("-")
    if not names:
        raise click.UsageError("Give a SPEC, --file with --old and --new, or a spec on stdin.")
    return [(name, _read(name)) for name in names]


def _explain_single(given: SpecOptions) -> str:
    """Say how one edit is written; a file's name alone is easily taken for the SPEC."""
    words = "Give --file, --old and --new together, and no SPEC."
    if given.file is None and len(given.specs) == 1 and None not in (given.old, given.new):
        return f"{words} Use: --file {quote_word(given.specs[0])}"
    return words


def _read(name: str) -> bytes:
    if name == "-":
        return read_input()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(name, f"cannot be read: {error.strerror}", "Check the path.") from error


def read_expects(expects: Sequence[str], locate: Callable[[str], str]) -> tuple[Read, ...]:
    """Parse the reads that --expect names, their paths from the root. Raises InvalidInput."""
    reads = (parse_expect(argument) for argument in expects)
    return tuple(replace(read, path=locate(read.path)) for read in reads)


def refuse(
    error: HkgitError,
    outcomes: Sequence[EditOutcome],
    given: SpecOptions,
    more: JsonObject,
    words: str,
) -> Answer:
    """Answer why nothing was applied; the document has the keys that it has where something was."""
    document = render_apply_json(error.status, outcomes, None, error, dry_run=given.dry_run)
    return Answer(document | more, code=error.exit_code, refusal=words or str(error))


def echo_notes(outcomes: Sequence[EditOutcome]) -> None:
    """Say what a person may want to know of edits that applied."""
    for outcome in outcomes:
        for note in outcome.notes:
            print_note(f"note: {visible(outcome.path)}: {visible(note)}")
