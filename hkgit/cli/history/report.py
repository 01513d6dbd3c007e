"""report.py: `hkgit report`, a range for reviewers and auditors."""

from __future__ import annotations

import click

from hkgit.audit.audit import Audit, audit_json
from hkgit.audit.pages import page
from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import show_progress
from hkgit.cli.review.judging import load_policy, resolve_range
from hkgit.gate import CommitRange, judge_range
from hkgit.gate.conflicts.consulting import consults_in


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than A's.")
@json_option
def command(commits: str, policy: str | None, as_json: bool) -> None:
    """Report on A..B as Markdown: what is derived, what is only claimed, what was let pass.

    It judges nothing by its exit code: that is what `hkgit gate` is for.
    """
    repository = open_repository()
    ends = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, ends[0])
    watch = show_progress("judging commit")
    report = judge_range(repository, CommitRange(*ends), trusted, watch=watch)
    audit = Audit.of(commits, ends, report, tuple(consults_in(repository, ends[1])))
    if as_json:
        echo_json(audit_json(audit))
    else:
        click.echo(page(audit), nl=False)
