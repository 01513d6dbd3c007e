"""__main__.py: `python -m benchmarks.engines`, the commands of the benchmark."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.engines.adapters import NotInstalledError
from benchmarks.engines.adapters.table import ENGINES
from benchmarks.engines.cases import PER_LABEL, Case, cases_of
from benchmarks.engines.corpus import hunks_of
from benchmarks.engines.diagram import drawn, landings, numbers
from benchmarks.engines.downloads import default_cache
from benchmarks.engines.dump import dumped
from benchmarks.engines.fitting import fitted
from benchmarks.engines.real import NoRealEditsError, half_of, real_cases, real_file
from benchmarks.engines.report import Outcome, by_label, failures, overall, run
from benchmarks.engines.scaling import scaling

half_option = click.option(
    "--half", type=click.Choice(["tune", "report"]), default="tune", show_default=True
)
engine_option = click.option(
    "--engine",
    "engines",
    multiple=True,
    type=click.Choice(list(ENGINES)),
    help="Repeatable; all of them by default.",
)
cache_option = click.option("--cache", type=click.Path(path_type=Path), default=default_cache)
size_option = click.option("--per-label", default=PER_LABEL, show_default=True)
seed_option = click.option("--seed", default=0, show_default=True)


@click.group()
def main() -> None:
    """Measure edit engines on edits taken from real changes"""


@main.command()
@click.option(
    "--suite",
    type=click.Choice(["modelled", "real"]),
    default="modelled",
    show_default=True,
    help="Changes of releases with modelled mistakes, or what an agent really sent.",
)
@half_option
@engine_option
@click.option("--label", "labels", multiple=True, help="Repeatable; all of them by default.")
@size_option
@seed_option
@click.option("--failures", "shown", default=0, help="So many failed cases in full.")
@cache_option
def compare(
    suite: str,
    half: str,
    engines: tuple[str, ...],
    labels: tuple[str, ...],
    per_label: int,
    seed: int,
    shown: int,
    cache: Path,
) -> None:
    """Print what each engine lands, gets wrong and refuses"""
    title = "real edits" if suite == "real" else f"half {half}, seed {seed}"
    try:
        cases = (
            real_cases(real_file())
            if suite == "real"
            else cases_of(half, cache, seed=seed, per_label=per_label)
        )
    except NoRealEditsError as reason:
        click.echo(f"skipped: {reason}")
        return
    cases = [case for case in cases if not labels or case.label in labels]
    results = {}
    for name in engines or ENGINES:
        try:
            results[name] = _run(name, cases, cache)
        except NotInstalledError as reason:
            click.echo(f"{name} is not measured: {reason}")
    click.echo(f"{len(cases)} cases, {title}\n\n{overall(results)}")
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
@click.option("--seeds", default=1, show_default=True, help="So many sets of cases.")
@size_option
@cache_option
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Write the diagram there, as SVG.",
)
def reliability(half: str, seeds: int, per_label: int, cache: Path, picture: Path | None) -> None:
    """Print how much of what lands at a confidence is right, and draw it"""
    outcomes = [*_modelled(half, seeds, per_label, cache), *_real(half, cache)]
    found = landings(outcomes)
    click.echo(f"{len(outcomes)} cases, half {half}, seeds 0 to {seeds - 1}\n\n{numbers(found)}")
    if picture is not None:
        picture.write_text(drawn(found))


@main.command()
@click.option("--seeds", default=1, show_default=True, help="So many sets of cases.")
@size_option
@cache_option
def fit(seeds: int, per_label: int, cache: Path) -> None:
    """Print the confidences that the halves `tune` of both suites come to"""
    outcomes = [*_modelled("tune", seeds, per_label, cache), *_real("tune", cache)]
    click.echo(fitted(outcomes))


def _modelled(half: str, seeds: int, per_label: int, cache: Path) -> list[Outcome]:
    """What hkgit makes of the modelled cases of a half."""
    sets = (cases_of(half, cache, seed=seed, per_label=per_label) for seed in range(seeds))
    return [outcome for cases in sets for outcome in _run("hkgit", cases, cache)]


def _real(half: str, cache: Path) -> list[Outcome]:
    """What hkgit makes of a half of the real edits, where there are any."""
    try:
        return _run("hkgit", half_of(real_cases(real_file()), half), cache)
    except NoRealEditsError as reason:
        click.echo(f"without real edits: {reason}")
        return []


def _run(name: str, cases: list[Case], cache: Path) -> list[Outcome]:
    entry = ENGINES[name]
    with entry.start(cache) as engine:
        asked = [case for case in cases if entry.can_replace_all or not case.replace_all]
        return run(engine, asked[:: entry.stride])


if __name__ == "__main__":
    main()
