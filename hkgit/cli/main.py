"""main.py: the command line as a whole: finds the command, prints failures, sets exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import click

from hkgit.cli.output import GIVEN, colour, describe_done, print_error, share_options
from hkgit.cli.streams import prepare_streams
from hkgit.errors import HkgitError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "read": "Print lines of a file with their hash",
    "apply": "Apply specs of edits and commit them with their evidence",
    "edit": "Apply edits to the working tree, without a commit",
    "undo": "Take back what edit did",
    "session": "List the sessions of a checkout, and end them",
    "record": "Turn what sessions edited into a commit's evidence, in hooks",
    "gate": "Judge commits under the repository's policy",
    "policy": "Say in words what the gate's policy lets pass",
    "verify": "Replay commits from their evidence",
    "attest": "Sign the verdict on commits, for a host that makes others of them",
    "log": "List commits with their verdicts",
    "show": "Show one commit's evidence",
    "blame": "Show which edit wrote each line",
    "stats": "Count edits by agent, tier, evidence and confidence",
    "report": "Report on a range for reviewers and auditors",
    "ledger": "Take entries out of the tree that the history has",
    "qa": "Answer the protocol's questions on a range",
    "consult": "List, show and answer the questions that edits left to people",
    "init": "Install the gate's hooks and a policy",
    "doctor": "Look at a repository, and clear away what a crash left",
    "demo": "Show all of hkgit in a throw-away repository",
    "schema": "Print a published JSON Schema",
    "bench": "Run logged edits against hkgit",
    "completions": "Print what a shell needs to complete commands",
    "help": "Show what a command does",
    "prompt": "Print what teaches a model a dialect",
    "mcp": "Serve an agent over the Model Context Protocol",
    "hook": "Record what an agent's own tools read and edit",
    "serve": "Serve a program over JSON-RPC",
}
"""Every command and its one-line help; the module of the same name is loaded when it is called."""

GROUPS = {
    "edit": ("read", "apply", "edit", "undo"),
    "review": ("gate", "policy", "verify", "attest", "ledger", "consult"),
    "history": ("log", "show", "blame", "stats", "report", "qa"),
    "agent": ("session", "record", "bench", "prompt", "mcp", "hook", "serve"),
    "admin": ("init", "doctor", "demo", "schema", "completions", "help"),
}
"""Where the module of each command stands below `hkgit/cli/`."""


_BAD_PATHS = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP)
"""What the system says of a path that somebody has named, and that cannot be one."""

USAGE = 64
FAULT = 70
INTERRUPTED = 130
UNREAD = 141


class _Commands(click.Group):
    """Loads a command's module only when it is called: start-up is felt at every commit."""

    told: ClassVar = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        group = next(name for name, commands in GROUPS.items() if cmd_name in commands)
        module = import_module(f"hkgit.cli.{group}.{cmd_name}")
        command: click.Command = share_options(module.command)
        if ctx.resilient_parsing:
            from hkgit.cli.admin.completing import offer_completions

            offer_completions(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS)
            if near:
                meant = " or ".join(map(repr, near))
                raise click.UsageError(f"No such command {args[0]!r}. Did you mean {meant}?", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options; click's own way would load every command's module."""
        from click.shell_completion import CompletionItem

        named = [
            CompletionItem(name, help=words)
            for name, words in self.told.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **options: Any
    ) -> click.Context:
        given = (info_name or "hkgit", *args)
        ctx = super().make_context(info_name, args, *rest, color=colour(), **options)
        ctx.meta[GIVEN] = given
        return ctx

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HkgitError as error:
            from hkgit.cli.common import echo_refusal

            echo_refusal(ctx, error)
            raise
        except OSError as error:
            if error.errno not in _BAD_PATHS or error.filename is None:
                raise
            from hkgit.cli.common import echo_refusal
            from hkgit.errors import InvalidInput

            name = os.fsdecode(error.filename) if not isinstance(error.filename, int) else "file"
            refusal = InvalidInput(name, f"cannot be read: {error.strerror}", "Check the path.")
            echo_refusal(ctx, refusal)
            raise refusal from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.told.items()))


class _Hk(_Commands):
    """The commands of `hk`, where `apply` edits the working tree and answers in JSON."""

    told: ClassVar = COMMANDS | {"apply": "Apply edits to the working tree, answer in JSON"}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] != "apply":
            return super().resolve_command(ctx, args)
        _, command, rest = super().resolve_command(ctx, ["edit", "--json", *args[1:]])
        return "apply", command, rest


def _print_versions(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from hkgit.cli.admin.versions import print_versions

        print_versions()
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
    help="Print the versions that an answer may depend on.",
)
@_DIRECTORY
def main() -> None:
    """Turn what a coding agent wants to change into a git commit whose every byte can be
    derived again from its evidence."""


@click.group(cls=_Hk, context_settings={"help_option_names": ["-h", "--help"]})
@_DIRECTORY
def hk() -> None:
    """Apply fuzzy edits to the working tree (`hk apply` is `hkgit edit`)."""


share_options(main)
share_options(hk)


def run() -> NoReturn:
    """The entry point of `hkgit` and `python -m hkgit`."""
    _exit(main, "hkgit", sys.argv[1:])


def run_hk() -> NoReturn:
    """The entry point of `hk`."""
    _exit(hk, "hk", sys.argv[1:])


def _exit(group: click.Group, name: str, arguments: Sequence[str]) -> NoReturn:
    signal.signal(signal.SIGTERM, _on_terminate)
    prepare_streams()
    if arguments:
        # A shell that completes asks without any: a command is never turned into that.
        os.environ.pop(f"_{name.upper()}_COMPLETE", None)
    sys.exit(_code(group, name, arguments))


def _on_terminate(number: int, frame: FrameType | None) -> None:
    """A polite kill unwinds the stack, so that worktrees are taken away."""
    sys.exit(128 + number)


def _code(group: click.Group, name: str, arguments: Sequence[str]) -> int:
    try:
        code = group.main(list(arguments), prog_name=name, standalone_mode=False)
        return code if isinstance(code, int) else 0
    except HkgitError as error:
        print_error(str(error))
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.ClickException as error:
        from hkgit.cli.usage import echo_usage

        echo_usage(error, arguments)
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        print_error("interrupted")
        return INTERRUPTED
    except SystemExit as stopped:
        # Click ends with 1 where nobody reads on, which would say "no match". Git ends with 141.
        if stopped.code == 1:
            return UNREAD
        raise
    except Exception as error:
        if "--debug" in arguments:
            raise
        # The one boundary where whatever nobody expected becomes an exit code.
        with suppress(OSError):
            if isinstance(error, OSError) and describe_done():
                print_error(
                    f"{describe_done()}; but the answer could not be written: {error.strerror}"
                )
                return 0
            _explain(error, arguments)
        return FAULT


def _explain(error: Exception, arguments: Sequence[str]) -> None:
    """Say in a line or two what nobody expected; of a full disk hkgit is not to blame."""
    words = str(error).partition("\n")[0]
    if isinstance(error, OSError):
        print_error(f"the system refused: {words}")
        return
    words, fix = f"{type(error).__name__}: {words}", "Run it again with --debug and report it."
    print_error(f"a fault of hkgit itself: {words}")
    click.echo(fix, err=True)
    from hkgit.cli.usage import echo_fault

    echo_fault(words, fix, arguments)
