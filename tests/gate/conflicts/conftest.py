"""conftest.py: a repository in which an edit is stale, and the desk of the agent that tries it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from hkgit.dialects import parse
from hkgit.gate.conflicts.records import ConflictRecord
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.git.repository import Repository
from hkgit.workflows.apply import ApplyRequest, apply
from hkgit.workflows.commits.targets import ApplyOptions
from tests.support.repos import Repo
from tests.support.running import range_hash

FILE = "poem.txt"
POEM = b"".join(b"verse %d\n" % number for number in range(1, 41))


@dataclass
class Desk:
    """An agent at work on a repository, as `hkgit apply` does it but in this process."""

    repo: Repo
    agent: str = "codex/1"
    said: list[str] = field(default_factory=list)

    def replace(self, start: int, end: int, new: str, rev: str = "HEAD") -> dict[str, object]:
        """An edit of the file's lines as a revision has them."""
        data = self.repo.show(rev, FILE)
        return {
            "op": "replace_range",
            "path": FILE,
            "start_line": start,
            "end_line": end,
            "expected_hash": range_hash(data, start, end),
            "new_text": new,
        }

    def apply(self, *operations: dict[str, object], base: str | None = None) -> bool:
        """Whether a spec lands; where it does not, its conflicts are noted."""
        document = {"version": "1", "operations": list(operations)}
        spec = replace(parse(json.dumps(document)), digest="d" * 64)
        repository = Repository.discover(self.repo.path)
        result = apply(repository, ApplyRequest((spec,), ApplyOptions(agent=self.agent, base=base)))
        self.said = list(result.conflicts)
        return bool(result.landed)

    @property
    def open(self) -> list[ConflictRecord]:
        """The open conflicts."""
        return list(ConflictStore.of(self.repo.path / ".git"))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """The conflicts that the entry of the last commit claims."""
        [path] = self.repo.git(
            "show", "--format=", "--name-only", "HEAD", "--", ".hkgit/ledger"
        ).splitlines()
        claims: dict[str, list[dict[str, Any]]] = json.loads(self.repo.show("HEAD", path))["claims"]
        return claims["conflicts"]

    @property
    def consults(self) -> list[Path]:
        """The CONSULTs of the work tree."""
        return sorted((self.repo.path / ".hkgit/consult").glob("*.json"))


@pytest.fixture
def desk(repo: Repo) -> Desk:
    """The poem, and a line of it that somebody has changed since it was read."""
    repo.commit({"poem.txt": POEM, ".hkgit/config.toml": "[consult]\n"}, "Write")
    repo.git("tag", "read")
    changed = POEM.replace(b"verse 10\n", b"verse ten\n").replace(b"verse 1\n", b"title\nverse 1\n")
    repo.commit({"poem.txt": changed}, "Spell the tenth verse")
    repo.commit({"other.txt": "x\n"}, "Elsewhere")
    return Desk(repo)
