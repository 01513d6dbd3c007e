"""verify.py: `hkgit verify`, the derivation of every commit of a range, for an auditor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import show_progress
from hkgit.cli.review.judging import (
    format_option,
    load_policy,
    print_report,
    report_json,
    resolve_range,
)
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate import CommitRange, Report, without_floors
from hkgit.gate.parallelism import WHOLE, Parallelism, Shard, verify_range
from hkgit.gate.policy import Policy
from hkgit.gate.verified import VerifiedCommits
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible
from hkgit.values import replace


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than A's.")
@click.option("--trust", metavar="FILE", help="What you pin: policy, signers, keys, ladders.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="So many processes.", metavar="N")
@click.option("--shard", metavar="I/N", help="Only the I-th of N parts, for one of N machines.")
@click.option("--incremental", is_flag=True, help="Leave out what passed here before.")
@format_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    commits: str,
    policy: str | None,
    trust: str | None,
    jobs: int,
    shard: str | None,
    incremental: bool,
    form: str,
    as_json: bool,
) -> None:
    """Replay the commits of A..B from their evidence and say what can be derived.

    Who is governed comes from the policy; its floors do not count here. With --trust the answer
    rests on what you have pinned, and says what that was. What passed before, under the same
    policy, ladder and versions, is noted in the git directory for --incremental.
    """
    if policy is not None and trust is not None:
        raise click.UsageError("--trust pins a policy already: give it without --policy.")
    form = "json" if as_json else form
    repository = open_repository()
    old, new = resolve_range(repository, commits)
    asked = CommitRange(old, new)
    share = WHOLE if shard is None else _share(shard)

    def verify(lax: Policy) -> Report:
        known = VerifiedCommits.of(repository, lax) if incremental else None
        spread = Parallelism(jobs, share, known)
        return verify_range(repository, asked, lax, spread, watch=show_progress("replaying commit"))

    if trust is not None:
        report = _verify_pinned(repository, old, trust, form, verify)
    else:
        report = verify(without_floors(load_policy(repository, policy, old)))
        print_report(repository, report, form)
    if not report.passes:
        ctx.exit(Rejected.exit_code)


def _share(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error


def _verify_pinned(
    repository: Repository,
    old: str,
    file: str,
    form: str,
    verify: Callable[[Policy], Report],
) -> Report:
    """The report under an auditor's pins, printed together with what was pinned."""
    from hkgit.gate.entrypoints.pinning import read_trust, resolve_pins, says

    found = resolve_pins(repository, read_trust(Path(file)), old)
    policy = replace(without_floors(found.policy), ladders=found.trust.ladders)
    report = verify(policy)
    told = {name: visible(words) for name, words in says(found, repository).items()}
    if form == "json":
        echo_json(report_json(report) | {"trust": told})
        return report
    print_report(repository, report, form)
    for name, words in told.items():
        click.echo(f"trust {name}: {words}", err=form != "text")
    return report
