"""Rows that fit the terminal, in colour or through a pager where that is wanted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from unicodedata import combining, east_asian_width

from hkgit.applying.evidence import KINDS
from hkgit.audit.commits import DERIVED
from hkgit.cli.output import hush_progress, style
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.git.program import Git

REPLAY_COLOURS = {
    **dict.fromkeys(DERIVED, "green"),
    "mixed": "yellow",
    "attested": "blue",
    "vouched": "magenta",
    **dict.fromkeys((NO_EVIDENCE, "fail", "unverifiable"), "red"),
}
EVIDENCE_COLOURS = {
    **dict.fromkeys(KINDS[:2], "green"),
    "tag": "cyan",
    "recovered": "cyan",
    "quote": "yellow",
    "late": "yellow",
    "none": "red",
    **dict.fromkeys((NO_EVIDENCE, "vouched", "unexplained"), "red"),
    "uncommitted": "cyan",
}
UNBOUNDED = 10_000
"""The width of a pipe."""


Cell = str | tuple[str, str | None]
"""A word, or a word and its colour."""


def render_rows(widths: Sequence[int], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Write the cells of each row beside each other; a last one without width gets what is left."""
    left = max(measure_terminal() - sum(widths) - len(widths), 8)
    for row in rows:
        cells = [(each, None) if isinstance(each, str) else each for each in row]
        pairs = zip(cells, widths, strict=False)
        shown = [style(pad(fit(word, width), width), fg) for (word, fg), width in pairs]
        if len(cells) > len(widths):
            word, fg = cells[-1]
            shown.append(style(fit(word, left), fg))
        yield " ".join(shown).rstrip()


def fit(text: str, width: int) -> str:
    """Cut a text to so many columns, with an ellipsis where it is longer."""
    if measure(text) <= width:
        return text
    kept, room = "", width - 1
    for char in text:
        room -= measure(char)
        if room < 0:
            break
        kept += char
    return kept + "…"


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - measure(text))


def measure(text: str) -> int:
    """Measure how many columns a terminal takes for a text."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def measure_terminal() -> int:
    """Return the columns of the terminal, or of COLUMNS; a pipe has room for everything."""
    if not os.environ.get("COLUMNS") and not sys.stdout.isatty():
        return UNBOUNDED
    return max(shutil.get_terminal_size().columns, 40)


def page(lines: Iterable[str | bytes]) -> Iterable[str | bytes]:
    """On a terminal, let the pager show lines as they come that git would take; else return them.

    The pager leaves at once what fits on one screen, unless it is told otherwise.
    """
    pager = _find_pager() if sys.stdout.isatty() else ""
    if pager in ("", "cat"):
        return lines
    coming = iter(lines)
    first = list(islice(coming, 1))  # what is looked for until there is a line shows its progress
    hush_progress()
    sys.stdout.flush()
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    process = subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    try:
        with suppress(BrokenPipeError), process.stdin as pipe:
            for line in chain(first, coming):
                if isinstance(line, str):
                    line = f"{line}\n".encode("utf-8", "backslashreplace")
                pipe.write(line)
                pipe.flush()
    finally:
        # An interrupt from the keyboard is the pager's to answer.
        while process.poll() is None:
            with suppress(KeyboardInterrupt):
                process.wait()
    return ()


def _find_pager() -> str:
    """The command of the pager: `GIT_PAGER`, else the user's `core.pager`, else `PAGER`, else less.

    What a repository's own settings name is not run: whoever made the repository may have set it.
    """
    named = os.environ.get("GIT_PAGER")
    if named is not None:
        return named
    asked = Git(Path("/"))("config", "--global", "--get", "core.pager", check=False)
    return asked.text or os.environ.get("PAGER") or shutil.which("less") or ""
