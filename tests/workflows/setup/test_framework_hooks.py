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
    _expect_judged(repo)


def _expect_judged(repo: Repo) -> None:
    """Expect that a session's commit passes with its evidence, and that a blind one is refused."""
    run("read", "a.txt", "--session", "s", cwd=repo.path)
    run("edit", "--session", "s", "--file", "a.txt", "--old", "two", "--new", "2", cwd=repo.path)
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Say 2", env=AGENT)
    assert code == 0, said
    assert run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code == 0, said

    repo.write("a.txt", "one\nthree\n")
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "Blind", env=AGENT)
    assert code == 1
    assert "blind commit" in said


NAMED = """\
repos:
- repo: {}
  rev: v1
  hooks:
"""


@pytest.mark.slow
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
    _expect_judged(repo)


def test_preks_own_configuration_gets_a_table_and_loses_it_again(repo: Repo) -> None:
    theirs = '# ours\n[[repos]]\nrepo = "meta"\nhooks = [{ id = "identity" }]\n'
    repo.commit({"a.txt": "one\n", "prek.toml": theirs}, "Begin")
    assert run("init", cwd=repo.path).code == 0
    assert repo.read("prek.toml").decode().startswith(theirs)
    again = run("init", cwd=repo.path)
    assert again.code == 0
    assert "runs hkgit gate already" in again.out
    if script("prek").exists():
        command = again.out.partition("run: ")[2].splitlines()[0]
        assert call(repo, *command.split())[0] == 0
        assert "pre-commit: run by prek" in run("doctor", cwd=repo.path).out
        repo.write("a.txt", "two\n")
        code, said_by_gate = call(repo, "git", "commit", "-q", "-a", "-m", "Blind", env=AGENT)
        assert code == 1
        assert "blind commit" in said_by_gate
    run("init", "--remove", cwd=repo.path)
    assert repo.read("prek.toml").decode() == theirs


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('repos = [{ repo = "meta", hooks = [{ id = "identity" }] }]\n', id="a value"),
        pytest.param("repos = [\n", id="no TOML"),
    ],
)
def test_where_no_table_fits_a_person_is_told_what_to_add(repo: Repo, text: str) -> None:
    repo.commit({"prek.toml": text}, "Begin")
    said = run("init", cwd=repo.path)
    assert said.code == 7
    assert repo.read("prek.toml").decode() == text
    assert "add to its `repos`:\n" in said.out
    assert 'id = "hkgit-gate"' in said.out


def test_windows_lines_stay(repo: Repo) -> None:
    repo.commit({"prek.toml": "fail_fast = true\r\n"}, "Begin")
    run("init", cwd=repo.path)
    assert repo.read("prek.toml").count(b"\n") == repo.read("prek.toml").count(b"\r\n")
    run("init", "--remove", cwd=repo.path)
    assert repo.read("prek.toml") == b"fail_fast = true\r\n"


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


def test_doctor_names_the_hooks_that_a_framework_was_not_told_to_install(repo: Repo) -> None:
    if not script("pre-commit").exists():
        pytest.skip("pre-commit is not installed here")
    config = "default_install_hook_types: [pre-push]\nrepos: []\n"
    repo.commit({".pre-commit-config.yaml": config}, "Begin")
    run("init", cwd=repo.path)
    assert call(repo, "pre-commit", "install")[0] == 0
    missing = run("doctor", cwd=repo.path).out.partition("missing      ")[2].splitlines()[0]
    assert call(repo, *missing.partition(": ")[2].split())[0] == 0
    said = run("doctor", cwd=repo.path).out
    assert "missing" not in said
    assert said.count(": run by pre-commit") == len(HOOKS)
