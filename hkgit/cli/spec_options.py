"""The options by which `apply` and `edit` are given specs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from hkgit.applying.planner import Options
from hkgit.cli.common import json_option
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class SpecOptions:
    """Where the specs of a command come from, and how they are placed."""

    specs: tuple[str, ...]
    edit_file: str | None
    use_stdin: bool
    file: str | None
    old: str | None
    new: str | None
    format: str
    empty_search: str
    threshold: float
    expect: tuple[str, ...]
    relocate: bool
    check_syntax: bool | None
    allow_blind: bool
    dry_run: bool
    as_json: bool

    def to_options(self, *, allow_blind: bool) -> Options:
        """Convert to the options of the planner. Raises InvalidInput."""
        return Options.of(
            self.threshold,
            relocate=self.relocate,
            check_syntax=self.check_syntax,
            allow_blind=allow_blind,
        )


def _expect_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """A range lets NaN pass, which is neither below nor above anything."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number", ctx, param)
    return value


_OPTIONS = (
    click.argument("specs", metavar="[SPEC]...", nargs=-1),
    click.option("--edit", "edit_file", metavar="FILE", help="Read a spec from FILE."),
    click.option("--stdin", "use_stdin", is_flag=True, help="Read a spec from stdin."),
    click.option("--file", metavar="PATH", help="The file of a single edit."),
    click.option("--old", metavar="TEXT", help="The text that the edit replaces."),
    click.option("--new", metavar="TEXT", help="The text that it puts there."),
    click.option("--format", metavar="DIALECT", default="auto", help="The dialect of the specs."),
    click.option(
        "--empty-search",
        type=click.Choice(("create", "append")),
        default="create",
        show_default=True,
        help="What an empty SEARCH means: a new file, or the end of one that is there.",
    ),
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1),
        callback=_expect_number,
        default=0.8,
        show_default=True,
        help="How alike a fuzzy match must be; it decides the place, and lets no edit overwrite"
        " lines that it misquotes. With 1 the old text must stand in the file byte for byte.",
    ),
    click.option(
        "--expect",
        metavar="PATH[:N | :START-END]=HASH",
        multiple=True,
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
)


def spec_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of specs, which it takes as one `SpecOptions`."""

    @wraps(command)
    def call(**values: Any) -> int:
        given = {name: values.pop(name) for name in SpecOptions.__annotations__}
        return command(SpecOptions(**given), **values)

    decorated: Callable[..., int] = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
