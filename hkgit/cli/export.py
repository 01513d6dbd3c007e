"""`hkgit export`: evidence as tables for any engine."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.audit.tables.export_tables import ExportRequest, ExportResult, export
from hkgit.cli.common import echo_json, json_option, open_history
from hkgit.cli.output import print_info, show_progress
from hkgit.cli.ruling_output import resolve_range
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible


@click.command()
@click.argument("revision", default="HEAD", metavar="[REV | A..B]")
@click.option("--to", "directory", metavar="DIR", required=True, help="The directory of tables.")
@click.option(
    "--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's or HEAD's."
)
@json_option
def command(revision: str, directory: str, policy: str | None, as_json: bool) -> None:
    """Write the evidence of commits as tables of SQLite, and as Parquet with hkgit[tables].

    The tables then have all commits that lead to REV, and others are removed. A..B only adds.
    Commits are judged again if the policy, hkgit or git has changed, or if a signature may have
    been added.
    """
    repository = open_history()
    request = make_request(repository, revision, Path(directory), policy)
    result = export(repository, request, show_progress("judging commit"))
    if as_json:
        echo_json(_result_json(result))
        return
    for line in _lines(result, directory):
        print_info(line)


def make_request(
    repository: Repository, revision: str, directory: Path, policy: str | None = None
) -> ExportRequest:
    """Make what a revision or a range asks for; the policy is that at A, or at HEAD."""
    old, new = None, revision
    if ".." in revision:
        old, new = resolve_range(repository, revision)
    new = repository.resolve(new)
    judge = load_policy(repository, policy, old or repository.head().commit)
    return ExportRequest(
        directory=directory, revision=visible(revision), old=old, new=new, policy=judge
    )


def _lines(result: ExportResult, directory: str) -> list[str]:
    counts = result.counts
    judged = count_noun(result.judged, "commit")
    summary = f"{counts.added} added, {counts.changed} changed, {counts.removed} removed"
    return [
        f"{visible(result.identity.name)}: {judged} judged, {summary}",
        f"the tables: {visible(directory)}",
    ]


def _result_json(result: ExportResult) -> dict[str, object]:
    counts = result.counts
    return {
        "repository": result.identity.name,
        "url": result.identity.url,
        "roots": list(result.identity.roots),
        "judged": result.judged,
        "added": counts.added,
        "changed": counts.changed,
        "removed": counts.removed,
    }
