"""What `hkgit apply` has judged, the gate's hooks do not judge again while it commits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.commands import AGENT, hkgit, replace_line_two
from tests.support.repos import Repo


@pytest.fixture
def refusing(tmp_path: Path) -> dict[str, str]:
    """An environment in which hooks find an hkgit that writes down that it was asked, and says no.

    The `hkgit apply` of a test is not that one.
    """
    program = tmp_path / "bin" / "hkgit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\nexit 1\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def test_no_hook_asks_of_what_apply_has_judged(
    native: Repo, tmp_path: Path, refusing: dict[str, str]
) -> None:
    spec = replace_line_two(native, "TWO\n")
    hkgit(native, "apply", "-", stdin=spec, env=AGENT | refusing)
    assert not (tmp_path / "asked").exists()
    assert native.read("app.py") == b"one\nTWO\nthree\n"


def test_a_message_that_another_hook_has_changed_is_judged(
    native: Repo, tmp_path: Path, refusing: dict[str, str]
) -> None:
    native.write_hook("prepare-commit-msg", 'echo more >>"$1"')
    spec = replace_line_two(native, "TWO\n")
    hkgit(native, "apply", "-", stdin=spec, env=AGENT | refusing, code=7)
    assert "--message-file" in (tmp_path / "asked").read_text()
