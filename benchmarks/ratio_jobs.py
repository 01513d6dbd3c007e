"""ratio_jobs.py: the jobs that `benchmarks.ratios` compares, each in a repository of its own."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.history import make_history
from benchmarks.pairs import make_repository
from benchmarks.served import Client, serving

CALLS, COMMITS, MANY = 99, 200, 20_000

CACHE = (
    ("git", "config", "core.untrackedCache", "true"),
    ("git", "config", "status.showUntrackedFiles", "all"),
)
"""What lets git remember which directories have no untracked files (docs/guide/costs.md)."""
FILE = "d0000/f000001.txt"
EMPTY = """\
repos:
- repo: local
  hooks:
  - {id: none, name: none, entry: 'true', language: system, always_run: true,
     pass_filenames: false, stages: [pre-commit]}
"""
TRAILING = "#!/bin/sh\nexec git diff --cached --name-only -z | xargs -0 trailing-whitespace-fixer\n"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a job takes, in seconds: of the processor, of all its processes; and by the clock."""

    cpu: float
    clock: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu + other.cpu, self.clock + other.clock)


@dataclass(frozen=True, slots=True)
class Installed:
    """Programs of an environment, and what they are started with."""

    python: Path
    environment: Mapping[str, str]

    def run(self, *command: str | Path, cwd: Path, text: str = "") -> Cost:
        """Run a command that is given a text, and say what it and all it starts take."""
        begun = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        assert process.stdin is not None
        process.stdin.write(text.encode())
        process.stdin.close()
        said = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command}: ended with {process.returncode}\n{said}")
        return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - begun)


Job = Callable[[int], Cost]


@dataclass(frozen=True, slots=True)
class Jobs:
    """What makes jobs in repositories of their own below a folder."""

    installed: Installed
    folder: Path

    def repository(
        self,
        name: str,
        *setup: tuple[str, ...],
        files: Mapping[str, str] | None = None,
        count: int = 100,
    ) -> Path:
        """A repository with a history, after some commands and with some files more."""
        root = self.folder / name
        root.mkdir()
        make_repository(root, count)
        for path, text in (files or {}).items():
            (root / path).write_text(text)
        for command in setup:
            self.installed.run(*command, cwd=root)
        self.installed.run("git", "add", "-A", cwd=root)
        words = ("-q", "--allow-empty", "-n", "-m", "Set up")
        self.installed.run("git", "commit", *words, cwd=root)
        self.installed.run("git", "status", cwd=root)  # git remembers what it has seen
        return root

    def run(self, root: Path, *command: str) -> Job:
        return lambda turn: self.installed.run(*command, cwd=root)

    def commit(self, root: Path) -> Job:
        """A person's commit of a line more."""

        def job(turn: int) -> Cost:
            with (root / FILE).open("a") as file:
                file.write(f"turn {turn}\n")
            return self.installed.run("git", "commit", "-q", "-a", "-m", "Edit", cwd=root)

        return job

    def edit(self, root: Path, *more: str) -> Job:
        def job(turn: int) -> Cost:
            words = ("--file", FILE, "--old", _old(turn), "--new", _new(turn))
            return self.installed.run("hkgit", "edit", *more, *words, cwd=root)

        return job

    def commit_session(self, root: Path) -> Job:
        """The commit alone, after a reading and an edit that are not counted."""
        edit = self.edit(root, "--session", "s", "--agent", "bench/1")

        def job(turn: int) -> Cost:
            self.installed.run("hkgit", "read", FILE, "--session", "s", cwd=root)
            edit(turn)
            return self.installed.run("git", "commit", "-q", "-a", "-m", "Edit", cwd=root)

        return job

    def apply(self, root: Path) -> Job:
        def job(turn: int) -> Cost:
            spec = self.folder / f"{root.name}.txt"
            body = f"<<<<<<< SEARCH\n{_old(turn)}\n=======\n{_new(turn)}\n>>>>>>> REPLACE\n"
            spec.write_text(f"{FILE}\n{body}")
            return self.installed.run("hkgit", "apply", "--allow-blind", str(spec), cwd=root)

        return job

    def serve(self, root: Path) -> Job:
        """An exact edit of a file of 1,000 lines by a server that runs."""
        (root / "served.txt").write_text("".join(f"line {n} of the file\n" for n in range(1000)))

        def job(turn: int) -> Cost:
            with serving(root, self.installed.environment) as client:
                _edit_served(client, 0)  # the first loads what edits need
                before, begun = client.cpu(), time.perf_counter()
                for call in range(1, CALLS + 1):
                    _edit_served(client, call)
                used = client.cpu() - before
                return Cost(used / CALLS, (time.perf_counter() - begun) / CALLS)

        return job

    def hook_edit(self, root: Path) -> Job:
        """The hooks before and after an edit of an agent's own tool, without the edit."""
        path = root / FILE

        def job(turn: int) -> Cost:
            text = path.read_text()
            given = {"old_string": _old(turn), "new_string": _new(turn)}
            call = {"tool_name": "Edit", "tool_input": given | {"file_path": str(path)}}
            before = self._tell(root, call | {"hook_event_name": "PreToolUse"})
            path.write_text(text.replace(_old(turn), _new(turn)))
            answer = {"tool_response": {"originalFile": text, "userModified": False}}
            return before + self._tell(root, call | answer | {"hook_event_name": "PostToolUse"})

        return job

    def hook_command(self, root: Path, command: str) -> Job:
        """The hooks before and after a shell command of an agent that changes nothing."""

        def job(turn: int) -> Cost:
            call = {"tool_name": "Bash", "tool_input": {"command": f"{command} {turn}"}}
            before = self._tell(root, call | {"hook_event_name": "PreToolUse"})
            answer = {"tool_response": {"stdout": "done", "stderr": ""}}
            return before + self._tell(root, call | answer | {"hook_event_name": "PostToolUse"})

        return job

    def _tell(self, root: Path, call: Mapping[str, object]) -> Cost:
        payload = json.dumps({"session_id": "s", "cwd": str(root), **call})
        return self.installed.run("hkgit", "hook", "claude", cwd=root, text=payload)

    def over_history(self, *command: str) -> Job:
        """A command that is given a range of commits with entries."""
        root = self.folder / f"{'-'.join(command)}.git"
        root.mkdir()
        return self.run(root, *command, f"{make_history(root, COMMITS)}..main")


def _edit_served(client: Client, call: int) -> None:
    """Every other call takes back what the one before did."""
    words = ("of", "in") if call % 2 == 0 else ("in", "of")
    old, new = (f"line 500 {word} the file" for word in words)
    client.ask("edit", text=json.dumps({"file": "served.txt", "old_text": old, "new_text": new}))


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
        "an agent's edit, both hooks": make.hook_edit(make.repository("hooked-edit", init)),
        "an agent's cat, both hooks": make.hook_command(make.repository("looked", init), "cat"),
        f"an agent's make, both hooks, {MANY} files": make.hook_command(
            make.repository("many", init, count=MANY), "make"
        ),
        f"the same with git's cache, {MANY} files": make.hook_command(
            make.repository("cached", init, *CACHE, count=MANY), "make"
        ),
        "a running server, an exact edit": make.serve(make.repository("served")),
        f"git log -p, {COMMITS} commits": make.over_history("git", "log", "-p"),
        f"hkgit verify, {COMMITS} commits": make.over_history("hkgit", "verify"),
    }
    return jobs | list_peers(make, init) if has_peers else jobs


def list_peers(make: Jobs, init: tuple[str, ...]) -> dict[str, Job]:
    """The jobs of what people would use instead."""
    config = ".pre-commit-config.yaml"
    install = ("pre-commit", "install")
    empty = make.repository("empty", install, files={config: EMPTY})
    framed = make.repository("framed", init, install, files={config: "repos: []\n"})
    sessions = make.repository("sessions", init, install, files={config: "repos: []\n"})
    hooked = make.repository("hooked")
    (hooked / ".git/hooks/pre-commit").write_text(TRAILING)
    (hooked / ".git/hooks/pre-commit").chmod(0o755)
    return {
        "git commit, pre-commit with an empty hook": make.commit(empty),
        "git commit, pre-commit with hkgit's, a person's": make.commit(framed),
        "git commit, pre-commit with hkgit's, a session's": make.commit_session(sessions),
        "git commit, one hook of pre-commit-hooks": make.commit(hooked),
    }
