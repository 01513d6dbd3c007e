"""The plain hooks as files: where they come from and how they find hkgit."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import ALL_HOOKS, MARK, is_own, render_script
from hkgit.git.facts import calls_gate
from hkgit.workflows.setup.framework import render_manifest
from tests.support.commands import ROOT, hkgit, start
from tests.support.repos import Repo

BLIND = {"GIT_AUTHOR_NAME": "claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}


def _without_hkgit() -> dict[str, str]:
    """A PATH with everything but hkgit."""
    kept = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if shutil.which("hkgit", path=folder) is None
    ]
    return {"PATH": os.pathsep.join(kept)}


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_the_published_hook_is_the_one_that_init_writes(name: str) -> None:
    assert (ROOT / "hooks" / name).read_bytes() == render_script(name)


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_the_published_hook_is_executable(name: str) -> None:
    mode = start("git", "ls-files", "--stage", f"hooks/{name}", cwd=ROOT).stdout[:6]
    assert mode == "100755"


def test_the_published_manifest_is_made_of_the_same_lines_as_the_local_hooks() -> None:
    assert (ROOT / ".pre-commit-hooks.yaml").read_text() == render_manifest()


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_a_hook_carries_its_mark_on_a_line_of_its_own(name: str) -> None:
    assert MARK in render_script(name).decode().splitlines()


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_a_hook_is_known_as_own_whichever_interpreter_is_recorded(name: str) -> None:
    assert is_own(name, render_script(name, Path("/somewhere/it's here/python")))


@pytest.mark.parametrize("name", ALL_HOOKS)
def test_a_hook_with_another_line_is_no_longer_own(name: str) -> None:
    assert not is_own(name, render_script(name) + b"echo done\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"#!/bin/sh\nhkgit gate --staged || exit 1\n", True, id="called"),
        pytest.param(b"#!/bin/sh\n# hkgit gate\n", False, id="in a comment"),
        pytest.param(b"#!/bin/sh\nnpx lint-staged\n", False, id="absent"),
    ],
)
def test_a_hook_of_somebody_else_is_searched_for_a_call(content: bytes, expected: bool) -> None:
    assert calls_gate(content) is expected


def test_a_hook_fails_closed_where_there_is_no_hkgit(native: Repo) -> None:
    hook = native.write(".git/hooks/pre-commit", render_script("pre-commit"))

    done = start("sh", str(hook), cwd=native.path, env=_without_hkgit())

    assert done.returncode != 0
    assert "hkgit is not on PATH" in done.stderr


def test_a_hook_without_hkgit_on_path_runs_the_recorded_interpreter(native: Repo) -> None:
    native.write("app.py", "one\n2\nthree\n")
    native.git("add", "-A")
    hook = native.path / ".git/hooks/pre-commit"

    done = start("sh", str(hook), cwd=native.path, env=_without_hkgit() | BLIND)

    assert "is an agent" in done.stdout


def test_the_recorded_interpreter_never_runs_a_judge_from_the_repository(native: Repo) -> None:
    native.write("hkgit/__main__.py", "print('nothing to see')\n")
    native.write("hkgit/__init__.py", "")
    native.git("add", "-A")
    hook = native.path / ".git/hooks/pre-commit"

    done = start("sh", str(hook), cwd=native.path, env=_without_hkgit() | BLIND)

    assert "is an agent" in done.stdout


def test_the_hooks_in_a_work_tree_name_no_interpreter(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".githooks")

    hkgit(repo, "init")

    assert sys.executable.encode() not in repo.read(".githooks/pre-commit")
