"""`hkgit export`: evidence as tables for any engine."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.audit.tables.export_tables import ExportRequest, ExportResult, export
from hkgit.cli.answer import Answer, answer_option
from hkgit.cli.common import open_history
from hkgit.cli.output import show_progress
from hkgit.cli.ruling_output import find_range
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible


@click.command()
@click.argument("revision", default="HEAD", metavar="[REV | A..B]")
@click.option("--to", "directory", metavar="DIR", required=True, help="The directory of tables.")
@click.option(
    "--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's or HEAD's."
)
@answer_option
def command(revision: str, directory: str, policy: str | None) -> Answer:
    """Write the evidence of commits as tables of SQLite, and as Parquet with hkgit[tables].

    The tables then have all commits that lead to REV, and others are removed. A..B only adds.
    Commits are judged again if the policy, hkgit or git has changed, or if a signature may have
    been added.
    """
    repository = open_history()
    request = make_request(repository, revision, Path(directory), policy)
    result = export(repository, request, show_progress("judging commit"))
    return Answer(_result_json(result), _lines(result, directory), is_info=True)


def make_request(
    repository: Repository, revision: str, directory: Path, policy: str | None = None
) -> ExportRequest:
    """Make what a revision or a range asks for; the policy is that at A, or at HEAD."""
    asked, judge = find_range(repository, revision, policy)
    return ExportRequest(
        directory=directory, revision=visible(revision), old=asked.old, new=asked.new, policy=judge
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
