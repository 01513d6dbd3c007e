"""`hkgit verify`: derive every commit of a range again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.commits import History
from hkgit.audit.reports import ReportTotals
from hkgit.cli.history import POLICY, RANGE, open_history
from hkgit.cli.options import REPORT, format_option
from hkgit.cli.output import CONSOLE, print_note, show_progress
from hkgit.cli.ruling_output import print_rulings
from hkgit.errors import Rejected
from hkgit.gate.commit_range import drop_floors, judge_range, select_share
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import count_noun


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
    repository, lax = history.repository, drop_floors(history.policy)
    listed = select_share(history.list(), *_parse_shard(shard))
    tip = listed[-1] if listed else None
    totals = ReportTotals(lax)
    if not incremental:
        rulings = _verify(history, listed, jobs)
        passes = print_rulings(repository, rulings, totals, form, tip)
        return 0 if passes else Rejected.exit_code
    # Rows of evidence are slow to load.
    from hkgit.audit.tables.database import keep_rulings, list_held, open_kept_rows

    with open_kept_rows(repository, lax) as kept:
        known = list_held(kept, "", lax, only_passing=True)
        fresh = [each for each in listed if each not in known]
        if len(fresh) < len(listed):
            print_note(f"{count_noun(len(listed) - len(fresh), 'commit')} passed before: skipped")
        rulings = keep_rulings(kept, _verify(history, fresh, jobs), lax)
        passes = print_rulings(repository, rulings, totals, form, tip)
    return 0 if passes else Rejected.exit_code


def _verify(history: History, commits: Sequence[str], jobs: int) -> Iterator[Ruling]:
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
