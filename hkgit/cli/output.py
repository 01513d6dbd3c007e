"""output.py: what every command keeps to: how much it says, in which colour, what it waits for."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any, TypeVar

import click

Item = TypeVar("Item")
QUIET, USUAL, VERBOSE = range(3)

_LOUDNESS = "hkgit.loudness"
"""The key of click's context under which it is noted how much shall be said."""

GIVEN = "hkgit.given"
"""The key under which click's context holds the words of the command line."""

_PATIENCE = 0.5
"""Seconds of work that need no progress."""

_PAUSE = 0.1
"""Seconds between two lines of progress."""


def _note(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    """Remember, as the callback of an option, how much shall be said."""
    if value:
        ctx.meta[_LOUDNESS] = QUIET if param.name == "quiet" else VERBOSE
    if value and param.name == "verbose":
        sys.addaudithook(_tell_program)
    return value


def _tell_program(event: str, args: tuple[Any, ...]) -> None:
    """Say which program is started; every one of them passes by here."""
    if event == "subprocess.Popen":
        command = args[1] if isinstance(args[1], str) else shlex.join(map(os.fsdecode, args[1]))
        click.echo(f"hkgit: runs {command}", err=True)


def shared_options() -> list[click.Option]:
    """The options that stand in front of a command as well as behind it."""
    flags = {"is_flag": True, "expose_value": False}
    return [
        click.Option(["-q", "--quiet"], callback=_note, help="Say only what is refused.", **flags),
        click.Option(
            ["-v", "--verbose"], callback=_note, help="Say more, and each program started.", **flags
        ),
        click.Option(["--debug"], help="Show a traceback for a fault of hkgit itself.", **flags),
    ]


def share_options(command: click.Command) -> click.Command:
    """Give a command, and its own commands, those of the shared options that they have not."""
    taken = {name for param in command.params for name in param.opts}
    for option in shared_options():
        if option.opts[-1] not in taken:
            option.opts = [name for name in option.opts if name not in taken]
            command.params.append(option)
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        share_options(below)
    return command


def loudness() -> int:
    """How much shall be said: QUIET, USUAL or VERBOSE."""
    ctx = click.get_current_context(silent=True)
    said: int = USUAL if ctx is None else ctx.meta.get(_LOUDNESS, USUAL)
    return said


def print_info(text: str) -> None:
    """Say on standard output that all went well, unless nobody wants to hear it."""
    if loudness() > QUIET:
        click.echo(text)


def print_note(text: str) -> None:
    """Say on standard error what a person may want to know, unless nobody does."""
    if loudness() > QUIET:
        _tell(text, "yellow" if text.startswith("warning:") else None)


_FINISHED: list[str] = []


def finish(text: str) -> None:
    """Remember what is done, should the answer that says so not be written (a full disk)."""
    _FINISHED.append(text)


def describe_done() -> str:
    """What is done by now; nothing where nothing is."""
    return "; ".join(_FINISHED)


def print_error(text: str) -> None:
    """Say on standard error why there is no answer."""
    _tell(text, "red")


def _tell(text: str, fg: str | None) -> None:
    # Only who fails waits for it.
    from hkgit.text.escaping import visible

    name = click.style("hkgit:", fg=fg) if fg is not None else "hkgit:"
    lines = ("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))
    click.echo(f"{name} " + "\n".join(lines), err=True, color=colour())


def colour() -> bool | None:
    """False where the user wants none (see no-color.org), None where the terminal decides."""
    is_unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if is_unwanted else None


def show_progress(doing: str) -> Callable[[Sequence[Item]], Iterator[Item]]:
    """Show on a terminal how far the work on a sequence has come; in a pipe nothing.

    Work of less than half a second shows nothing either, and the line is wiped at the end.
    """

    def watch(items: Sequence[Item]) -> Iterator[Item]:
        if loudness() == QUIET or sys.stderr is None or not sys.stderr.isatty():
            yield from items
            return
        due = monotonic() + _PATIENCE
        try:
            for number, item in enumerate(items, 1):
                if monotonic() >= due:
                    due = monotonic() + _PAUSE
                    _show(f"{doing} {number} of {len(items)}")
                yield item
        finally:
            _show("")

    return watch


def _show(line: str) -> None:
    """Replace the line of progress."""
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()
