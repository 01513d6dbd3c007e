"""ratios.py: `python -m benchmarks.ratios`: what hkgit costs, in starts of the interpreter.

Every row is the processor time of all processes that a job starts, beside `python -c pass` in the
same run: a busy machine slows both. Jobs take turns; the median counts. The hkgit that is measured
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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.pairs import IDENTITY, make_repository

ROOT = Path(__file__).parents[1]
FILE = "d0000/f000001.txt"
EMPTY = """\
default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg, post-commit]
repos:
- repo: local
  hooks:
  - {id: none, name: none, entry: 'true', language: system, always_run: true,
     pass_filenames: false, stages: [pre-commit, prepare-commit-msg, commit-msg, post-commit]}
"""
TRAILING = "#!/bin/sh\nexec git diff --cached --name-only -z | xargs -0 trailing-whitespace-fixer\n"


@dataclass(frozen=True, slots=True)
class Installed:
    """Programs of an environment, and what they are started with."""

    python: Path
    environment: Mapping[str, str]

    def cpu(self, *command: str | Path, cwd: Path) -> float:
        """Seconds of the processor that a command and all it starts take."""
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        said = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command}: ended with {process.returncode}\n{said}")
        return used.ru_utime + used.ru_stime


Job = Callable[[int], float]


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


@dataclass(frozen=True, slots=True)
class Jobs:
    """What makes jobs in repositories of their own below a folder."""

    installed: Installed
    folder: Path

    def repository(
        self, name: str, *setup: tuple[str, ...], files: Mapping[str, str] | None = None
    ) -> Path:
        """A repository with a history, after some commands and with some files more."""
        root = self.folder / name
        root.mkdir()
        make_repository(root, 100)
        for path, text in (files or {}).items():
            (root / path).write_text(text)
        for command in setup:
            self.installed.cpu(*command, cwd=root)
        self.installed.cpu("git", "add", "-A", cwd=root)
        words = ("-q", "--allow-empty", "-n", "-m", "Set up")
        self.installed.cpu("git", "commit", *words, cwd=root)
        return root

    def run(self, root: Path, *command: str) -> Job:
        return lambda turn: self.installed.cpu(*command, cwd=root)

    def commit(self, root: Path) -> Job:
        """A person's commit of a line more."""

        def job(turn: int) -> float:
            with (root / FILE).open("a") as file:
                file.write(f"turn {turn}\n")
            return self.installed.cpu("git", "commit", "-q", "-a", "-m", "Edit", cwd=root)

        return job

    def edit(self, root: Path, *more: str) -> Job:
        def job(turn: int) -> float:
            words = ("--file", FILE, "--old", _old(turn), "--new", _new(turn))
            return self.installed.cpu("hkgit", "edit", *more, *words, cwd=root)

        return job

    def commit_session(self, root: Path) -> Job:
        """The commit alone, after a reading and an edit that are not counted."""
        edit = self.edit(root, "--session", "s", "--agent", "bench/1")

        def job(turn: int) -> float:
            self.installed.cpu("hkgit", "read", FILE, "--session", "s", cwd=root)
            edit(turn)
            return self.installed.cpu("git", "commit", "-q", "-a", "-m", "Edit", cwd=root)

        return job

    def apply(self, root: Path) -> Job:
        def job(turn: int) -> float:
            spec = self.folder / f"{root.name}.txt"
            body = f"<<<<<<< SEARCH\n{_old(turn)}\n=======\n{_new(turn)}\n>>>>>>> REPLACE\n"
            spec.write_text(f"{FILE}\n{body}")
            return self.installed.cpu("hkgit", "apply", "--allow-blind", str(spec), cwd=root)

        return job


def _old(turn: int) -> str:
    return _new(turn - 1) if turn else "line 5 of file 1"


def _new(turn: int) -> str:
    return f"turn {turn} ends"


def list_jobs(installed: Installed, folder: Path, *, has_peers: bool) -> dict[str, Job]:
    """Every job by the name of its row, the interpreter first."""
    make = Jobs(installed, folder)
    init = ("hkgit", "init")
    plain = make.repository("plain")
    jobs = {
        "python -c pass": make.run(folder, str(installed.python), "-c", "pass"),
        "git commit": make.commit(plain),
        "git commit, hkgit's hooks, a person's": make.commit(make.repository("person", init)),
        "git commit, hkgit's hooks, a session's": make.commit_session(
            make.repository("session", init)
        ),
        "hkgit read": make.run(plain, "hkgit", "read", FILE),
        "hkgit edit": make.edit(make.repository("edit")),
        "hkgit apply": make.apply(make.repository("apply")),
        "hkgit apply, hkgit's hooks": make.apply(make.repository("applied", init)),
    }
    return jobs | list_peers(make, init) if has_peers else jobs


def list_peers(make: Jobs, init: tuple[str, ...]) -> dict[str, Job]:
    """The jobs of what people would use instead."""
    config = ".pre-commit-config.yaml"
    install = ("pre-commit", "install")
    empty = make.repository("empty", install, files={config: EMPTY})
    framed = make.repository("framed", init, install, files={config: "repos: []\n"})
    hooked = make.repository("hooked")
    (hooked / ".git/hooks/pre-commit").write_text(TRAILING)
    (hooked / ".git/hooks/pre-commit").chmod(0o755)
    return {
        "git commit, pre-commit with an empty hook": make.commit(empty),
        "git commit, pre-commit with hkgit's, a person's": make.commit(framed),
        "git commit, one hook of pre-commit-hooks": make.commit(hooked),
    }


def table(jobs: Mapping[str, Job], runs: int) -> list[str]:
    """A row for each job: milliseconds, starts of the interpreter, and those above git's commit."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(runs + 1):
        for name, job in jobs.items():
            spent = job(turn)
            if turn:  # the first of each does what is done once
                times[name].append(spent)
    middle = {name: median(each) for name, each in times.items()}
    start, commit = middle["python -c pass"], middle["git commit"]
    rows = ["| job | CPU ms | starts | above git's commit |", "|---|---|---|---|"]
    for name, spent in middle.items():
        above = f"{(spent - commit) / start:.1f}" if name.startswith("git commit,") else ""
        rows.append(f"| {name} | {1000 * spent:.1f} | {spent / start:.1f} | {above} |")
    return rows


if __name__ == "__main__":
    main()
