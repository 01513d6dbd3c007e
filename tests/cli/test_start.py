"""What the start of a command loads: each process pays for it again."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.repos import Repo

LOADED = """\
import sys
from hkgit.commands.main import run
try:
    run()
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(*sorted(sys.modules), file=sys.stderr)
"""


def loaded(repo: Repo, *args: str) -> set[str]:
    """The modules that a command which succeeds has loaded at its end."""
    command = [sys.executable, "-c", LOADED, *args]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.fixture
def one(repo: Repo) -> Repo:
    repo.commit({"a.py": "x = 1\n"})
    return repo


def test_an_exact_edit_loads_neither_git_nor_the_ledgers_entries_nor_loose_tiers(one: Repo) -> None:
    modules = loaded(one, "edit", "--file", "a.py", "--old", "x = 1", "--new", "x = 2")
    foreign = {
        "pygit2", "rapidfuzz", "rfc8785", "hkgit.git.repository", "hkgit.ledger.entry",
        "hkgit.matching.candidates", "hkgit.matching.hints", "hkgit.dialects.unified_diff",
        "hkgit.gate", "hkgit.conflicts", "html", "secrets",
    }  # fmt: skip
    assert modules & foreign == set()


@pytest.mark.parametrize("args", [("--help",), ("schema", "outcome"), ("completions", "bash")])
def test_what_looks_at_no_repository_loads_none(one: Repo, args: tuple[str, ...]) -> None:
    assert loaded(one, *args) & {"pygit2", "hkgit.edits", "hkgit.document"} == set()


def test_the_gate_loads_no_tier(one: Repo) -> None:
    assert not any("hkgit.matching.ladder" in name for name in loaded(one, "gate", "--staged"))
