"""ratios.py: `python -m benchmarks.ratios`: what hkgit costs, in starts of the interpreter.

Every row is the processor time of all processes that a job starts, and its time by the clock, each
beside that of `python -c pass` in the same run: a busy machine slows both. Jobs take turns; the
median counts. The hkgit that is measured
is installed as users have it, in an environment of its own, with its modules compiled.

The peers are what somebody would use instead: git's own commit, the pre-commit framework with a
hook that does nothing, and a hook of pre-commit-hooks. `--peers DIR` names an environment that has
those two; without it their rows are left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmarks.pairs import IDENTITY
from benchmarks.ratio_jobs import Cost, Installed, Job, list_jobs

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--peers", type=Path, help="an environment with pre-commit, its hooks")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        installed = install(Path(folder), asked.peers)
        jobs = list_jobs(installed, Path(folder), has_peers=asked.peers is not None)
        print("\n".join(table(jobs, asked.runs)))


def install(folder: Path, peers: Path | None) -> Installed:
    """An environment that finds hkgit and what it needs, and nothing else at its start."""
    home = folder / "environment"
    venv.create(home, symlinks=True)
    [packages] = home.glob("lib/python*/site-packages")
    # A plain path costs nothing at the start, unlike the hook of an editable installation.
    held = [str(ROOT), *(each for each in sys.path if each.endswith("site-packages"))]
    (packages / "measured.pth").write_text("\n".join(held) + "\n")
    python = home / "bin" / "python"
    script = f"#!{python}\nimport sys\nfrom hkgit.cli.start import run\nsys.exit(run())\n"
    (home / "bin" / "hkgit").write_text(script)
    (home / "bin" / "hkgit").chmod(0o755)
    subprocess.run([python, "-m", "compileall", "-q", ROOT / "hkgit"], check=False)
    places = [str(home / "bin"), *([str(peers / "bin")] if peers is not None else [])]
    kept = {name: each for name, each in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join([*places, os.environ["PATH"]])
    own = {"PATH": path, "PRE_COMMIT_HOME": str(folder / "pre-commit")}
    return Installed(python, kept | IDENTITY | own)


def table(jobs: Mapping[str, Job], runs: int) -> list[str]:
    """A row for each job: milliseconds and starts of the interpreter, by both measures."""
    costs: dict[str, list[Cost]] = {name: [] for name in jobs}
    for turn in range(runs + 1):
        for name, job in jobs.items():
            spent = job(turn)
            if turn:  # the first of each does what is done once
                costs[name].append(spent)
    middle = {
        name: Cost(median(each.cpu for each in of_job), median(each.clock for each in of_job))
        for name, of_job in costs.items()
    }
    start, commit = middle["python -c pass"], middle["git commit"]
    rows = [
        "| job | CPU ms | starts | above git's commit | ms by the clock | starts |",
        "|---|---|---|---|---|---|",
    ]
    for name, spent in middle.items():
        is_commit = name.startswith("git commit,")
        above = f"{(spent.cpu - commit.cpu) / start.cpu:.1f}" if is_commit else ""
        cpu = f"{1000 * spent.cpu:.1f} | {spent.cpu / start.cpu:.1f} | {above}"
        clock = f"{1000 * spent.clock:.1f} | {spent.clock / start.clock:.1f}"
        rows.append(f"| {name} | {cpu} | {clock} |")
    return rows


if __name__ == "__main__":
    main()
