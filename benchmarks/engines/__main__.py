"""__main__.py: `python -m benchmarks.engines`, the commands of the benchmark."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.engines.adapters import NotInstalledError
from benchmarks.engines.adapters.table import ENGINES
from benchmarks.engines.cases import PER_LABEL, Case, cases_of
from benchmarks.engines.corpus import hunks_of
from benchmarks.engines.downloads import default_cache
from benchmarks.engines.dump import dumped
from benchmarks.engines.reliability import reliability
from benchmarks.engines.report import Outcome, by_label, failures, overall, run
from benchmarks.engines.scaling import scaling

half_option = click.option(
    "--half", type=click.Choice(["tune", "report"]), default="tune", show_default=True
)
engine_option = click.option(
    "--engine", "engines", multiple=True, type=click.Choice(list(ENGINES)),
    help="Repeatable; all of them by default.",
)  # fmt: skip
cache_option = click.option("--cache", type=click.Path(path_type=Path), default=default_cache)
size_option = click.option("--per-label", default=PER_LABEL, show_default=True)
seed_option = click.option("--seed", default=0, show_default=True)


@click.group()
def main() -> None:
    """Measure edit engines on edits taken from real changes"""


@main.command()
@half_option
@engine_option
@click.option("--label", "labels", multiple=True, help="Repeatable; all of them by default.")
@size_option
@seed_option
@click.option("--failures", "shown", default=0, help="So many failed cases in full.")
@cache_option
def compare(
    half: str, engines: tuple[str, ...], labels: tuple[str, ...], per_label: int, seed: int,
    shown: int, cache: Path,
) -> None:  # fmt: skip
    """Print what each engine lands, gets wrong and refuses"""
    cases = [case for case in cases_of(half, cache, seed=seed, per_label=per_label)
             if not labels or case.label in labels]  # fmt: skip
    results = {}
    for name in engines or ENGINES:
        try:
            results[name] = _run(name, cases, cache)
        except NotInstalledError as reason:
            click.echo(f"{name} is not measured: {reason}")
    click.echo(f"{len(cases)} cases, half {half}, seed {seed}\n\n{overall(results)}")
    for name, outcomes in results.items():
        click.echo(f"\n## {name}\n\n{by_label(outcomes)}")
        for outcome in failures(outcomes)[:shown]:
            click.echo(f"\n{dumped(outcome)}")


@main.command("scaling")
@half_option
@engine_option
@cache_option
def scaling_command(half: str, engines: tuple[str, ...], cache: Path) -> None:
    """Print how the time of a fuzzy edit grows from 1,000 to 100,000 lines"""
    hunks = hunks_of(half, cache)
    for name in engines or ("hkgit",):
        with ENGINES[name].start(cache) as engine:
            click.echo(f"## {name}\n\n{scaling(engine, hunks)}\n")


@main.command("reliability")
@half_option
@click.option("--engine", "name", default="hkgit", show_default=True)
@size_option
@seed_option
@cache_option
def reliability_command(half: str, name: str, per_label: int, seed: int, cache: Path) -> None:
    """Print how much of what lands at a confidence is right"""
    cases = cases_of(half, cache, seed=seed, per_label=per_label)
    outcomes = _run(name, cases, cache)
    click.echo(f"{len(cases)} cases, half {half}, seed {seed}\n\n{reliability(outcomes)}")


def _run(name: str, cases: list[Case], cache: Path) -> list[Outcome]:
    entry = ENGINES[name]
    with entry.start(cache) as engine:
        return run(engine, cases[:: entry.stride])


if __name__ == "__main__":
    main()
