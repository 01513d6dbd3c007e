"""explanation.py: which lines of a change are explained, and by which edit; no I/O."""

from __future__ import annotations

from hkgit.values import dataclass, field
from hkgit.workflows.adopting.tracing import Origin, count_lines


@dataclass(frozen=True, slots=True)
class ExplainedLines:
    """Lines `first..last` of a file that one edit made; an empty range where it took some out."""

    path: str
    first: int
    last: int
    origin: Origin

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass(frozen=True, slots=True)
class UnexplainedLines:
    """Lines of a file that no call made; an empty range where lines were taken out."""

    path: str
    first: int
    last: int
    what: str = ""

    @property
    def where(self) -> str:
        """Its path and lines, as findings name them."""
        if self.first > self.last:
            return f"{self.path}:{max(self.last, 1)}"
        lines = f"{self.first}-{self.last}" if self.first < self.last else f"{self.first}"
        return f"{self.path}:{lines}"

    @property
    def count(self) -> int:
        return count_lines((self.first, self.last))


@dataclass
class Explanation:
    """What of a commit's changes is explained, and what is not."""

    explained: list[ExplainedLines] = field(default_factory=list)
    unexplained: list[UnexplainedLines] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every changed line is explained, and follows from the entries."""
        return not self.unexplained and all(each.origin.is_derived for each in self.explained)

    @property
    def counts(self) -> tuple[int, int]:
        """How many changed places are explained, and how many there are."""
        explained = sum(each.count for each in self.explained)
        return explained, explained + sum(each.count for each in self.unexplained)
