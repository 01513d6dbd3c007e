"""The command under a rejection mends it: carried out, the gate lets the rest pass."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hkgit.audit.reports.fix import mend
from hkgit.edits import File
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from tests.audit.reports.conftest import History, judged
from tests.support.commits import AGENT, Change, commit
from tests.support.repos import Repo
from tests.support.running import script

TAKES_LATE = '[gate]\naccept = ["hash", "receipt", "late"]\n'


def _carry_out(repo: Repo, command: str) -> None:
    path = os.pathsep.join((str(script("hkgit").parent), os.environ["PATH"]))
    env = os.environ | {"PATH": path}
    subprocess.run(command, shell=True, cwd=repo.path, check=True, capture_output=True, env=env)


def list_rejected(repo: Repo, start: str) -> list[Ruling]:
    policy = Policy(accept=("hash", "receipt", "late"))
    found = judged(repo, start, policy=policy).report.rulings
    return [ruling for ruling in found if not ruling.passes]


@pytest.mark.parametrize("name", ["blind edit", "blind commit", "removed"])
def test_a_commit_is_made_again_and_what_stands_on_it_stays(
    history: History, tmp_path: Path, name: str
) -> None:
    repo = Repo(tmp_path / "repo")
    shutil.copytree(history.repo.path, repo.path)
    repo.git("checkout", "-q", "-B", "main", f"{history.commits[name]}^")
    start = repo.commit({".hkgit/config.toml": TAKES_LATE}, "Take it")
    repo.git("cherry-pick", history.commits[name])
    commit(repo, Change({"later.md": File(b"x\n")}, author="Ada <ada@example.org>"))
    rejected = list_rejected(repo, start)
    _carry_out(repo, mend(rejected[0]))
    assert list_rejected(repo, start) == []
    assert repo.read("later.md") == b"x\n"


def test_a_merge_is_made_again(repo: Repo) -> None:
    start = repo.commit({"a.md": "x\n", ".hkgit/config.toml": TAKES_LATE}, "Begin")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"b.md": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"c.md": "x\n"})
    repo.git("merge", "-q", "--no-commit", "side")
    repo.write("evil.md", "x\n")
    repo.commit({}, "Merge", f"--author={AGENT}")
    [rejected] = list_rejected(repo, start)
    _carry_out(repo, mend(rejected))
    parents = repo.git("log", "-1", "--format=%p", "HEAD^").split()
    assert list_rejected(repo, start) == []
    assert len(parents) == 2
    assert repo.read("evil.md") == b"x\n"
