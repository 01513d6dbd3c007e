"""`hkgit export`: evidence as tables for any engine."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.audit.tables.export_tables import ExportRequest, ExportResult, export
from hkgit.cli.answer import Answer, json_option
from hkgit.cli.history import POLICY, REVISION, History, open_history
from hkgit.cli.output import show_progress
from hkgit.text.escape import count_noun, visible


@click.command()
@REVISION
@click.option("--to", "directory", metavar="DIR", required=True, help="The directory of tables.")
@POLICY
@json_option
def command(commits: str, directory: str, policy: str | None) -> Answer:
    """Write the evidence of commits as tables of SQLite, and as Parquet with hkgit[tables].

    The tables then have all commits that lead to REV, and others are removed. A..B only adds.
    Commits are judged again if the policy, hkgit or git has changed, or if a signature may have
    been added.
    """
    history = open_history(commits, policy)
    request = make_request(history, commits, Path(directory))
    result = export(history.repository, request, show_progress("judging commit"))
    return Answer(_result_json(result), _lines(result, directory), is_info=True)


def make_request(history: History, words: str, directory: Path) -> ExportRequest:
    """Make the request for the commits that words name."""
    asked = history.asked
    return ExportRequest(
        directory=directory,
        revision=visible(words),
        old=asked.old,
        new=asked.new,
        policy=history.policy,
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
