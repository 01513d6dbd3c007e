"""weeks.py: each agent's work in numbers, and week by week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from datetime import date, timedelta

from hkgit.audit.commits import DERIVED, AuditedCommit, fold_agent
from hkgit.audit.trail import is_weak_commit
from hkgit.evidence.refusals import RefusedAttempt
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

MOST_WEEKS = 52
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class AgentWeeks:
    """One agent; `weak` counts its commits that rest on a quote or less, `weeks` all by week."""

    name: str
    commits: int
    derived: int
    passing: int
    edits: int
    weak: int
    refused: int
    first: date
    weeks: tuple[int, ...]

    @property
    def sparkline(self) -> str:
        """A bar a week, the highest for the busiest; a space for one without commits."""
        top = max(self.weeks, default=0)
        return "".join(_BARS[(n * len(_BARS) - 1) // top] if n else " " for n in self.weeks)


class AgentTally:
    """Count commits one by one by agent and week. Keeps none."""

    def __init__(self) -> None:
        self._totals: dict[str, Counter[str]] = {}
        self._weeks: dict[str, Counter[date]] = {}

    def add(self, commit: AuditedCommit) -> None:
        """Count a commit for each of its agents."""
        for name in dict.fromkeys(map(fold_agent, commit.agents)):
            self._weeks.setdefault(name, Counter())[_week(commit)] += 1
            totals = self._totals.setdefault(name, Counter())
            totals["commits"] += 1
            totals["derived"] += commit.standing == DERIVED
            totals["passing"] += commit.passes
            totals["edits"] += len(commit.edits)
            totals["weak"] += is_weak_commit(commit)

    def list_agents(self, refused: Sequence[RefusedAttempt]) -> list[AgentWeeks]:
        """List every agent, the busiest first, all over the same weeks."""
        tries = Counter(fold_agent(visible(each.agent)) for each in refused)
        starts = _mondays({week for weeks in self._weeks.values() for week in weeks})
        found = [self._sum_up(name, tries[name], starts) for name in self._totals]
        return sorted(found, key=lambda each: (-each.commits, each.name))

    def _sum_up(self, name: str, refused: int, starts: Sequence[date]) -> AgentWeeks:
        totals, by_week = self._totals[name], self._weeks[name]
        return AgentWeeks(
            name=name,
            commits=totals["commits"],
            derived=totals["derived"],
            passing=totals["passing"],
            edits=totals["edits"],
            weak=totals["weak"],
            refused=refused,
            first=starts[0],
            weeks=tuple(by_week[start] for start in starts),
        )


def list_agents(
    commits: Iterable[AuditedCommit], refused: Sequence[RefusedAttempt]
) -> list[AgentWeeks]:
    """List every agent, the busiest first, all over the same weeks."""
    tally = AgentTally()
    for commit in commits:
        tally.add(commit)
    return tally.list_agents(refused)


def _mondays(weeks: Set[date]) -> list[date]:
    """The Mondays from the first week to the last, the newest of them."""
    if not weeks:
        return []
    last = max(weeks)
    count = min((last - min(weeks)).days // 7 + 1, MOST_WEEKS)
    return [last - timedelta(days=7 * back) for back in reversed(range(count))]


def _week(commit: AuditedCommit) -> date:
    day = commit.time.date()
    return day - timedelta(days=day.weekday())


def agent_json(row: AgentWeeks) -> JsonObject:
    """Write an agent as one JSON object."""
    return {
        "agent": row.name,
        "commits": row.commits,
        "derived": row.derived,
        "passes": row.passing,
        "edits": row.edits,
        "weak": row.weak,
        "refused": row.refused,
        "first_week": row.first.isoformat(),
        "by_week": list(row.weeks),
    }
