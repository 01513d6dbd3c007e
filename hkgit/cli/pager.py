"""Long answers on a terminal go through a pager, as git's do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from hkgit.git.program import run

_NO_PAGER = ("", "cat")


def echo_paged(lines: Iterable[str]) -> None:
    """Print lines as they come; on a terminal through the pager that git would take.

    The pager leaves at once what fits on one screen, unless it is told otherwise.
    """
    pager = _find_pager() if sys.stdout.isatty() else ""
    if pager in _NO_PAGER:
        for line in lines:
            click.echo(line)
        return
    sys.stdout.flush()
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    process = subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    context = click.get_current_context(silent=True)
    show = click.unstyle if context is not None and context.color is False else str
    try:
        with suppress(BrokenPipeError), process.stdin as pipe:
            for line in lines:
                pipe.write(f"{show(line)}\n".encode("utf-8", "backslashreplace"))
                pipe.flush()
    finally:
        # An interrupt from the keyboard is the pager's to answer.
        while process.poll() is None:
            with suppress(KeyboardInterrupt):
                process.wait()


def _find_pager() -> str:
    """The command of the pager: `GIT_PAGER`, else the user's `core.pager`, else `PAGER`, else less.

    What a repository's own settings name is not run: whoever made the repository may have set it.
    """
    named = os.environ.get("GIT_PAGER")
    if named is not None:
        return named
    asked = run(["config", "--global", "--get", "core.pager"], cwd=Path("/"), check=False)
    return asked.text or os.environ.get("PAGER") or shutil.which("less") or ""
