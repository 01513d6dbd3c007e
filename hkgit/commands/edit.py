"""edit.py: `hkgit edit` (also `hk apply`), edits straight into the working tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from hkgit.applying.names import resolved
from hkgit.applying.outcome import EditOutcome, changed_files, expect_change
from hkgit.applying.planner import Options, plan
from hkgit.applying.reporting import applied_json, refusal_text
from hkgit.commands.common import below, echo_json
from hkgit.commands.manners import complain, confirm
from hkgit.commands.specs import (
    Input,
    echo_notes,
    outcome_line,
    planning,
    read_expects,
    read_specs,
    spec_options,
)
from hkgit.directory import DirectorySnapshot, write_files
from hkgit.edits import File, Overlay, Read, Spec
from hkgit.errors import GitRefused, HkgitError


@click.command()
@spec_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    specs: tuple[str, ...],
    edit_file: str | None,
    use_stdin: bool,
    file: str | None,
    old: str | None,
    new: str | None,
    format: str,
    threshold: float,
    expect: tuple[str, ...],
    relocate: bool,
    check_syntax: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Apply edits to the working tree, without a commit; all of them or none.

    Outside a repository paths are relative to the current directory.
    """
    given = Input(specs, edit_file, use_stdin, file, old, new, format)
    outcomes: list[EditOutcome] = []
    try:
        root = _root()
        options = planning(threshold, relocate=relocate, check_syntax=check_syntax)
        locate = partial(below, root)
        parsed = read_specs(given, root, locate)
        changed = _changed(root, parsed, options, read_expects(expect, locate), outcomes)
        if not dry_run:
            write_files(root, changed)
    except HkgitError as error:
        if as_json:
            echo_json(applied_json(error.status, outcomes, None, error))
        complain(refusal_text(outcomes) or str(error))
        ctx.exit(error.exit_code)
    _print(outcomes, dry_run=dry_run, as_json=as_json)


def _root() -> Path:
    """The work tree around the current directory, or that directory itself.

    Found without opening the repository: no object of it is needed. Raises GitRefused in a bare
    repository, where every file is git's own.
    """
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            return place
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            fix = "Edit in a checkout, or commit to a branch: hkgit apply --branch NAME"
            raise GitRefused(str(place), "a bare repository has no working tree", fix)
    return here


def _changed(
    root: Path,
    parsed: Sequence[Spec],
    options: Options,
    reads: tuple[Read, ...],
    outcomes: list[EditOutcome],
) -> dict[str, File | None]:
    """The files that all specs together change. Raises the first refusal."""
    files = Overlay(DirectorySnapshot(root))
    for spec in parsed:
        made = expect_change(plan(resolved(spec, files), files, options, reads))
        outcomes += made.outcomes
        if made.first_error is not None:
            raise made.first_error
        files = Overlay(files.below, {**files.files, **changed_files(made)})
    return dict(files.files)


def _print(outcomes: Sequence[EditOutcome], *, dry_run: bool, as_json: bool) -> None:
    echo_notes(outcomes)
    if as_json:
        echo_json(applied_json("applied", outcomes, None))
        return
    for outcome in outcomes:
        if dry_run:
            click.echo(outcome.diff.encode("utf-8", "surrogateescape"), nl=False)
        confirm(outcome_line(outcome))
