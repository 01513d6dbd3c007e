"""Play a scenario with an agent, and say what the gate says of each of its commits."""

import json
import re
import shlex
import sys
from itertools import chain
from pathlib import Path

from tests.agents.real.programs import PROMPT, Program
from tests.agents.real.sandbox import PROJECT, Run, Sandbox
from tests.agents.real.scenarios import ACP, BLIND, FILES, STRICT, Commit, Scenario

FAILS = re.compile(r"policy fails: (.*)")
BROKEN = {"failing": "exit 2", "hanging": "sleep 300"}


def play(program: Program, scenario: Scenario, folder: Path) -> dict[str, str]:
    """What came of each commit of a scenario: `as wanted`, or what came instead."""
    sandbox = Sandbox(folder=folder, program=program)
    sandbox.prepare(FILES)
    sandbox.run("hkgit", "init")
    if scenario.mode != ACP or scenario.has_hooks:
        _connect(sandbox, "record" if scenario.has_hooks else scenario.mode)
    if scenario.has_user_hooks:
        done = sandbox.run("hkgit", "init", "--agent", program.name, "--user")
        assert done.returncode == 0, done.stderr
    sandbox.run("git", "add", "-A")
    sandbox.run("git", "commit", "-qm", "Seed")
    run = sandbox.drive(
        scenario.turns,
        hkgit=_tools(sandbox, scenario.hkgit),
        directory=scenario.directory,
        command=_command(sandbox, scenario),
        beside=scenario.beside,
    )
    # Programs add to settings of their own (a schema, a version); that is no part of the work.
    return {each.name: _judge(sandbox, scenario, each, run) for each in scenario.commits}


def _connect(sandbox: Sandbox, mode: str) -> None:
    """Do as a person would who reads what `hkgit init` says."""
    program = sandbox.program
    done = sandbox.run("hkgit", "init", "--agent", program.name, "--mode", mode)
    assert done.returncode == 0, done.stderr
    if program.approval:
        assert shlex.join(program.approval) in done.stdout
        sandbox.run(*program.approval)
    assert shlex.join(program.server) in done.stdout
    assert program.advice in done.stdout


def _command(sandbox: Sandbox, scenario: Scenario) -> list[str]:
    """How the agent is started; through an editor and the proxy where that is what is tried."""
    program = sandbox.program
    if scenario.mode != ACP:
        automatic = () if scenario.is_asking else program.automatic
        prompt = program.attached if scenario.is_attaching else (PROMPT,)
        words = chain.from_iterable(prompt if x == PROMPT else (x,) for x in program.command)
        scripting = program.scripting if scenario.is_scripted else ()
        return [*words, *automatic, *scripting, *program.server]
    editor = ["env", f"PYTHONPATH={PROJECT}", sys.executable, "-m", "tests.agents.real.editor"]
    return [*editor, str(sandbox.repo), "hkgit", "acp", "--", *program.acp]


def _tools(sandbox: Sandbox, hkgit: str) -> Path | None:
    """The folder in which the agent finds hkgit, or what is put in its place."""
    if hkgit == "there":
        return sandbox.folder / "bin"
    if hkgit == "absent":
        return None
    broken = sandbox.folder / "broken"
    broken.mkdir()
    real = sandbox.folder / "bin/hkgit"
    text = f'[ "$1" = hook ] || exec {real} "$@"\n{BROKEN[hkgit]}\n'
    (broken / "hkgit").write_text(f"#!/bin/sh\n{text}")
    (broken / "hkgit").chmod(0o755)
    return broken


def _judge(sandbox: Sandbox, scenario: Scenario, commit: Commit, run: Run) -> str:
    wanted = commit.wanted
    if commit.unless_seen and run.has_heard(commit.unless_seen):
        wanted = STRICT
    if not run.model:
        return "the agent never asked its model"
    if wanted == "edited":
        return _judge_change(sandbox, commit, run)
    said = _commit(sandbox, scenario, commit)
    if said == wanted == STRICT and commit.entries:
        named = sandbox.run("git", "log", "-1", "--format=%(trailers:key=Hkgit-Entry)").stdout
        found = named.count("Hkgit-Entry")
        return "as wanted" if found == commit.entries else f"{found} entries"
    if said == wanted == BLIND and commit.heard and not run.has_heard("blind"):
        return "the model is not told"
    return "as wanted" if said == wanted else said


def _judge_change(sandbox: Sandbox, commit: Commit, run: Run) -> str:
    """Whether the agent's own tools did what they were told, in a time that nobody notices."""
    if not sandbox.run("git", "status", "--porcelain", "--", *commit.paths).stdout:
        return "not edited"
    most = sandbox.program.seconds / 2
    return "as wanted" if run.seconds < most else f"edited after {run.seconds:.0f} s"


def _commit(sandbox: Sandbox, scenario: Scenario, commit: Commit) -> str:
    """The verdict of a commit of these files; why there is none."""
    if not scenario.is_committing:
        sandbox.run("git", "add", "--", *commit.paths)
        if not sandbox.run("git", "diff", "--cached", "--name-only").stdout:
            return "not edited"
        done = sandbox.run("git", "commit", "-m", commit.name)
        if done.returncode:
            sandbox.run("git", "reset", "-q")
            found = FAILS.search(done.stdout + done.stderr)
            return f"refused: {found[1]}" if found else "refused"
    elif sandbox.run("git", "rev-list", "--count", "HEAD").stdout.strip() == "1":
        return "refused"
    if sandbox.run("git", "symbolic-ref", "-q", "HEAD").returncode:
        return "HEAD is left detached"
    shown = json.loads(sandbox.run("hkgit", "show", "HEAD", "--json").stdout)
    return str(shown["replay"])
