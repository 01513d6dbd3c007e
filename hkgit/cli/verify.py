"""`hkgit verify`: derive every commit of a range again."""

from __future__ import annotations

import click

from hkgit.cli.answer import json_option
from hkgit.cli.common import open_repository
from hkgit.cli.options import format_option
from hkgit.cli.ruling_output import choose_watch, find_range, print_stream
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate.commit_range import WHOLE, Shard
from hkgit.workflows.judgement import VerifyRequest, verify


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Number of processes.", metavar="N")
@click.option(
    "--shard", metavar="I/N", help="Only part I of N, to share the work between machines."
)
@click.option("--incremental", is_flag=True, help="Skip commits that passed before.")
@format_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    commits: str,
    policy: str | None,
    jobs: int,
    shard: str | None,
    incremental: bool,
    form: str,
    as_json: bool,
) -> None:
    """Replay the commits of A..B from their evidence and show what can be derived.

    The policy says who is governed; its floors do not count here. Commits that pass are noted in
    the git directory for --incremental, which skips them under the same policy, ladder and
    versions.
    """
    form = "json" if as_json else form
    repository = open_repository()
    asked, trusted = find_range(repository, commits, policy, is_range=True)
    request = VerifyRequest(
        old=asked.old or "",
        new=asked.new,
        policy=trusted,
        jobs=jobs,
        shard=WHOLE if shard is None else _shard(shard),
        incremental=incremental,
    )
    stream = verify(repository, request, choose_watch("replaying commit", form))
    if not print_stream(repository, stream, form):
        ctx.exit(Rejected.exit_code)


def _shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from error
