"""framework.py: `python -m benchmarks.framework`: what hkgit adds to the pre-commit framework.

Two repositories take turns at whole commits: one with a hook that does nothing, one with
hkgit's. What the framework itself takes differs from commit to commit by more than
hkgit adds, so the median of many pairs counts, with the range in which the true one lies.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from math import floor, sqrt
from pathlib import Path
from statistics import median, quantiles

from benchmarks.ratio_jobs import Job, Jobs, list_peers
from benchmarks.ratios import install

INIT = ("hkgit", "init")


def main() -> None:
    """Print the difference of pairs in starts of the interpreter."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--peers", type=Path, required=True, help="an environment with pre-commit")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        installed = install(Path(folder), asked.peers)
        make = Jobs(installed, Path(folder))
        start = make.run(Path(folder), str(installed.python), "-c", "pass")
        empty, framed, *_ = list_peers(make, INIT).values()
        print(describe(measure(start, empty, framed, asked.pairs)))


def measure(start: Job, empty: Job, framed: Job, pairs: int) -> list[float]:
    """Differences of the pairs, each in starts of the interpreter, after one that does not count.

    Who begins changes from pair to pair.
    """
    starts, differences = [], []
    for turn in range(pairs + 1):
        starts.append(start(turn).cpu)
        jobs = (empty, framed) if turn % 2 else (framed, empty)
        spent = {job: job(turn).cpu for job in jobs}
        differences.append(spent[framed] - spent[empty])
    return [each / median(starts) for each in differences[1:]]


def describe(differences: Sequence[float]) -> str:
    """The median, its interval of 95 % by order statistics (the sign test), and the quartiles."""
    ordered, count = sorted(differences), len(differences)
    rank = max(floor((count - 1.96 * sqrt(count)) / 2), 1)
    lowest, highest = ordered[rank - 1], ordered[count - rank]
    first, _, third = quantiles(ordered, n=4)
    return (
        f"{count} pairs: median {median(ordered):.1f} starts ({lowest:.1f} to {highest:.1f}), "
        f"half of them between {first:.1f} and {third:.1f}"
    )


if __name__ == "__main__":
    main()
