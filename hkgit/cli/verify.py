"""`hkgit verify`: derive every commit of a range again."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hkgit.cli.history import POLICY, RANGE, History, open_history
from hkgit.cli.options import REPORT, format_option
from hkgit.cli.output import CONSOLE, print_note, show_progress
from hkgit.cli.ruling_output import print_stream
from hkgit.errors import Rejected
from hkgit.gate.commit_range import RulingStream, drop_floors, judge_range, select_share
from hkgit.text.escape import count_noun
from hkgit.values import replace


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

    The policy says who is governed; its floors do not count here. With --incremental what passes is
    noted in the git directory, and left out the next time under the same policy, ladder and
    versions.
    """
    form, history = CONSOLE.form, open_history(commits, policy, is_range=True)
    listed = select_share(history.list(), *_parse_shard(shard))
    if not incremental:
        passes = print_stream(history.repository, _verify(history, listed, jobs), form)
        return 0 if passes else Rejected.exit_code
    # Rows of evidence are slow to load.
    from hkgit.audit.tables.database import keep_rulings, list_held, open_kept_rows

    lax = drop_floors(history.policy)
    with open_kept_rows(history.repository, lax) as kept:
        known = list_held(kept, "", lax, only_passing=True)
        fresh = [each for each in listed if each not in known]
        if len(fresh) < len(listed):
            print_note(f"{count_noun(len(listed) - len(fresh), 'commit')} passed before: skipped")
        stream = _verify(history, fresh, jobs)
        rulings = keep_rulings(kept, stream.rulings, lax)
        tip = listed[-1] if listed else None
        passes = print_stream(history.repository, replace(stream, rulings=rulings, tip=tip), form)
    return 0 if passes else Rejected.exit_code


def _verify(history: History, commits: Sequence[str], jobs: int) -> RulingStream:
    return judge_range(
        history.repository,
        history.asked,
        drop_floors(history.policy),
        commits=commits,
        has_trusted_side=False,
        jobs=jobs,
        watch=show_progress("judging commit"),
    )


def _parse_shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise click.UsageError(f"--shard {text} is not I/N, as 1/4 for the first of four.")
    return int(number), int(of)
