"""paging.py: long answers on a terminal go through a pager, as git's do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click


def echo_paged(lines: Iterable[str]) -> None:
    """Print lines as they come; on a terminal through the pager that git would take.

    `GIT_PAGER` goes before `PAGER`; the pager leaves at once what fits on one screen.
    """
    if not sys.stdout.isatty():
        for line in lines:
            click.echo(line)
        return
    os.environ.setdefault("LESS", "FRX")
    os.environ["PAGER"] = os.environ.get("GIT_PAGER") or os.environ.get("PAGER") or "less"
    click.echo_via_pager(f"{line}\n" for line in lines)
