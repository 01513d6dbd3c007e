"""stats.py: `hkgit stats`, a stretch of history in numbers."""

from __future__ import annotations

import click

from hkgit.audit.numbers import numbers_json, numbers_lines, numbers_of
from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import show_progress
from hkgit.cli.review.judging import load_policy, resolve_range
from hkgit.gate import CommitRange, judge_range, without_floors
from hkgit.text.escaping import visible


@click.command()
@click.argument("revision", default="HEAD", metavar="[REV | A..B]")
@json_option
def command(revision: str, as_json: bool) -> None:
    """Count edits by agent, tier, evidence and confidence, over A..B or all that leads to REV."""
    repository = open_repository()
    old, new = None, revision
    if ".." in revision:
        old, new = resolve_range(repository, revision)
    new = repository.resolve(new)
    policy = load_policy(repository, None, new)
    watch = show_progress("replaying commit")
    report = judge_range(repository, CommitRange(old, new), without_floors(policy), watch=watch)
    numbers = numbers_of(report.rulings, policy)
    if as_json:
        echo_json(numbers_json(numbers))
    else:
        click.echo("\n".join(map(visible, numbers_lines(numbers))))
