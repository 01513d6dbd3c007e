"""clicking.py: Click's command of a form: help, errors, completion, and every way to write it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hkgit.cli.common import note_json
from hkgit.cli.forms.form import CommandForm, Option, Positional

if TYPE_CHECKING:
    from hkgit.cli.common import Command


def build_command(name: str, form: CommandForm, run: Callable[..., int | None]) -> click.Command:
    """Build the command that reads the form's values and gives them to `run`."""
    command = click.command(name=name, help=form.help)(lambda **values: run(**values))
    command.params = [*map(_argument, form.arguments), *map(_option, form.options)]
    return command


def _argument(argument: Positional) -> click.Argument:
    many = -1 if argument.is_many else 1
    return click.Argument([argument.name], metavar=argument.metavar, nargs=many)


def _option(option: Option) -> click.Option:
    return click.Option([option.name, *option.flags], **_settings(option))


def _settings(option: Option) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if option.is_flag:
        more["is_flag"] = True
    if "/" in option.flags[0]:
        more |= {"is_flag": True, "default": None}
    if option.bare is not None:
        more |= {"is_flag": False, "flag_value": option.bare}
    if option.least is not None:
        more["type"] = click.IntRange(option.least)
    if option.is_decimal:
        more["type"] = float
    if option.between is not None:
        more |= {"type": click.FloatRange(*option.between), "callback": _expect_number}
        more["show_default"] = True
    if option.choices:
        more |= {"type": click.Choice(option.choices), "show_default": True}
    if option.makes_json:
        more["callback"] = note_json
    if option.default is not None:
        more["default"] = option.default
    return more | {
        "help": option.help,
        "metavar": option.metavar,
        "envvar": option.variable,
        "multiple": option.is_many,
    }


def make_option(option: Option) -> Callable[[Command], Command]:
    """Return the decorator that gives Click's command one option of a form."""

    def add(command: Command) -> Command:
        name, *flags = (option.name, *option.flags)
        return click.option(name, *flags, **_settings(option))(command)

    return add


def _expect_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """A range lets NaN pass, which is neither below nor above anything."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number", ctx, param)
    return value
