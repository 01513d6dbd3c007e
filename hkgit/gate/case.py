"""case.py: one commit before the judge, and what several rules want to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hkgit.git.repository import Repository
from hkgit.git.store import EMPTY_TREE
from hkgit.git.trees import TreeChange
from hkgit.policy.model import Policy
from hkgit.replay.findings import Candidate, Judged, Verdict

OF_OTHERS = frozenset({Verdict.MERGE, Verdict.EMPTY})
"""Verdicts of commits that add nothing of their own: what they bring is judged where it was made.
"""


@dataclass(frozen=True)
class Case:
    """A commit, what replay says of it, and who is held to the rules for it.

    `agent` is the name that makes it governed, if a name does. `grant` says by which rule its
    author may change some paths by hand, or None; `coming` are the refs that its push brings.
    """

    repository: Repository
    policy: Policy
    judged: Judged
    agent: str | None
    grant: Callable[[Sequence[str]], str | None]
    coming: Mapping[str, str] = field(default_factory=dict)

    @property
    def candidate(self) -> Candidate:
        return self.judged.candidate

    @property
    def is_governed(self) -> bool:
        """Whether it is held to the rules at all."""
        return bool(self.judged.entries) or self.agent is not None or self.policy.govern == "all"

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """The trees it stands on; of a first commit the empty one."""
        trees = tuple(self.repository.commit(each).tree for each in self.candidate.parents)
        return trees or (EMPTY_TREE,)

    @cached_property
    def changes(self) -> tuple[TreeChange, ...]:
        """Where it is like none of its parents, against the first of them.

        Of a merge with entries, all that they decided: whatever the parents were at odds about,
        against one that has it otherwise.
        """
        if self.judged.verdict in OF_OTHERS and not self.judged.entries:
            return ()
        if self.judged.entries and len(self.parents) == 2:
            return self._decided()
        first, *others = self.parents
        own = self.repository.changes(first, self.candidate.tree)
        for tree in others:
            paths = {each.path for each in self.repository.changes(tree, self.candidate.tree)}
            own = tuple(each for each in own if each.path in paths)
        return own

    def _decided(self) -> tuple[TreeChange, ...]:
        first, second = self.candidate.parents
        how = self.repository.resolved_merge((first, second), self.candidate.tree)
        changes = (self.repository.changes(tree, self.candidate.tree) for tree in self.parents)
        named = {each.path: each for against in changes for each in against}
        return tuple(named[path] for path in how.conflicts if path in named)
