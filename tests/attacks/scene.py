"""scene.py: one repository that many attacks are made on, and how it is asked about them.

Commits are made beside HEAD, which stays where it is; so a module of attacks needs one repository.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hkgit.edits import File
from hkgit.gate.entrypoints.arrival import EntryPoint, Update, UpdateResult, choose_trusted_side
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from tests.support.attacks import A, B, governed_repository, honest
from tests.support.commits import (
    AGENT,
    PERSON,
    Change,
    applied,
    commit_tree,
    judge,
    message_of,
    tree_of,
)
from tests.support.objects import open_repository
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo

__all__ = ["AGENT", "PERSON", "A", "B", "Change", "Operation", "protocol", "replace_range"]

GOVERN = {"agents": Policy(), "all": Policy(govern="all")}
"""Both settings; every attack by an agent must be stopped under either."""


@dataclass(frozen=True)
class Scene:
    """A repository with an honest past, whose HEAD never moves."""

    repo: Repo

    @classmethod
    def at(cls, path: Path) -> Scene:
        return cls(governed_repository(Repo.init(path)))

    def honest(self, on: str = "HEAD") -> Change:
        """What an honest agent would commit: lines 5 and 6 of a.py."""
        return replace(honest(self.repo), parents=(on,))

    def applied(self, *operations: Operation, on: str = "HEAD") -> Change:
        """What hkgit makes of operations of the protocol."""
        return replace(applied(self.repo, protocol(*operations), on=on), parents=(on,))

    def commit(self, change: Change, *options: str) -> str:
        """A commit beside HEAD."""
        tree = tree_of(self.repo, change)
        return commit_tree(
            self.repo, tree, change.parents, message_of(change), change.author, *options
        )

    def by_hand(
        self,
        files: dict[str, File | None],
        author: str = AGENT,
        on: str = "HEAD",
        message: str = "Say\n",
    ) -> str:
        """A commit without entries."""
        return self.commit(Change(files, author=author, message=message, parents=(on,)))

    def rule(self, commit: str, policy: Policy) -> str:
        """The rule by which a commit is rejected; that it is, is part of the question."""
        ruling = self.ruling(commit, policy)
        assert not ruling.passes, f"passed by: {ruling.rule}"
        assert ruling.findings[0].fix, "a rejection says what to do"
        return ruling.rule

    def rules(self, commit: str, **more: Any) -> set[str]:
        """The rules by which a commit is rejected under both settings, and more: one, as a rule."""
        return {self.rule(commit, replace(policy, **more)) for policy in GOVERN.values()}

    def passes(self, commit: str, **more: Any) -> bool:
        """Whether a commit passes under both settings, and more."""
        rulings = (self.ruling(commit, replace(policy, **more)) for policy in GOVERN.values())
        return all(ruling.passes for ruling in rulings)

    def ruling(self, commit: str, policy: Policy) -> Ruling:
        return judge(self.repo, commit, policy)

    def answer(self, ref: str, new: str, policy: Policy | None = None) -> UpdateResult:
        """What a server says of a new ref for this object; a policy given is the server's own."""
        repository = open_repository(self.repo)
        side = choose_trusted_side(repository, [ref], None, self.repo.head, policy)
        point, update = EntryPoint(repository, on_server=True), Update(ref, None, new)
        [answer] = point.answer_each([update], lambda _: side, policy)
        return answer


Attack = Callable[[Scene], str]
"""Makes a commit that should not pass, and names it."""


@cache
def falsified(scene: Scene, falsify: Callable[[Change], None]) -> str:
    """The commit of an honest change that somebody has tampered with."""
    change = scene.honest()
    falsify(change)
    return scene.commit(change)
