"""`hkgit verify`: derive every commit of a range again."""

from __future__ import annotations

import click

from hkgit.cli.answer import find_form
from hkgit.cli.history import POLICY, RANGE, open_history
from hkgit.cli.options import REPORT, format_option
from hkgit.cli.output import show_progress
from hkgit.cli.ruling_output import print_stream
from hkgit.errors import Rejected
from hkgit.gate.commit_range import CommitRange
from hkgit.workflows.judgement import verify


@click.command()
@RANGE
@POLICY
@click.option("--jobs", type=click.IntRange(1), default=1, help="Number of processes.", metavar="N")
@click.option(
    "--shard",
    metavar="I/N",
    default="1/1",
    help="Only part I of N, to share the work between machines.",
)
@click.option("--incremental", is_flag=True, help="Skip commits that passed before.")
@format_option(*REPORT)
def command(
    commits: str,
    policy: str | None,
    jobs: int,
    shard: str,
    incremental: bool,
) -> int:
    """Replay the commits of A..B from their evidence and show what can be derived.

    The policy says who is governed; its floors do not count here. Commits that pass are noted in
    the git directory for --incremental, which skips them under the same policy, ladder and
    versions.
    """
    form, history = find_form(), open_history(commits, policy, is_range=True)
    stream = verify(
        history.repository,
        CommitRange(*history.ends),
        history.policy,
        show_progress("judging commit"),
        jobs=jobs,
        shard=_parse_shard(shard),
        incremental=incremental,
    )
    passes = print_stream(history.repository, stream, form)
    return 0 if passes else Rejected.exit_code


def _parse_shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise click.UsageError(f"--shard {text} is not I/N, as 1/4 for the first of four.")
    return int(number), int(of)
