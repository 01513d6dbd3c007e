"""What an audit counts: totals, weeks, agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import date, timedelta

from hkgit.audit.commits import DERIVED, AuditedCommit, fold_agent, is_weak_commit
from hkgit.evidence.entry import Entry, RecordedEdit
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.evidence.verdict import BLIND, Finding
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import entry_findings
from hkgit.gate.ruling import Ruling
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject
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


STEPS = 10
"""Bars of the histogram of confidence."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of one range; `confidence` is counted by tenths, the last with 1.00 itself.

    `blind` counts edits whose evidence the policy does not accept, `without_entry` commits that
    are rejected and carry no entry, `stale_met` the conflicts that entries claim to have met.
    """

    commits: int
    replay: Counter[str]
    passing: int
    entries: int
    edits: int
    files: int
    agents: Counter[str]
    tiers: Counter[str]
    evidence: Counter[str]
    confidence: tuple[int, ...]
    lowest: int | None
    repaired: int
    relocated: int
    blind: int
    without_entry: int
    stale_met: int


class NumbersTally:
    """Count rulings one by one under a policy, which says which edits are blind. Keeps none."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._totals: Counter[str] = Counter()
        self._replay: Counter[str] = Counter()
        self._agents: Counter[str] = Counter()
        self._tiers: Counter[str] = Counter()
        self._evidence: Counter[str] = Counter()
        self._confidence: Counter[int] = Counter()
        self._files: set[str | None] = set()

    def add(self, ruling: Ruling) -> None:
        """Count what a ruling holds."""
        entries = [entry for _, entry in ruling.judged.entries]
        self._replay[ruling.replay] += 1
        self._totals["commits"] += 1
        self._totals["passing"] += ruling.passes
        self._totals["without_entry"] += not ruling.passes and not entries
        for entry in entries:
            self._add_entry(entry)
            for edit in entry.edits:
                self._agents[entry.agent.casefold()] += 1
                self._add_edit(edit)

    def _add_entry(self, entry: Entry) -> None:
        self._totals["entries"] += 1
        self._totals["blind"] += len(blind_findings(self._policy, entry))
        self._totals["stale_met"] += len(find_claimed_conflicts(entry.claims))
        self._files.update(file.new_path or file.path for file in entry.files)

    def _add_edit(self, edit: RecordedEdit) -> None:
        self._tiers[edit.tier] += 1
        self._evidence[edit.evidence] += 1
        self._confidence[edit.confidence] += 1
        self._totals["repaired"] += bool(edit.repairs)
        self._totals["relocated"] += edit.relocated

    def sum_up(self) -> Numbers:
        """Return the numbers of all that was added."""
        totals = self._totals
        bars: Counter[int] = Counter()
        for confidence, count in self._confidence.items():
            bars[min(confidence * STEPS // 1000, STEPS - 1)] += count
        return Numbers(
            commits=totals["commits"],
            replay=self._replay,
            passing=totals["passing"],
            entries=totals["entries"],
            edits=self._confidence.total(),
            files=len(self._files),
            agents=self._agents,
            tiers=self._tiers,
            evidence=self._evidence,
            confidence=tuple(bars[step] for step in range(STEPS)),
            lowest=min(self._confidence, default=None),
            repaired=totals["repaired"],
            relocated=totals["relocated"],
            blind=totals["blind"],
            without_entry=totals["without_entry"],
            stale_met=totals["stale_met"],
        )


def numbers_of(rulings: Iterable[Ruling], policy: Policy) -> Numbers:
    """Count what some rulings hold; the policy says which edits are blind."""
    tally = NumbersTally(policy)
    for ruling in rulings:
        tally.add(ruling)
    return tally.sum_up()


def blind_findings(policy: Policy, entry: Entry) -> list[Finding]:
    """Find the edits of an entry whose evidence the policy does not accept."""
    return [found for found in entry_findings(policy, entry) if found.rule == BLIND]


def numbers_json(numbers: Numbers) -> JsonObject:
    """Write the numbers as one JSON object; rates and confidences in [0, 1]."""
    return {
        "commits": numbers.commits,
        "replay": dict(numbers.replay.most_common()),
        "policy": {"passes": numbers.passing, "fails": numbers.commits - numbers.passing},
        "entries": numbers.entries,
        "edits": numbers.edits,
        "files": numbers.files,
        "agents": dict(numbers.agents.most_common()),
        "tiers": dict(numbers.tiers.most_common()),
        "evidence": dict(numbers.evidence.most_common()),
        "confidence": [
            {"from": step / STEPS, "to": (step + 1) / STEPS, "edits": count}
            for step, count in enumerate(numbers.confidence)
        ],
        "lowest_confidence": None if numbers.lowest is None else numbers.lowest / 1000,
        "repaired": numbers.repaired,
        "relocated": numbers.relocated,
        "blind_edits": numbers.blind,
        "blind_rate": round(numbers.blind / numbers.edits, 4) if numbers.edits else None,
        "rejected_without_entry": numbers.without_entry,
        "conflicts_met": numbers.stale_met,
    }


def count_line(commits: int) -> str:
    """Write the first of `numbers_lines`, which is known before anything is judged."""
    return f"commits     {commits}"


def numbers_lines(numbers: Numbers) -> Iterator[str]:
    """Write the numbers for people."""
    yield count_line(numbers.commits)
    yield f"replay      {_shares(numbers.replay)}"
    yield f"policy      {numbers.passing} pass, {numbers.commits - numbers.passing} fail"
    edits, files = count_noun(numbers.edits, "edit"), count_noun(numbers.files, "file")
    yield f"entries     {numbers.entries}, {edits} of {files}"
    if not numbers.edits:
        return
    yield f"agents      {_shares(numbers.agents)}"
    yield f"tiers       {_shares(numbers.tiers)}"
    yield f"evidence    {_shares(numbers.evidence)}"
    yield f"blind       {numbers.blind} of {edits} ({_percent(numbers)})"
    yield f"conflicts   {numbers.stale_met} met, as claimed"
    yield f"repaired    {numbers.repaired}, relocated {numbers.relocated}"
    if numbers.lowest == STEPS * 100:
        return
    yield f"confidence  lowest {format_decimal(numbers.lowest or 0)}"
    most = max(numbers.confidence)
    for step, count in enumerate(numbers.confidence):
        if count:
            bar = "█" * max(round(count * 40 / most), 1)
            end = "]" if step == STEPS - 1 else ")"
            yield f"  [{step / STEPS:.1f}, {(step + 1) / STEPS:.1f}{end}  {bar} {count}"


def _shares(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.most_common())


def _percent(numbers: Numbers) -> str:
    return f"{numbers.blind * 100 / numbers.edits:.1f} %"
