"""Find the command, print failures, set the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import click

from hkgit.cli.answer import echo_refusal
from hkgit.cli.commands import COMMANDS, FIRST, MODULES
from hkgit.cli.options import Group, make_shared
from hkgit.cli.output import CONSOLE, print_error
from hkgit.cli.runner import INTERRUPTED, UNREAD, USAGE, begin, end_with, leave
from hkgit.errors import WrongUsage

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Commands(Group):
    """Loads a command's module only when it is called: start-up is felt at every commit."""

    summaries: ClassVar = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            from difflib import get_close_matches  # few misspell one

            near = () if ctx.resilient_parsing else get_close_matches(cmd_name, COMMANDS)
            if near:
                meant = " or ".join(map(repr, near))
                raise click.UsageError(f"No such command {cmd_name!r}. Did you mean {meant}?", ctx)
            return None
        CONSOLE.command = cmd_name
        module = import_module(f"hkgit.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name if cmd_name in MODULES else "command")
        for param in command.params if ctx.resilient_parsing else ():
            if param.type is click.STRING:  # a shell asks: what has no choices may be a file
                param.type = click.Path()
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options; click's own way would load every command's module."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=words)
            for name, words in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **options: Any
    ) -> click.Context:
        CONSOLE.reset()
        return super().make_context(info_name, args, *rest, **options)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to begin with, and where the rest are listed."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summaries[name]) for name in FIRST])
        formatter.write("\n`hkgit help all` lists the rest.\n")


class _Hk(_Commands):
    """The commands of `hk`, where `apply` edits the working tree and answers in JSON."""

    summaries: ClassVar = COMMANDS | {"apply": "Apply edits to the working tree, print JSON"}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] != "apply":
            return super().resolve_command(ctx, args)
        _, command, rest = super().resolve_command(ctx, ["edit", "--json", *args[1:]])
        return "apply", command, rest


def _print_versions(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from hkgit.cli.schema import list_versions

        for name, number in list_versions().items():
            click.echo(f"{name} {number}")
        ctx.exit()


def _enter(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> None:
    for directory in () if ctx.resilient_parsing else value:
        try:
            os.chdir(directory)
        except OSError as error:
            raise click.BadParameter(f"{directory}: {error.strerror}", ctx, param) from error


_DIRECTORY = click.option(
    "-C",
    "directories",
    multiple=True,
    metavar="PATH",
    is_eager=True,
    expose_value=False,
    callback=_enter,
    help="Run as if started in PATH.",
)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Print the versions of hkgit, its formats, git and Python.",
)
@_DIRECTORY
def main() -> None:
    """Turn what a coding agent wants to change into a git commit whose every byte can be
    derived again from its evidence."""


@click.group(cls=_Hk, context_settings={"help_option_names": ["-h", "--help"]})
@_DIRECTORY
def hk() -> None:
    """Apply fuzzy edits to the working tree (`hk apply` is `hkgit edit`)."""


for each in (main, hk):
    each.params += make_shared(hidden=False)


def run() -> NoReturn:
    """Run `hkgit` or `python -m hkgit`, and end the process."""
    _exit(main, "hkgit", sys.argv[1:])


def run_hk() -> NoReturn:
    """Run `hk`, and end the process."""
    _exit(hk, "hk", sys.argv[1:])


def _exit(group: click.Group, name: str, arguments: Sequence[str]) -> NoReturn:
    begin()
    if arguments:
        # A shell that completes asks without any: a command is never turned into that.
        os.environ.pop(f"_{name.upper()}_COMPLETE", None)
    leave(end_with(lambda: _code(group, name, arguments), arguments))


def _code(group: click.Group, name: str, arguments: Sequence[str]) -> int:
    try:
        code = group.main(list(arguments), prog_name=name, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        ctx: click.Context | None = getattr(error, "ctx", None)
        where = name if ctx is None else ctx.command_path
        wrong = WrongUsage(where, error.format_message(), f"See {where} --help.")
        echo_refusal(wrong, arguments)
        error.show()
        return USAGE
    except click.Abort:
        print_error("interrupted")
        return INTERRUPTED
    except SystemExit as stopped:
        # Click ends with 1 where nobody reads on, which would say "no match". Git ends with 141.
        if stopped.code == 1:
            return UNREAD
        raise
