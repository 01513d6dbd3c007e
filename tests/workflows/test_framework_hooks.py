"""The hooks of hkgit beside those of a framework: pre-commit and prek run them first."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, FRAMEWORK_CONFIG, ROOT, start
from tests.support.repos import Repo
from tests.support.running import run, script
from tests.support.serving import preload_hooks


def call(repo: Repo, *command: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """How a command ends, and what it says."""
    done = start(*command, cwd=repo.path, env=env)
    return done.returncode, done.stdout + done.stderr


def init(repo: Repo) -> None:
    assert run("init", cwd=repo.path).code == 0
    preload_hooks(repo)


pytestmark = pytest.mark.usefixtures("framework_home")

PROGRAMS = ["pre-commit", pytest.param("prek", marks=pytest.mark.slow)]


def need(program: str) -> None:
    if not script(program).exists():
        pytest.skip(f"{program} is not installed here")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("order", [1, -1], ids=["hkgit first", "the framework first"])
def test_a_framework_records_and_judges(repo: Repo, program: str, order: int) -> None:
    need(program)
    repo.commit({"a.txt": "one\ntwo\n", ".pre-commit-config.yaml": FRAMEWORK_CONFIG}, "Begin")
    if order > 0:
        init(repo)
    assert call(repo, program, "install")[0] == 0
    if order < 0:
        init(repo)
    assert repo.read(".pre-commit-config.yaml") == FRAMEWORK_CONFIG.encode()
    repo.git("add", "-A")
    repo.git("commit", "-q", "-n", "-m", "Guard")
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

    init(repo)
    assert "missing" not in run("doctor", cwd=repo.path).out
    repo.git("add", "-A")
    repo.git("commit", "-q", "-n", "-m", "Guard")
    assert count_runs(repo) == times
    assert repo.git("log", "-1", "--format=%B").count("Hkgit-Entry: ") == 1
    assert repo.status() == []

    run("init", "--remove", cwd=repo.path)
    assert repo.read(".pre-commit-config.yaml").decode() == config
    repo.git("commit", "-q", "-n", "-a", "-m", "Without")
    assert count_runs(repo) == times
    assert "Hkgit-Entry: " not in repo.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_colleague_without_hkgit_commits_as_ever(
    repo: Repo, tmp_path: Path, program: str
) -> None:
    need(program)
    repo.commit({"a.txt": "one\n", ".pre-commit-config.yaml": FRAMEWORK_CONFIG}, "Begin")
    run("init", cwd=repo.path)
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
    code, said = call(repo, "git", "commit", "-q", "-m", "Say 2", "--", "a.txt", env=AGENT)
    assert code == 0, said
    assert "nstaged" not in said  # the framework finds the entries in the checkout, too
    assert run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code == 0, said
    assert repo.git("log", "-1", "--format=%B").count("Hkgit-Entry:") == 1
    assert repo.status() == []

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


def test_doctor_names_what_is_missing_and_how_to_get_it(repo: Repo) -> None:
    need("pre-commit")
    repo.commit({".pre-commit-config.yaml": FRAMEWORK_CONFIG}, "Begin")
    run("init", cwd=repo.path)
    assert call(repo, "pre-commit", "install", "--overwrite")[0] == 0
    assert "missing      pre-commit: hkgit init\n" in run("doctor", cwd=repo.path).out
    run("init", cwd=repo.path)
    said = run("doctor", cwd=repo.path).out
    assert "missing" not in said
    assert "pre-commit: run by pre-commit" in said
    assert "commit-msg: hkgit" in said


@cases(
    {
        "id": "repo: https://a.example/x\n  rev: v1\n  hooks: [{id: hkgit-gate}]",
        "call": "repo: local\n  hooks: [{id: x, name: x, entry: hkgit gate, language: system}]",
    },
)
def test_a_configuration_that_runs_the_gate_runs_it_once(entry: str, repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", f"repos:\n- {entry}\n")
    assert (
        "kept    .pre-commit-config.yaml: runs hkgit gate already" in run("init", cwd=repo.path).out
    )
    assert not (repo.path / ".git/hooks/pre-commit").exists()
