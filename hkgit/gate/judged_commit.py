"""One commit under judgement, and what it is judged in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from hkgit.evidence.verdict import CandidateCommit, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.git.objects import EMPTY_TREE, TreeChange, TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.values import cached_property, dataclass, field


@dataclass(frozen=True)
class JudgeContext:
    """What is known of the place and the push where commits are judged.

    `on_client` is somebody's own clone: there plain names may use manual grants, and a pass is
    provisional. `pusher` is whom a server has authenticated; `ref` what the commits are for, where
    that is known; `incoming` the refs that a push brings and that do not exist yet, with the ids of
    what they name: tags of break-glass, signatures of entries. With `explain` each ruling says how
    tight its evidence is. `shell` is the agent in whose shell the commit is being made.
    """

    on_client: bool = False
    pusher: str | None = None
    ref: str | None = None
    incoming: Mapping[str, str] = field(default_factory=dict)
    explain: bool = False
    shell: str | None = None


UNKNOWN = JudgeContext()
"""Nothing is known of how the commits came."""


Value = TypeVar("Value")


@dataclass(frozen=True)
class JudgedCommit:
    """A commit, what replay says of it, and who is held to the rules for it.

    `agent` is the name that makes it governed, if a name does.
    """

    repository: Repository
    policy: Policy
    context: JudgeContext
    judged: ReplayResult
    agent: str | None

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
    def after(self) -> TreeSnapshot:
        """The files of the commit."""
        return self.repository.snapshot(self.candidate.tree)

    @cached_property
    def _against(self) -> list[dict[str, TreeChange]]:
        """What differs from each parent, by path."""
        return [
            {each.path: each for each in self.repository.changes(tree, self.candidate.tree)}
            for tree in self.parents
        ]

    @cached_property
    def _against_any(self) -> dict[str, TreeChange]:
        """What differs from any parent, by path, against the first that differs."""
        return {path: each for found in reversed(self._against) for path, each in found.items()}

    def differs_at(self, path: str) -> bool:
        """Whether a path is not the same in the commit and in each of its parents."""
        return path in self._against_any

    def list_both_sides(self) -> list[TreeChange]:
        """List every path that differs from any parent, each against the first that differs."""
        return [self._against_any[path] for path in sorted(self._against_any)]

    def accept_values(self, read: Callable[[TreeSnapshot], Value]) -> tuple[Value, ...]:
        """List the values that a commit may have of what `read` finds in files, deciding nothing.

        That is its parent's; of two parents the one that both come to by themselves, and none
        where both have changed it. Of more than two, that of any.
        """
        values = tuple(read(self.repository.snapshot(tree)) for tree in self.parents)
        if len(values) != 2:
            return values
        ours, theirs = values
        if ours == theirs:
            return (ours,)
        base = self.repository.merge_base(*self.candidate.parents)
        old = read(self.repository.snapshot(EMPTY_TREE if base is None else base))
        return tuple(each for each, other in ((ours, theirs), (theirs, ours)) if other == old)

    @cached_property
    def changes(self) -> tuple[TreeChange, ...]:
        """The paths that differ from every parent, each against the first parent that differs.

        What a merge brings was judged where it was made. So a merge by git, or one whose conflicts
        entries resolve, counts only with the conflicted paths, whichever side was kept, and with
        paths of one side alone: there a rename carries what the other side did.
        """
        against = self._against
        own = [path for path in against[0] if all(path in each for each in against)]
        if len(against) == 2 and (self.judged.verdict is Verdict.MERGE or self.judged.entries):
            own = [path for path in own if any(each[path].old is None for each in against)]
            if self.judged.entries:
                with self.repository.merge(self.candidate.parents) as merged:
                    own = [*dict.fromkeys((*merged.conflicts, *own))]
        return tuple(self._against_any[path] for path in own if path in self._against_any)
