"""The lines that `hkgit init` writes for pre-commit, run by pre-commit and by prek."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

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


def need(program: str) -> None:
    if not script(program).exists():
        pytest.skip(f"{program} is not installed here")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_framework_records_and_judges(repo: Repo, program: str) -> None:
    need(program)
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": "repos: []\n"}, "Begin")
    run("init", cwd=repo.path)
    assert call(repo, program, "install")[0] == 0
    repo.git("add", "-A")
    assert call(repo, "git", "commit", "-q", "-m", "Guard")[0] == 0
    said = run("doctor", cwd=repo.path).out
    assert f"pre-commit: run by {program}" in said
    assert "commit-msg: hkgit" in said
    assert "missing" not in said
    _expect_judged(repo)


COUNTING = """\
{types}repos:
- repo: local
  hooks:
  - id: count
    name: count
    entry: sh -c 'echo ran >>.git/ran'
    language: system
    always_run: true
    pass_filenames: false
"""


def count_runs(repo: Repo) -> int:
    """How often the team's own hook runs in a commit of a session, which passes."""
    (repo.path / ".git/ran").write_text("")
    line = repo.read("a.txt").decode().splitlines()[1]
    run("read", "a.txt", "--session", "s", cwd=repo.path)
    words = ("--file", "a.txt", "--old", line, "--new", f"{line} more")
    run("edit", "--session", "s", *words, cwd=repo.path)
    code, said = call(repo, "git", "commit", "-q", "-a", "-m", "More")
    assert code == 0, said
    return (repo.path / ".git/ran").read_text().count("ran")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("types", "times"),
    [
        pytest.param("", 1, id="at pre-commit"),
        pytest.param(
            "default_install_hook_types: [pre-commit, commit-msg, post-commit]\n",
            3,
            id="at three stages",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_teams_hooks_run_as_often_as_before_also_when_hkgit_is_gone(
    repo: Repo, program: str, types: str, times: int
) -> None:
    need(program)
    config = COUNTING.format(types=types)
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": config}, "Begin")
    assert call(repo, program, "install")[0] == 0
    assert count_runs(repo) == times

    run("init", cwd=repo.path)
    assert call(repo, program, "install")[0] == 0
    assert "missing" not in run("doctor", cwd=repo.path).out
    repo.git("add", "-A")
    repo.git("commit", "-q", "-n", "-m", "Guard")
    assert count_runs(repo) == times
    assert "Hkgit-Entry: " in repo.git("log", "-1", "--format=%B")

    run("init", "--remove", cwd=repo.path)
    assert repo.read(".pre-commit-config.yaml").decode() == config
    repo.git("commit", "-q", "-n", "-a", "-m", "Without")
    assert count_runs(repo) == times
    assert "Hkgit-Entry: " not in repo.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("config", [".pre-commit-config.yaml", "prek.toml"])
def test_a_colleague_without_hkgit_commits_as_ever(
    repo: Repo, tmp_path: Path, program: str, config: str
) -> None:
    need(program)
    if (program, config) == ("pre-commit", "prek.toml"):
        pytest.skip("only prek reads it")
    text = "repos: []\n" if config.endswith("yaml") else ""
    repo.commit({"a.txt": "one\n", config: text}, "Begin")
    assert config in run("init", cwd=repo.path).out
    repo.git("add", "-A")
    repo.git("commit", "-q", "-n", "-m", "Guard")
    repo.git("clone", "-q", ".", str(tmp_path / "colleague"))
    colleague = Repo(tmp_path / "colleague")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / program).symlink_to(script(program))
    bare = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    assert call(colleague, program, "install", env=bare)[0] == 0
    colleague.write("a.txt", "two\n")
    code, said = call(colleague, "git", "commit", "-q", "-a", "-m", "Two", env=bare)
    assert code == 0, said


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
    need(program)
    published = make_repo("published")
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    published.commit({".pre-commit-hooks.yaml": manifest})
    published.git("tag", "v1")
    ids = re.findall(r"^- id: (.*)$", manifest, re.MULTILINE)
    page = (ROOT / "docs/gate-setup.md").read_text("utf-8")
    advised = re.search(
        r"^default_install_hook_types: .*\ndefault_stages: .*\n", page, re.MULTILINE
    )
    assert advised is not None
    assert ids == re.findall(r"^  - id: (.*)$", page, re.MULTILINE)
    hooks = "".join(f"  - {{id: {id}, language: system}}\n" for id in ids)
    theirs = COUNTING.format(types="").removeprefix("repos:\n")
    config = advised[0] + NAMED.format(published.path) + hooks + theirs
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": config}, "Begin")
    assert call(repo, program, "install")[0] == 0
    assert count_runs(repo) == 1
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


def test_doctor_names_what_is_missing_and_how_to_get_it(repo: Repo) -> None:
    need("pre-commit")
    config = "default_install_hook_types: [pre-push]\nrepos: []\n"
    repo.commit({".pre-commit-config.yaml": config}, "Begin")
    run("init", cwd=repo.path)
    assert call(repo, "pre-commit", "install")[0] == 0
    for name in ("pre-commit.hkgit", "commit-msg"):
        (repo.path / ".git/hooks" / name).unlink()
    for _ in range(3):
        missing = [
            line.partition(": ")[2]
            for line in run("doctor", cwd=repo.path).out.splitlines()
            if line.startswith("missing")
        ]
        for command in missing:
            assert call(repo, *command.split())[0] == 0
    said = run("doctor", cwd=repo.path).out
    assert "missing" not in said
    assert "pre-commit: run by pre-commit" in said
    assert "pre-push: run by pre-commit" in said
    assert "commit-msg: hkgit" in said
