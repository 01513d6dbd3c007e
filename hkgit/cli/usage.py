"""Wrong usage of the command line, and faults, told to a program as a document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import click

from hkgit.applying.outcome import render_apply_json
from hkgit.audit import reports
from hkgit.cli.common import echo_json, echo_refusal_in, find_requested_form
from hkgit.errors import HkgitError, WrongUsage

_APPLYING = ("apply", "edit")
"""Commands whose answer has the same keys whatever happens."""


def echo_usage(error: click.ClickException, arguments: Sequence[str]) -> None:
    """Print what is wrong with the arguments, where they ask for a document."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    form = _form(ctx, arguments)
    if form is None:
        return
    where = "hkgit" if ctx is None else ctx.command_path
    wrong = WrongUsage(where, error.format_message(), f"See {where} --help.")
    _echo(form, None if ctx is None else ctx.info_name, wrong)


def echo_fault(words: str, fix: str, arguments: Sequence[str]) -> None:
    """Print what nobody expected, where the arguments ask for a document."""
    form = _form(None, arguments)
    if form is not None:
        _echo(form, arguments[0], HkgitError("hkgit", words, fix))


def _echo(form: str, command: str | None, error: HkgitError) -> None:
    if command in _APPLYING:
        echo_json(render_apply_json(error.status, (), None, error))
    else:
        echo_refusal_in(form, error)


def _form(ctx: click.Context | None, arguments: Sequence[str]) -> str | None:
    """The form that was asked for, though nobody may have come to note it."""
    noted = None if ctx is None else find_requested_form(ctx)
    if noted is not None or "--json" in arguments:
        return noted or "json"
    forms = [word.removeprefix("--format=") for word in arguments if word.startswith("--format=")]
    forms += [word for option, word in pairwise(arguments) if option == "--format"]
    return next((form for form in forms if form in reports.DOCUMENTS), None)
