"""What an earlier wording of hkgit wrote is known by its own hash, and renewed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hkgit.gate.trusted_policy import CONFIG
from hkgit.text.hashes import add_stamp
from tests.support.commands import hkgit
from tests.support.repos import Repo
from tests.workflows.setup.initiating import files_of, init_steps

HOOK = ".git/hooks/commit-msg"


def write_hook(repo: Repo, *, extra: str = "") -> str:
    text = add_stamp("#!/bin/sh\n# as it was worded once\n\npython=''\nexec hkgit gate --once\n")
    path = repo.write(HOOK, text.replace("python=''", "python=/old/python") + extra)
    path.chmod(0o755)
    return HOOK


def write_policy(repo: Repo, *, extra: str = "") -> str:
    repo.write(
        CONFIG, add_stamp("# As it was worded once.\n\n[gate]\n# mode = 'enforce'\n") + extra
    )
    return CONFIG


WRITERS = [write_hook, write_policy]


@pytest.mark.parametrize("write", WRITERS)
def test_init_renews_it_and_takes_it_away(repo: Repo, write: Callable[..., str]) -> None:
    name = write(repo)

    assert init_steps(repo)[name] == "wrote"
    renewed = files_of(repo)
    assert b"once" not in renewed[name]
    assert init_steps(repo)[name] == "kept"
    assert files_of(repo) == renewed

    write(repo)
    hkgit(repo, "init", "--remove")
    assert b"hkgit" not in files_of(repo).get(name, b"")


@pytest.mark.parametrize("write", WRITERS)
def test_what_somebody_changed_since_stays(repo: Repo, write: Callable[..., str]) -> None:
    name = write(repo, extra="# mine\n")
    before = files_of(repo)[name]

    assert init_steps(repo)[name] == "kept"
    assert files_of(repo)[name] == before
    assert init_steps(repo, "--remove")[name] == "kept"
    assert files_of(repo)[name] == before


def test_doctor_names_an_earlier_hook_as_hkgits_own(repo: Repo) -> None:
    write_hook(repo)
    assert "hook         commit-msg: hkgit\n" in hkgit(repo, "doctor")
    write_hook(repo, extra="npm test\n")
    assert "hook         commit-msg: calls hkgit\n" in hkgit(repo, "doctor")
