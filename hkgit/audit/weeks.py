"""weeks.py: each agent's work in numbers, and week by week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from hkgit.audit.commits import DERIVED, AuditedCommit, strip_version
from hkgit.audit.trail import is_blind
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


def list_agents(
    commits: Sequence[AuditedCommit], refused: Sequence[RefusedAttempt]
) -> list[AgentWeeks]:
    """List every agent, the busiest first, all over the same weeks."""
    own: dict[str, list[AuditedCommit]] = {}
    for commit in commits:
        for name in dict.fromkeys(map(strip_version, commit.agents)):
            own.setdefault(name, []).append(commit)
    tries = Counter(strip_version(visible(each.agent)) for each in refused)
    starts = _weeks([commit for listed in own.values() for commit in listed])
    found = [_agent(name, listed, tries[name], starts) for name, listed in own.items()]
    return sorted(found, key=lambda each: (-each.commits, each.name))


def _agent(
    name: str, commits: Sequence[AuditedCommit], refused: int, starts: Sequence[date]
) -> AgentWeeks:
    by_week = Counter(_week(commit) for commit in commits)
    return AgentWeeks(
        name=name,
        commits=len(commits),
        derived=sum(commit.standing == DERIVED for commit in commits),
        passing=sum(commit.passes for commit in commits),
        edits=sum(len(commit.edits) for commit in commits),
        weak=sum(is_blind(commit) for commit in commits),
        refused=refused,
        first=starts[0],
        weeks=tuple(by_week[start] for start in starts),
    )


def _weeks(commits: Sequence[AuditedCommit]) -> list[date]:
    """The Mondays from the first commit to the last, the newest of them."""
    if not commits:
        return []
    weeks = [_week(commit) for commit in commits]
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
