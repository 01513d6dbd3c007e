"""Commands declared by functions: the default of a keyword says which option it takes."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hkgit.cli.answer import Answer
from hkgit.cli.commands import EXAMPLES, USED_BY, VARIABLES
from hkgit.cli.output import CONSOLE, QUIET, VERBOSE, echo

if TYPE_CHECKING:
    from hkgit.workflows.arguments import Argument

FORMATS = ("text", "json", "github", "gitlab", "sarif")
"""The names in `audit.reports.FORMATS`, which is slow to load."""


def option(words: str, *names: str, **more: Any) -> Any:
    """Declare an option; without `names` it has that of its keyword.

    Where the keyword is a `bool` it is a flag, where it is a `tuple` it can be given several times.
    """

    def make(name: str, kind: str) -> click.Parameter:
        given = {"is_flag": kind.startswith("bool") or None, "multiple": kind.startswith("tuple")}
        decls = names or (f"--{name.replace('_', '-')}",)
        return click.Option([name, *decls], **{"help": words, **given, **more})

    return make


def argument(metavar: str | None = None, **more: Any) -> Any:
    """Declare an argument; it may be left out where its keyword can be None."""

    def make(name: str, kind: str) -> click.Parameter:
        given = {"nargs": -1} if kind.startswith("tuple") else {}
        given |= {"required": False} if kind.endswith("None") else {}
        return click.Argument([name], metavar=metavar, **given | more)

    return make


def option_of(argument: Argument, *names: str, **more: Any) -> Any:
    """Declare the option for an argument that servers take as well."""
    types: dict[str, dict[str, Any]] = {
        "integer": {"type": click.IntRange(argument.minimum, argument.maximum)},
        "number": {"type": click.FloatRange(argument.minimum, argument.maximum)},
        "string": {"type": click.Choice(argument.choices)} if argument.choices else {},
    }
    given = types.get(argument.type, {})
    if argument.default is not None:
        given |= {"default": argument.default, "show_default": True}
    return option(argument.about, *names, **given | more)


def _note_form(ctx: click.Context, param: click.Parameter, value: str | bool) -> str:
    """Remember which form the answer is to have, and return it; `--json` is read first."""
    CONSOLE.form = CONSOLE.form or ("json" if value is True else value or "")
    return CONSOLE.form


def choice_option(choices: Sequence[str], words: str, *names: str, **more: Any) -> Any:
    """Declare an option that is one of some words, the first by default."""
    given = {"type": click.Choice(choices), "default": choices[0], "show_default": True}
    return option(words, *names, **given | more)


def format_option(forms: Sequence[str], words: str) -> Any:
    """Declare `--format`, the form of the answer; `--json` is one of them, or one more."""
    return choice_option(forms, words, "--format", callback=_note_form)


REPORT = format_option(FORMATS, "The format of the report.")


def session_option(words: str) -> Any:
    """Declare `--session`, which `$HKGIT_SESSION` can replace."""
    return option(words, metavar="NAME", envvar="HKGIT_SESSION")


def message_file_option(words: str) -> Any:
    """Declare `--message-file`; a framework may drop the one name that it passes it."""
    return option(words, metavar="FILE", is_flag=False, flag_value="")


def limit_option(most: int, what: str) -> Any:
    """Declare how many rows to list at most, and how many where nothing is said."""
    given = {"type": click.IntRange(1), "default": most, "show_default": True}
    return option(f"At most N {what}.", "-n", "--max-count", metavar="N", **given)


def options_in(kind: type) -> Any:
    """Declare all options that the fields of a class declare; the keyword takes one of these."""
    return kind


def choose_one(**given: Any) -> tuple[Any, Any]:
    """Return the one option that was given, and its value. Raises UsageError for another number."""
    asked = [each for each in given.items() if each[1] not in (None, False)]
    if len(asked) != 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise click.UsageError(f"Give exactly one of {names}.")
    return asked[0]


def declare(function: Callable[..., Answer | int | None]) -> click.Command:
    """Make the command of a function; one that returns an `Answer` alone has `--json` as well."""
    params: list[click.Parameter] = []
    parts: dict[str, type] = {}
    for name, declared in (function.__kwdefaults__ or {}).items():
        if isinstance(declared, type):
            parts[name] = declared
            fields = declared.__annotations__.items()
            params += [getattr(declared, field)(field, kind) for field, kind in fields]
        else:
            params.append(declared(name, function.__annotations__[name]))
    if function.__annotations__["return"].startswith("Answer"):
        flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
        words = "Print one JSON document."
        params.append(click.Option(["--json"], callback=_note_form, help=words, **flag))

    def call(**values: Any) -> Any:
        CONSOLE.form = CONSOLE.form or "text"  # all that was asked for is read
        for name, kind in parts.items():
            values[name] = kind(**{each: values.pop(each) for each in kind.__annotations__})
        answer = function(**values)
        return answer.print() if isinstance(answer, Answer) else answer

    return Command(None, callback=call, help=function.__doc__, params=[*params, *make_shared()])


def group(words: str, **commands: click.Command) -> click.Group:
    """Make a command that has commands of its own."""
    return Group(None, commands, help=words, params=make_shared())


class Command(click.Command):
    """A command whose help ends with examples."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its examples, and the variables that it alone reads."""
        name = ctx.command_path.partition(" ")[2]
        sections = {
            "Examples": EXAMPLES.get(name, ()),
            "Environment": [
                f"{each}: {VARIABLES[each]}"
                for each, names in USED_BY.items()
                if name.partition(" ")[0] in names
            ],
        }
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write("".join(f"  {line}\n" for line in lines))


class Group(Command, click.Group):
    """A command with commands of its own."""


def make_shared(*, hidden: bool = True) -> list[click.Parameter]:
    """Make the options that are in front of a command as well as behind it.

    The help of `hkgit` itself shows them once, for all.
    """
    given: dict[str, Any] = {"expose_value": False, "hidden": hidden, "callback": _note}
    flags = {
        "-q --quiet": "Print only what is refused.",
        "-v --verbose": "Print more, and each program started.",
        "--debug": "Show a traceback for an internal error.",
    }
    colour = {"type": click.Choice([*_COLOURED]), "help": "When to colour; NO_COLOR is respected."}
    return [
        *(click.Option(names.split(), is_flag=True, help=flags[names], **given) for names in flags),
        click.Option(["--color"], **given | colour),
    ]


_COLOURED = {"auto": None, "always": True, "never": False}


def _note(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Remember, as the callback of an option, how something is to be said."""
    if not value:
        return
    if param.name == "color":
        CONSOLE.colour = _COLOURED[value]
    elif param.name == "quiet":
        CONSOLE.loudness = QUIET
    elif param.name == "verbose":
        CONSOLE.loudness = VERBOSE
        sys.addaudithook(_tell_program)


def _tell_program(event: str, args: tuple[Any, ...]) -> None:
    """Say which program is started; every one of them passes by here."""
    if event == "subprocess.Popen":
        command = args[1] if isinstance(args[1], str) else shlex.join(map(os.fsdecode, args[1]))
        echo(f"hkgit: runs {command}", err=True)
