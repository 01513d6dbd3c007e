"""specs.py: where `apply` and `edit` take their specs from: files, standard input, options."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from hkgit.applying.outcome import EditOutcome
from hkgit.applying.planner import Options
from hkgit.cli.common import json_option
from hkgit.cli.edit.command_line import STDIN_TEXT
from hkgit.cli.output import print_note
from hkgit.dialects import appending, find_dialect, parse, parse_expect
from hkgit.edits import Read, Spec
from hkgit.errors import InvalidInput
from hkgit.matching.places import decimal
from hkgit.text.escaping import visible
from hkgit.values import dataclass, replace

STDIN = "-"


@dataclass(frozen=True, slots=True)
class SpecOptions:
    """What `spec_options` add to a command: where its specs come from, and how they are placed."""

    specs: tuple[str, ...]
    edit_file: str | None
    use_stdin: bool
    file: str | None
    old: str | None
    new: str | None
    format: str
    empty_search: str
    accept_truncated: bool
    threshold: float
    expect: tuple[str, ...]
    relocate: bool
    check_syntax: bool | None
    allow_blind: bool
    dry_run: bool
    as_json: bool

    def planning(self, *, allow_blind: bool) -> Options:
        """The options of the planner. Raises InvalidInput."""
        return Options.of(
            self.threshold,
            relocate=self.relocate,
            check_syntax=self.check_syntax,
            allow_blind=allow_blind,
        )


def _is_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """A range lets NaN pass, which is neither below nor above anything."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number", ctx, param)
    return value


def spec_options(run: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options by which specs are given, as one value named `given`."""

    @wraps(run)
    def command(*args: Any, **values: Any) -> None:
        ours = {name: values.pop(name) for name in SpecOptions.__match_args__}
        run(*args, given=SpecOptions(**ours), **values)

    for option in reversed(
        [
            click.argument("specs", nargs=-1, metavar="[SPEC]..."),
            click.option("--edit", "edit_file", metavar="FILE", help="Read a spec from FILE."),
            click.option("--stdin", "use_stdin", is_flag=True, help="Read a spec from stdin."),
            click.option("--file", metavar="PATH", help="The file of a single edit."),
            click.option("--old", metavar="TEXT", help="The text that the edit replaces."),
            click.option("--new", metavar="TEXT", help="The text that it puts there."),
            click.option(
                "--format", default="auto", metavar="DIALECT", help="The dialect of the specs."
            ),
            click.option(
                "--empty-search",
                type=click.Choice(["create", "append"]),
                default="create",
                show_default=True,
                help="What an empty SEARCH means: a new file, or the end of one that is there.",
            ),
            click.option(
                "--accept-truncated",
                is_flag=True,
                help="Take a SPEC that ends too early as far as it goes, and record that.",
            ),
            click.option(
                "--threshold",
                type=click.FloatRange(0, 1),
                default=0.8,
                show_default=True,
                callback=_is_number,
                help="How alike a fuzzy match must be; it decides the place, and lets no edit"
                " overwrite lines that it misquotes.",
            ),
            click.option(
                "--expect",
                multiple=True,
                metavar="PATH[:N | :START-END]=HASH",
                help="The hash of what was read; may be repeated.",
            ),
            click.option("--relocate", is_flag=True, help="Follow ranges that have moved."),
            click.option(
                "--check-syntax/--no-check-syntax",
                default=None,
                help="Refuse every edit that leaves a file which no longer parses, or none.  "
                "[default: those that are not exact]",
            ),
            click.option(
                "--allow-blind",
                is_flag=True,
                help="Take edits that nothing ties to what was read, and record that.",
            ),
            click.option("--dry-run", is_flag=True, help="Show what would change, change nothing."),
            json_option,
        ]
    ):
        command = option(command)
    return command


def read_specs(given: SpecOptions, root: Path | None, locate: Callable[[str], str]) -> list[Spec]:
    """Every spec that was given, parsed. `locate` makes a path of the command line root-relative.

    Raises InvalidInput for a malformed one and click.UsageError when nothing or too much is given.
    """
    if given.format != "auto":
        find_dialect(given.format)
    dialect = given.format if given.file is None else "harnesskit"
    documents = _documents(given, locate)
    are_named = len(documents) > 1
    specs = [
        _spec(
            name if are_named else None,
            data,
            dialect,
            root,
            accept_truncated=given.accept_truncated,
        )
        for name, data in documents
    ]
    return specs if given.empty_search == "create" else [appending(spec) for spec in specs]


def _spec(
    name: str | None, data: bytes, dialect: str, root: Path | None, *, accept_truncated: bool
) -> Spec:
    named_root = _name_of(root, data)
    try:
        spec = parse(data, dialect, root=named_root, accept_truncated=accept_truncated)
    except InvalidInput as error:
        if name is None:
            raise
        raise InvalidInput(f"{name}: {error.where}", error.what, error.fix) from error
    return replace(spec, digest=_digest(data), name=name)


def _name_of(root: Path | None, data: bytes) -> str | None:
    """The root as a spec's absolute paths name it: an agent may stand in it through a link."""
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
    names = [*given.specs, *([given.edit_file] if given.edit_file is not None else [])]
    if any(part is not None for part in single):
        if names or given.use_stdin or None in single:
            raise click.UsageError("--file, --old and --new belong together, without a SPEC.")
        return [("--file", _single(locate(given.file or ""), given.old or "", given.new or ""))]
    if given.use_stdin or (not names and _is_piped()):
        names = [*names, STDIN]
    if not names:
        raise click.UsageError("Give a SPEC, --file with --old and --new, or a spec on stdin.")
    return [(name, _read(name)) for name in names]


def _is_piped() -> bool:
    """Whether something other than a terminal is on standard input, which may be closed."""
    return sys.stdin is not None and not sys.stdin.isatty()


def _single(path: str, old: str, new: str) -> bytes:
    edit = {"file": path, "old_text": old, "new_text": new}
    return json.dumps(edit, ensure_ascii=False).encode("utf-8", "surrogateescape")


def _read(name: str) -> bytes:
    if name == STDIN:
        data = b"" if sys.stdin is None else sys.stdin.buffer.read()
        click.get_current_context().meta[STDIN_TEXT] = data
        return data
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(name, f"cannot be read: {error.strerror}", "Check the path.") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_expects(expects: Sequence[str], locate: Callable[[str], str]) -> tuple[Read, ...]:
    """The reads that --expect names, their paths from the root. Raises InvalidInput."""
    reads = (parse_expect(argument) for argument in expects)
    return tuple(replace(read, path=locate(read.path)) for read in reads)


def outcome_line(outcome: EditOutcome) -> str:
    """Where an edit landed and how surely."""
    where = ",".join(f"{first}-{last}" for first, last in outcome.lines)
    confidence = decimal(outcome.confidence_permille or 0)
    return f"{visible(outcome.path)}:{where}  {outcome.tier}  confidence {confidence}"


def echo_notes(outcomes: Sequence[EditOutcome]) -> None:
    """Say what a person may want to know of edits that applied."""
    for outcome in outcomes:
        for note in outcome.notes:
            print_note(f"note: {visible(outcome.path)}: {visible(note)}")
