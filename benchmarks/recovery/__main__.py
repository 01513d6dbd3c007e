"""__main__.py: `python -m benchmarks.recovery`: what refusals cost with and without hints."""

from __future__ import annotations

from itertools import compress
from pathlib import Path

import click

from benchmarks.engines.cases import PER_LABEL
from benchmarks.engines.downloads import default_cache
from benchmarks.recovery.courses import courses
from benchmarks.recovery.model import Habit
from benchmarks.recovery.report import by_status, overall
from benchmarks.recovery.tasks import tasks_of
from benchmarks.recovery.tools import exact_unique

HABITS = {
    "exact and unique, reads 100 lines": Habit(uses=False, tool=exact_unique),
    "hkgit without hints, reads the file": Habit(uses=False, reads=None),
    "hkgit without hints, reads 100 lines": Habit(uses=False),
    "hkgit": Habit(uses=True),
    "hkgit, trusting": Habit(uses=True, trusts=True),
}


@click.command()
@click.option("--half", type=click.Choice(["tune", "report"]), default="report", show_default=True)
@click.option("--per-label", default=PER_LABEL, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), default=default_cache)
def main(half: str, per_label: int, seed: int, cache: Path) -> None:
    """Print how a simulated model recovers from refusals"""
    tasks = tasks_of(half, cache, seed=seed, per_label=per_label)
    done = {name: courses(tasks, habit, seed) for name, habit in HABITS.items()}
    is_refused = [course.first_status != "applied" for course in done["hkgit"]]
    refused = {name: list(compress(each, is_refused)) for name, each in done.items()}
    click.echo(f"{len(tasks)} tasks, half {half}, seed {seed}\n\n{overall(done)}")
    click.echo(f"\nThe {sum(is_refused)} that hkgit refuses at first\n\n{overall(refused)}")
    click.echo(f"\nhkgit, by the first refusal\n\n{by_status(refused['hkgit'])}")


if __name__ == "__main__":
    main()
