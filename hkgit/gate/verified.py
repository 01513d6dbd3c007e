"""verified.py: remember which commits were verified, under this policy, by this hkgit.

A file in the git directory for `hkgit verify --incremental` alone: no hook and no server reads
it. It is used only if nobody but the user can have written it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hkgit import __version__
from hkgit.evidence.ledger.canonical import digest
from hkgit.evidence.replay.findings import Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.rulings import Ruling, is_of_one_ref
from hkgit.git import program
from hkgit.git.repository import Repository
from hkgit.matching.places import LADDER_VERSION
from hkgit.values import dataclass

_LINE = re.compile(r"([0-9a-f]{40,64}) ([a-z]+)\Z")
_FROM_REFS = frozenset(
    {Verdict.ATTESTED, Verdict.RECOVERED, Verdict.VOUCHED, Verdict.UNVERIFIABLE, Verdict.FAIL}
)
"""Verdicts that may change with time, or say who vouches: refs move and objects are fetched."""


@dataclass(frozen=True, slots=True)
class VerifiedCommits:
    """The verified commits of one policy, ladder, hkgit and git."""

    path: Path

    @classmethod
    def of(cls, repository: Repository, policy: Policy) -> VerifiedCommits:
        """Open what is known in a repository under everything that a verdict depends on."""
        parts = (repr(policy), LADDER_VERSION, __version__, program.read_version())
        name = digest(repr(parts).encode())
        return cls(repository.common_dir / "hkgit" / "verified" / name)

    def verdicts(self, commits: Sequence[str]) -> dict[str, Verdict]:
        """Look up the verdicts of those of some commits that passed before."""
        if not self._is_own():
            return {}
        wanted = set(commits)
        lines = map(_LINE.match, self.path.read_text("ascii", "replace").splitlines())
        return {
            found[1]: Verdict(found[2])
            for found in lines
            if found is not None and found[1] in wanted and found[2] in set(Verdict)
        }

    def add(self, rulings: Iterable[Ruling]) -> None:
        """Note what has passed by its history alone."""
        lines = [
            f"{each.judged.candidate.id} {each.judged.verdict}\n"
            for each in rulings
            if each.passes
            and each.judged.verdict not in _FROM_REFS
            and not is_of_one_ref(each)
            and each.rule != "break-glass"
        ]
        if self.path.exists() and not self._is_own():
            self.path.unlink()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(self.path, flags, 0o600), "a", encoding="ascii") as file:
            file.write("".join(lines))

    def _is_own(self) -> bool:
        if not hasattr(os, "geteuid") or not self.path.is_file() or self.path.is_symlink():
            return False
        status = self.path.stat()
        return status.st_uid == os.geteuid() and status.st_mode & 0o022 == 0
