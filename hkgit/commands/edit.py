"""edit.py: `hkgit edit` (also `hk apply`), edits straight into the working tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hkgit.applying.names import resolved
from hkgit.applying.outcome import EditOutcome, changed_files
from hkgit.applying.planner import Options, plan
from hkgit.applying.reporting import applied_json, refusal_text
from hkgit.commands.common import echo_json
from hkgit.commands.specs import Input, read_expects, read_specs, spec_options
from hkgit.directory import DirectorySnapshot, write_files
from hkgit.edits import File, Overlay, Read, Spec
from hkgit.errors import GitRefused, HkgitError
from hkgit.ledger.trailers import decimal
from hkgit.matching.places import Settings


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
        options = Options(Settings(round(threshold * 1000)), relocate)
        parsed = read_specs(given, root, lambda path: _from_root(root, path))
        changed = _changed(root, parsed, options, read_expects(expect, root), outcomes)
        if not dry_run:
            write_files(root, changed)
    except HkgitError as error:
        if as_json:
            echo_json(applied_json(error.status, outcomes, None, error))
        click.echo(f"hkgit: {refusal_text(outcomes) or error}", err=True)
        ctx.exit(error.exit_code)
    _print(outcomes, dry_run=dry_run, as_json=as_json)


def _root() -> Path:
    """The work tree around the current directory, or that directory itself."""
    from hkgit.git.repository import Repository

    here = Path.cwd()
    try:
        return (Repository.discover(here).work_tree or here).resolve()
    except GitRefused:
        return here.resolve()


def _from_root(root: Path, path: str) -> str:
    place = Path.cwd().resolve() / path
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else path


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
        made = plan(resolved(spec, files), files, options, reads)
        outcomes += made.outcomes
        if made.first_error is not None:
            raise made.first_error
        files = Overlay(files.below, {**files.files, **changed_files(made)})
    return dict(files.files)


def _print(outcomes: Sequence[EditOutcome], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        echo_json(applied_json("applied", outcomes, None))
        return
    for outcome in outcomes:
        if dry_run:
            click.echo(outcome.diff.encode("utf-8", "surrogateescape"), nl=False)
        where = ",".join(f"{first}-{last}" for first, last in outcome.lines)
        confidence = decimal(outcome.confidence_permille or 0)
        click.echo(f"{outcome.path}:{where}  {outcome.tier}  confidence {confidence}")
