"""Options that several commands have, for Click."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hkgit.cli.answer import Answer, json_option, note_form
from hkgit.cli.output import CONSOLE, QUIET, VERBOSE, echo

if TYPE_CHECKING:
    from hkgit.cli.answer import Command
    from hkgit.workflows.arguments import Argument

FORMATS = ("text", "json", "github", "gitlab", "sarif")
"""The names in `audit.reports.FORMATS`, which is slow to load."""


def option_of(argument: Argument, *names: str, **more: Any) -> Callable[[Command], Command]:
    """Return the decorator that adds the option for an argument that servers take as well."""
    types: dict[str, dict[str, Any]] = {
        "array": {"multiple": True},
        "boolean": {"is_flag": True},
        "integer": {"type": click.IntRange(argument.minimum, argument.maximum)},
        "number": {"type": click.FloatRange(argument.minimum, argument.maximum)},
        "string": {"type": click.Choice(argument.choices)} if argument.choices else {},
    }
    given = types[argument.type] | {"help": argument.about}
    if argument.default is not None:
        given |= {"default": argument.default, "show_default": True}
    return click.option(*(names or (f"--{argument.name.replace('_', '-')}",)), **given | more)


def format_option(forms: Sequence[str], words: str) -> Callable[[Command], Command]:
    """Return the decorator that adds `--format`, the first by default, and `--json`.

    The command finds in `CONSOLE.form` which one it is.
    """

    def decorate(command: Command) -> Command:
        option = click.option(
            "--format",
            type=click.Choice(forms),
            default=forms[0],
            show_default=True,
            expose_value=False,
            callback=note_form,
            help=words,
        )
        return option(json_option(command))

    return decorate


REPORT = FORMATS, "The format of the report."
"""The formats of the gate's reports, for `format_option`."""


def session_option(words: str) -> Callable[[Command], Command]:
    """Return the decorator that adds `--session`, which `$HKGIT_SESSION` can replace."""
    return click.option("--session", metavar="NAME", envvar="HKGIT_SESSION", help=words)


def _note(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    """Remember, as the callback of an option, how much shall be said."""
    if value:
        CONSOLE.loudness = QUIET if param.name == "quiet" else VERBOSE
    if value and param.name == "verbose":
        sys.addaudithook(_tell_program)
    return value


def _tell_program(event: str, args: tuple[Any, ...]) -> None:
    """Say which program is started; every one of them passes by here."""
    if event == "subprocess.Popen":
        command = args[1] if isinstance(args[1], str) else shlex.join(map(os.fsdecode, args[1]))
        echo(f"hkgit: runs {command}", err=True)


class CommandContext(click.Context):
    """The context of a command: prints what it answers, and its help with examples."""

    def invoke(self, *args: Any, **values: Any) -> Any:
        if not isinstance(self.command, click.Group):  # all that was asked for is read
            CONSOLE.form = CONSOLE.form or "text"
        answer = super().invoke(*args, **values)
        return answer.print() if isinstance(answer, Answer) else answer

    def get_help(self) -> str:
        from hkgit.cli.help import add_examples

        return add_examples(self, super().get_help())


def _make_shared_options(*, hidden: bool) -> list[click.Option]:
    """Make the options that are in front of a command as well as behind it."""
    flags: dict[str, Any] = {"is_flag": True, "expose_value": False, "hidden": hidden}
    return [
        click.Option(
            ["-q", "--quiet"], callback=_note, help="Print only what is refused.", **flags
        ),
        click.Option(
            ["-v", "--verbose"],
            callback=_note,
            help="Print more, and each program started.",
            **flags,
        ),
        click.Option(["--debug"], help="Show a traceback for an internal error.", **flags),
    ]


def share_options(command: click.Command, *, hidden: bool = True) -> click.Command:
    """Give a command, and its own commands, those of the shared options that they have not.

    The help of `hkgit` itself shows them once, for all.
    """
    taken = {name for param in command.params for name in param.opts}
    for option in _make_shared_options(hidden=hidden):
        if option.opts[-1] not in taken:
            option.opts = [name for name in option.opts if name not in taken]
            command.params.append(option)
    command.context_class = CommandContext
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        share_options(below)
    return command
