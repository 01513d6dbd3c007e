"""verify.py: `hkgit verify`, the derivation of every commit of a range, for an auditor."""

from __future__ import annotations

import click

from hkgit.commands.common import json_option, open_repository
from hkgit.commands.judging import format_option, load_policy, print_report, resolve_range
from hkgit.commands.manners import watched
from hkgit.errors import Rejected
from hkgit.gate import verify_range


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than A's.")
@format_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, commits: str, policy: str | None, form: str, as_json: bool
) -> None:
    """Replay the commits of A..B from their evidence and say what can be derived.

    Who is governed comes from the policy; its floors do not count here.
    """
    repository = open_repository()
    old, new = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, old)
    report = verify_range(repository, old, new, trusted, watch=watched("replaying commit"))
    print_report(repository, report, "json" if as_json else form)
    if not report.passes:
        ctx.exit(Rejected.exit_code)
