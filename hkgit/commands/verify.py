"""verify.py: `hkgit verify`, the derivation of every commit of a range, for an auditor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from hkgit.applying.reporting import visible
from hkgit.commands.common import echo_json, json_option, open_repository
from hkgit.commands.judging import (
    format_option,
    load_policy,
    print_report,
    report_json,
    resolve_range,
)
from hkgit.commands.manners import watched
from hkgit.errors import Rejected
from hkgit.gate import Report, judge_range, verify_range, without_floors
from hkgit.git.repository import Repository


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than A's.")
@click.option("--trust", metavar="FILE", help="What you pin: policy, signers, keys, ladders.")
@format_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    commits: str,
    policy: str | None,
    trust: str | None,
    form: str,
    as_json: bool,
) -> None:
    """Replay the commits of A..B from their evidence and say what can be derived.

    Who is governed comes from the policy; its floors do not count here. With --trust the answer
    rests on what you have pinned, and says what that was.
    """
    if policy is not None and trust is not None:
        raise click.UsageError("--trust pins a policy already: give it without --policy.")
    form = "json" if as_json else form
    repository = open_repository()
    old, new = resolve_range(repository, commits)
    if trust is not None:
        report = _verify_pinned(repository, old, new, trust, form)
    else:
        trusted = load_policy(repository, policy, old)
        report = verify_range(repository, old, new, trusted, watch=watched("replaying commit"))
        print_report(repository, report, form)
    if not report.passes:
        ctx.exit(Rejected.exit_code)


def _verify_pinned(
    repository: Repository, old: str, new: str, file: str, form: str
) -> Report:
    """The report under an auditor's pins, printed together with what was pinned."""
    from hkgit.points.pinning import pinned, read_trust, says

    found = pinned(repository, read_trust(Path(file)), old)
    policy = replace(without_floors(found.policy), ladders=found.trust.ladders)
    report = judge_range(repository, old, new, policy, watch=watched("replaying commit"))
    told = {name: visible(words) for name, words in says(found, repository).items()}
    if form == "json":
        echo_json(report_json(report) | {"trust": told})
        return report
    print_report(repository, report, form)
    for name, words in told.items():
        click.echo(f"trust {name}: {words}", err=form != "text")
    return report
