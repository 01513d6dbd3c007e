"""The lines that `hkgit init` writes for pre-commit, run by pre-commit and by prek."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping

import pytest

from hkgit.gate.entrypoints.hook_scripts import HOOKS
from tests.support.commands import ROOT
from tests.support.repos import Repo
from tests.support.running import run, script

AGENT = {"GIT_AUTHOR_NAME": "Claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}
PATH = os.pathsep.join((str(script("hkgit").parent), os.environ["PATH"]))


def call(repo: Repo, *command: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """How a command ends with the programs of this environment on PATH, and what it says."""
    environment = os.environ | {"PATH": PATH} | dict(env or {})
    done = subprocess.run(command, cwd=repo.path, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


PROGRAMS = ["pre-commit", pytest.param("prek", marks=pytest.mark.slow)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_framework_records_and_judges(repo: Repo, program: str) -> None:
    if not script(program).exists():
        pytest.skip(f"{program} is not installed here")
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": "repos: []\n"}, "Begin")
    run("init", cwd=repo.path)
    assert call(repo, program, "install", *(f"-t{name}" for name in HOOKS))[0] == 0
    assert len(repo.read(".pre-commit-config.yaml").splitlines()) < 16
    repo.git("add", "-A")
    assert call(repo, "git", "commit", "-q", "-m", "Guard")[0] == 0
    assert f"pre-commit: run by {program}" in run("doctor", cwd=repo.path).out

    run("read", "a.txt", "--session", "s", cwd=repo.path)
    run("edit", "--session", "s", "--file", "a.txt", "--old", "two", "--new", "2", cwd=repo.path)
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Say 2", env=AGENT)
    assert (code, run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code) == (0, 0), said

    repo.write("a.txt", "one\nthree\n")
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Blind", env=AGENT)
    assert (code, "blind commit" in said) == (1, True)


NAMED = """\
repos:
- repo: {}
  rev: v1
  hooks:
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_framework_runs_the_published_hooks(
    repo: Repo, make_repo: Callable[[str], Repo], program: str
) -> None:
    """With the hkgit on PATH: to install another would take a network."""
    if not script(program).exists():
        pytest.skip(f"{program} is not installed here")
    published = make_repo("published")
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    published.commit({".pre-commit-hooks.yaml": manifest})
    published.git("tag", "v1")
    ids = re.findall(r"^- id: (.*)$", manifest, re.MULTILINE)
    hooks = "".join(f"  - {{id: {id}, language: system}}\n" for id in ids)
    config = NAMED.format(published.path) + hooks
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": config}, "Begin")
    assert call(repo, program, "install", *(f"-t{name}" for name in HOOKS))[0] == 0

    run("read", "a.txt", "--session", "s", cwd=repo.path)
    run("edit", "--session", "s", "--file", "a.txt", "--old", "two", "--new", "2", cwd=repo.path)
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Say 2", env=AGENT)
    assert (code, run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code) == (0, 0), said

    repo.write("a.txt", "one\nthree\n")
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Blind", env=AGENT)
    assert (code, "blind commit" in said) == (1, True)


def test_the_lines_for_preks_own_configuration_work_where_they_are_added(repo: Repo) -> None:
    if not script("prek").exists():
        pytest.skip("prek is not installed here")
    theirs = '[[repos]]\nrepo = "meta"\nhooks = [{ id = "identity" }]\n'
    repo.commit({"a.txt": "one\n", "prek.toml": theirs}, "Begin")
    said = run("init", cwd=repo.path)
    assert (said.code, repo.read("prek.toml").decode()) == (7, theirs)
    lines = said.out.partition("add to its end:\n")[2].partition("\n]\n")[0] + "\n]\n"
    repo.write("prek.toml", theirs + lines)
    again = run("init", cwd=repo.path)
    assert (again.code, "runs hkgit gate already" in again.out) == (0, True)
    command = again.out.partition("run: ")[2].splitlines()[0]
    assert call(repo, *command.split())[0] == 0
    assert "pre-commit: run by prek" in run("doctor", cwd=repo.path).out

    repo.write("a.txt", "two\n")
    code, said_by_gate = call(repo, "git", "commit", "-q", "-a", "-m", "Blind", env=AGENT)
    assert (code, "blind commit" in said_by_gate) == (1, True)


def test_a_hook_without_hkgit_says_how_to_take_it_out(repo: Repo) -> None:
    run("init", cwd=repo.path)
    for hook in (repo.path / ".git/hooks").glob("*"):
        text = hook.read_text()
        line = next((each for each in text.splitlines() if each.startswith("python=")), "")
        hook.write_text(text.replace(line, "python=''") if line else text)
    repo.git("add", "-A")
    bare = {"PATH": "/usr/bin:/bin"}
    code, said = call(repo, "git", "commit", "-q", "-m", "x", env=bare)
    assert code == 1
    command = said.partition("To take its hooks out: ")[2].splitlines()[0]
    assert call(repo, "sh", "-c", command)[0] == 0
    assert call(repo, "git", "commit", "-q", "-m", "x", env=bare)[0] == 0
