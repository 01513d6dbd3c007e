"""What an older hkgit installed is known as own: renewed by `init`, taken back by `--remove`."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from hkgit.gate.entrypoints.hook_scripts import ALL_HOOKS, HOOKS, is_own, render_script
from hkgit.workflows.setup import framework
from hkgit.workflows.setup.framework_hooks import FORMERS
from tests.support.commands import hkgit, start
from tests.support.repos import Repo

FORMER = Path(__file__).parent / "former"
YAML = ".pre-commit-config.yaml"
REST = "repos:\n  - repo: meta\n    hooks:\n      - id: identity\n"


@pytest.fixture
def older(repo: Repo) -> Path:
    """The pre-push hook of an older hkgit, with the interpreter that it recorded."""
    text = (FORMER / "pre-push").read_text()
    repo.write_hook("pre-push", "").write_text(text.replace("python=''", "python=/usr/bin/python"))
    return repo.path / ".git/hooks/pre-push"


def test_an_older_hook_is_renewed(repo: Repo, older: Path) -> None:
    hkgit(repo, "init")
    assert b"gate --quiet --pre-push" in older.read_bytes()


def test_an_older_hook_is_taken_back(repo: Repo, older: Path) -> None:
    hkgit(repo, "init", "--remove")
    assert not older.exists()


def test_an_older_hook_with_another_line_is_somebodys(repo: Repo, older: Path) -> None:
    older.write_text(older.read_text() + "npm test\n")
    hkgit(repo, "init", "--remove")
    assert older.exists()


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_the_shell_understands_each_hook(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(render_script(name))
    assert start("sh", "-n", name, cwd=tmp_path).returncode == 0


def test_an_older_hook_is_known_by_its_own_name_only() -> None:
    assert not is_own("commit-msg", (FORMER / "pre-push").read_bytes())


def test_older_lines_of_the_framework_are_renewed(repo: Repo) -> None:
    repo.write(YAML, (FORMER / "pre-commit-config.yaml").read_text())

    hkgit(repo, "init")

    assert b"PRE_COMMIT_TO_REF" not in repo.read(YAML)
    assert repo.read(YAML).count(b"id: hkgit-gate-push") == 1


def test_hooks_that_only_record_are_renewed(repo: Repo) -> None:
    entry = framework.render_local_entry(HOOKS, FORMERS[-1])
    block = indent(f"{framework.BEGIN}\n{entry}{framework.END}\n", "  ")
    repo.write(YAML, REST.replace("repos:\n", f"repos:\n{block}"))
    assert repo.read(YAML).count(b"hkgit record --staged") == 1

    hkgit(repo, "init")

    assert b"hkgit record --staged" not in repo.read(YAML)
    assert repo.read(YAML).count(b"hkgit gate --record --staged") == 1


def test_older_lines_of_the_framework_are_taken_back(repo: Repo) -> None:
    repo.write(YAML, (FORMER / "pre-commit-config.yaml").read_text())

    hkgit(repo, "init", "--remove")

    assert repo.read(YAML).decode() == REST
