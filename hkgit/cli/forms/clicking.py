"""clicking.py: Click's command of a form: help, errors, completion, and every way to write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hkgit.cli.common import note_json
from hkgit.cli.forms.form import CommandForm, Misuse, Option, Positional


def build_command(name: str, form: CommandForm, run: Callable[..., int | None]) -> click.Command:
    """The command that reads the form's values and gives them to `run`."""

    def call(**values: Any) -> int | None:
        try:
            return run(**values)
        except Misuse as error:
            raise click.UsageError(str(error)) from error

    command = click.command(name=name, help=form.help)(click.pass_context(_without_context(call)))
    command.params = [*map(_argument, form.arguments), *map(_option, form.options)]
    return command


def _without_context(call: Callable[..., int | None]) -> Callable[..., int | None]:
    return lambda ctx, **values: call(**values)


def _argument(argument: Positional) -> click.Argument:
    many = -1 if argument.is_many else 1
    return click.Argument([argument.name], metavar=argument.metavar, nargs=many)


def _option(option: Option) -> click.Option:
    more: dict[str, Any] = {}
    if option.is_flag:
        more["is_flag"] = True
    if option.bare is not None:
        more |= {"is_flag": False, "flag_value": option.bare}
    if option.least is not None:
        more["type"] = click.IntRange(option.least)
    if option.choices:
        more |= {"type": click.Choice(option.choices), "show_default": True}
    if option.makes_json:
        more["callback"] = note_json
    if option.default is not None:
        more["default"] = option.default
    return click.Option(
        [option.name, *option.flags],
        help=option.help,
        metavar=option.metavar,
        envvar=option.variable,
        multiple=option.is_many,
        **more,
    )
