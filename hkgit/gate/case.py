"""case.py: one commit under judgement, with facts that several rules need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from hkgit.evidence.replay.findings import CandidateCommit, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.git.objects.ids import EMPTY_TREE
from hkgit.git.objects.trees import TreeChange
from hkgit.git.repository import Repository
from hkgit.values import dataclass, field


@dataclass(frozen=True)
class JudgedCommit:
    """A commit, what replay says of it, and who is held to the rules for it.

    `agent` is the name that makes it governed, if a name does. `grant` says by which rule its
    author may change some paths by hand, or None; `incoming` are the refs that its push brings.
    """

    repository: Repository
    policy: Policy
    judged: ReplayResult
    agent: str | None
    grant: Callable[[Sequence[str]], str | None]
    incoming: Mapping[str, str] = field(default_factory=dict)

    @property
    def candidate(self) -> CandidateCommit:
        return self.judged.candidate

    @property
    def is_governed(self) -> bool:
        """Whether it is held to the rules at all."""
        return bool(self.judged.entries) or self.agent is not None or self.policy.govern == "all"

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """The trees of its parents; the empty one for a first commit."""
        trees = tuple(self.repository.commit(each).tree for each in self.candidate.parents)
        return trees or (EMPTY_TREE,)

    @cached_property
    def changes(self) -> tuple[TreeChange, ...]:
        """The paths that differ from every parent, each against the first parent that differs.

        What a merge brings was judged where it was made. So a merge by git, or one whose conflicts
        entries resolve, counts only with the conflicted paths, whichever side was kept, and with
        paths of one side alone: there a rename carries what the other side did.
        """
        against = [
            {each.path: each for each in self.repository.changes(tree, self.candidate.tree)}
            for tree in self.parents
        ]
        own = [path for path in against[0] if all(path in each for each in against)]
        if len(against) == 2 and (self.judged.verdict is Verdict.MERGE or self.judged.entries):
            carried = (path for path in own if any(each[path].old is None for each in against))
            own = [*dict.fromkeys((*self._at_odds(), *carried))]
        changes = {path: each for found in against for path, each in found.items()} | against[0]
        return tuple(changes[path] for path in own if path in changes)

    def _at_odds(self) -> tuple[str, ...]:
        """The paths whose conflicts the entries of a merge resolve."""
        if not self.judged.entries:
            return ()
        first, second = self.candidate.parents
        return self.repository.resolve_merge((first, second), self.candidate.tree).conflicts
