"""streams.py: standard streams that may be closed, full, or a terminal."""

from __future__ import annotations

import os
import sys
from io import RawIOBase, TextIOWrapper


class _Forgiving(RawIOBase):
    """Standard error: what cannot be said there changes no verdict."""

    def __init__(self, number: int) -> None:
        self._number = number

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def write(self, data: object) -> int:
        assert isinstance(data, bytes | bytearray | memoryview)
        try:
            return os.write(self._number, data)
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
    sys.stderr = TextIOWrapper(
        _Forgiving(2), encoding, errors="backslashreplace", write_through=True
    )


def forget_output() -> None:
    """Send what standard output cannot take nowhere, so that the end of the process says nothing.

    Python tries to write what is left once more, and ends with 120 where that fails again.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def make_printable(line: str) -> str:
    """Escape a line of somebody's text for a terminal; a pipe gets it as it is."""
    if not sys.stdout.isatty():
        return line
    # Who reads in a pipe does not wait for it.
    from hkgit.text.escaping import visible

    return "\t".join(map(visible, line.split("\t")))


def printable_text(data: bytes) -> bytes:
    """Escape text of several lines as `make_printable` does."""
    if not sys.stdout.isatty():
        return data
    text = data.decode("utf-8", "surrogateescape")
    lines = (make_printable(line.removesuffix("\r")) for line in text.split("\n"))
    return "\n".join(lines).encode("utf-8", "replace")
