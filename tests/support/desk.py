"""desk.py: an agent that edits a poem with `hkgit apply`, in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from hkgit.dialects import parse
from hkgit.evidence.refusal_log import Consult, RefusalLog
from hkgit.workflows.application import apply
from hkgit.workflows.target import ApplyRequest
from tests.support.objects import open_repository
from tests.support.repos import Repo
from tests.support.running import range_hash

FILE = "poem.txt"


@dataclass
class Desk:
    """The agent, and what was said of the conflicts that its last edit met."""

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

    def spec(self, *operations: dict[str, object]) -> str:
        return json.dumps({"version": "1", "agent": self.agent, "operations": list(operations)})

    def apply(self, *operations: dict[str, object]) -> bool:
        """Whether a spec lands."""
        spec = replace(parse(self.spec(*operations)), digest="d" * 64)
        request = ApplyRequest((spec,), agent=self.agent)
        result = apply(open_repository(self.repo), request)
        self.said = list(result.conflicts)
        return bool(result.landed)

    @property
    def consults(self) -> list[Consult]:
        return RefusalLog.of(self.repo.path / ".git").find_consults()
