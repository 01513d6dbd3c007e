"""The options by which `apply` and `edit` are given specs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from hkgit.applying.planner import Options
from hkgit.cli.common import json_option
from hkgit.cli.options import option_of
from hkgit.values import dataclass
from hkgit.workflows.arguments import (
    CHECK_SYNTAX,
    DRY_RUN,
    EMPTY_SEARCH,
    EXPECT,
    FORMAT,
    RELOCATE,
    THRESHOLD,
)


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
    option_of(FORMAT, metavar="DIALECT"),
    option_of(EMPTY_SEARCH),
    option_of(THRESHOLD, callback=_expect_number),
    option_of(EXPECT, metavar="PATH[:N | :START-END]=HASH"),
    option_of(RELOCATE),
    option_of(CHECK_SYNTAX, "--check-syntax/--no-check-syntax", default=None),
    click.option(
        "--allow-blind",
        is_flag=True,
        help="Take edits that nothing ties to what was read, and record that.",
    ),
    option_of(DRY_RUN),
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
