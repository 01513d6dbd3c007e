"""What commands read and print: streams, loudness, colours."""

from __future__ import annotations

import os
import sys
from io import FileIO, TextIOWrapper

TYPE_CHECKING = False


class _Forgiving(FileIO):
    """Standard error: what cannot be said there changes no verdict."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare_streams() -> None:
    """Make the standard streams fit to be written to.

    Closed ones lead nowhere, and their numbers are taken, lest a file of somebody's gets them.
    File names are bytes, and not every terminal knows every letter.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    raw = _Forgiving(2, "w", closefd=False)
    sys.stderr = TextIOWrapper(raw, encoding, errors="backslashreplace", write_through=True)


def read_input() -> bytes:
    """Read standard input to its end; there is nothing in one that is closed."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def forget_output() -> None:
    """Send what standard output cannot take nowhere, so that the end of the process says nothing.

    Python tries to write what is left once more, and ends with 120 where that fails again.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def make_printable(line: str) -> str:
    """Escape a line of somebody's text for a terminal; a pipe gets it as it is."""
    return _escape(line) if sys.stdout.isatty() else line


def _escape(line: str) -> str:
    # Who reads in a pipe does not wait for it.
    from hkgit.text.escape import visible

    return "\t".join(map(visible, line.split("\t")))


def printable_text(data: bytes) -> bytes:
    """Escape text of several lines as `make_printable` does."""
    if not sys.stdout.isatty():
        return data
    text = data.decode("utf-8", "surrogateescape")
    lines = (make_printable(line.removesuffix("\r")) for line in text.split("\n"))
    return "\n".join(lines).encode("utf-8", "replace")


if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import IO, Any, TypeVar

    Item = TypeVar("Item")

QUIET, USUAL, VERBOSE = range(3)

_PATIENCE = 0.5
"""Seconds of work that need no progress."""

_PAUSE = 0.1
"""Seconds between two lines of progress."""


class _Console:
    """How the command line of this process is to print, and what it has printed.

    `command` and the `form` of its answer are empty until they are known. `colour` says
    whether standard output has colours; None leaves it to the terminal and the user. After a part
    of the one document is out (`is_begun`) no refusal may follow. `done` is what is to be said
    should the answer that says so not be written (a full disk).
    """

    loudness = USUAL
    command = form = done = ""
    colour: bool | None = None
    is_begun = has_progress = is_hushed = False

    def reset(self) -> None:
        """Forget an earlier command line in this process."""
        self.__dict__.clear()


CONSOLE = _Console()


def echo(message: str | bytes, *, nl: bool = True, err: bool = False) -> None:
    """Print to a standard stream, and at once; bytes as they are."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    _wipe_progress()
    if isinstance(message, str):
        stream.write(f"{message}\n" if nl else message)
    else:
        stream.flush()
        stream.buffer.write(message + b"\n" if nl else message)
    stream.flush()


_NAMES = ("red", "green", "yellow", "blue", "magenta", "cyan")
_CODES = {"bold": 1, **{name: number for number, name in enumerate(_NAMES, 31)}, "bright_black": 90}


def style(text: str, fg: str | None, stream: IO[str] | None = None) -> str:
    """Colour text for a stream, by default for standard output, where it is to have colours."""
    if fg is None or not _has_colour(stream):
        return text
    return f"\x1b[{_CODES[fg]}m{text}\x1b[0m"


def _has_colour(stream: IO[str] | None) -> bool:
    """Whether a stream has colours (see no-color.org)."""
    if stream is None and CONSOLE.colour is not None:
        return CONSOLE.colour
    is_unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not is_unwanted and (stream or sys.stdout).isatty()


def print_note(text: str) -> None:
    """Say on standard error what a person may want to know, unless nobody does."""
    if CONSOLE.loudness > QUIET:
        _tell(text, "yellow" if text.startswith("warning:") else None)


def print_warning(text: str) -> None:
    """Say on standard error what a person must know; hooks that are quiet say it too."""
    _tell(f"warning: {text}", "yellow")


def print_error(text: str) -> None:
    """Say on standard error why there is no answer."""
    _tell(text, "red")


def _tell(text: str, fg: str | None) -> None:
    # Only who fails waits for it.
    from hkgit.git.program import name_program

    lines = map(_escape, name_program(text).split("\n"))
    echo(f"{style('hkgit:', fg, sys.stderr)} " + "\n".join(lines), err=True)


def show_progress(doing: str) -> Callable[[Sequence[Item]], Generator[Item, None, None]]:
    """Show on a terminal how far the work on a sequence has come; in a pipe nothing.

    Work of less than half a second shows nothing either. The line is wiped before anything else is
    printed, and at the end.
    """

    def watch(items: Sequence[Item]) -> Generator[Item, None, None]:
        if CONSOLE.loudness == QUIET or sys.stderr is None or not sys.stderr.isatty():
            yield from items
            return
        from time import monotonic

        due = monotonic() + _PATIENCE
        try:
            for number, item in enumerate(items, 1):
                if monotonic() >= due and not CONSOLE.is_hushed:
                    due, CONSOLE.has_progress = monotonic() + _PAUSE, True
                    _write_progress(f"{doing} {number} of {len(items)}")
                yield item
        finally:
            _wipe_progress()

    return watch


def hush_progress() -> None:
    """Show no progress from now on: the terminal is a pager's."""
    _wipe_progress()
    CONSOLE.is_hushed = True


def _wipe_progress() -> None:
    if CONSOLE.has_progress:
        CONSOLE.has_progress = False
        _write_progress("")


def _write_progress(line: str) -> None:
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()
