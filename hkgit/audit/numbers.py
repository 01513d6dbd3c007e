"""What an audit counts: totals, weeks, agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, timedelta

from hkgit.audit.commits import DERIVED, AuditedCommit, fold_agent, is_weak_commit
from hkgit.evidence.entry import Entry, RecordedEdit
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.evidence.verdict import BLIND, Finding
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import entry_findings
from hkgit.gate.ruling import NO_EVIDENCE, Ruling
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field

MOST_WEEKS = 52
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(slots=True)
class AgentCount:
    """What one agent did, over the same weeks as the others.

    `weak` counts its commits that rest on a quote or less, `bare` those without evidence, `refused`
    what was refused to it in this clone, `evidence` its edits, `weeks` its commits week by week.
    """

    name: str
    versions: set[str] = field(default_factory=set)
    commits: int = 0
    derived: int = 0
    passing: int = 0
    weak: int = 0
    bare: int = 0
    refused: int = 0
    lowest: int | None = None
    evidence: Counter[str] = field(default_factory=Counter)
    by_week: Counter[date] = field(default_factory=Counter)
    weeks: tuple[int, ...] = ()
    first: date = date.min

    @property
    def edits(self) -> int:
        return self.evidence.total()

    @property
    def sparkline(self) -> str:
        """A bar a week, the highest for the busiest; a space for one without commits."""
        top = max(self.weeks, default=0)
        return "".join(_BARS[(n * len(_BARS) - 1) // top] if n else " " for n in self.weeks)

    def add(self, commit: AuditedCommit) -> None:
        """Count one of its commits, and the edits of it that are its own."""
        self.commits += 1
        self.derived += commit.standing == DERIVED
        self.passing += commit.passes
        self.weak += is_weak_commit(commit)
        self.bare += commit.made_by == NO_EVIDENCE
        day = commit.time.date()
        self.by_week[day - timedelta(days=day.weekday())] += 1
        named = (each for each in commit.agents if fold_agent(each) == self.name)
        self.versions.update(each.partition("/")[2] for each in named if "/" in each)
        for _, entry in commit.ruling.judged.entries:
            if fold_agent(visible(entry.agent)) == self.name:
                self.evidence.update(edit.evidence for edit in entry.edits)
                known = [] if self.lowest is None else [self.lowest]
                sure = [edit.confidence for edit in entry.edits]
                self.lowest = min([*known, *sure], default=None)


class AgentTally:
    """Count commits one by one by agent. Keeps none."""

    def __init__(self) -> None:
        self._agents: dict[str, AgentCount] = {}

    def add(self, commit: AuditedCommit) -> None:
        """Count a commit for each of its agents."""
        for name in dict.fromkeys(map(fold_agent, commit.agents)):
            self._agents.setdefault(name, AgentCount(name)).add(commit)

    def list_agents(self, refused: Sequence[RefusedAttempt]) -> list[AgentCount]:
        """List every agent, the busiest first."""
        tries = Counter(fold_agent(visible(each.agent)) for each in refused)
        found = sorted(self._agents.values(), key=lambda each: (-each.commits, each.name))
        starts = _mondays({week for each in found for week in each.by_week})
        for each in found:
            each.refused, each.first = tries[each.name], starts[0]
            each.weeks = tuple(each.by_week[start] for start in starts)
        return found


def list_agents(
    commits: Iterable[AuditedCommit], refused: Sequence[RefusedAttempt] = ()
) -> list[AgentCount]:
    """List the agents of some commits, the busiest first."""
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


def agent_json(row: AgentCount) -> JsonObject:
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


class Numbers:
    """Counts of one range, ruling by ruling; keeps none. The policy says which edits are blind.

    `blind` counts edits whose evidence the policy does not accept, `without_entry` commits that
    are rejected and carry no entry, `stale_met` the conflicts that entries claim to have met.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._confidence: Counter[int] = Counter()
        self._files: set[str | None] = set()
        self.replay: Counter[str] = Counter()
        self.agents: Counter[str] = Counter()
        self.tiers: Counter[str] = Counter()
        self.evidence: Counter[str] = Counter()
        self.commits = self.passing = self.without_entry = 0
        self.entries = self.blind = self.stale_met = 0
        self.repaired = self.relocated = 0

    def add(self, ruling: Ruling) -> None:
        """Count what a ruling holds."""
        entries = [entry for _, entry in ruling.judged.entries]
        self.replay[ruling.replay] += 1
        self.commits += 1
        self.passing += ruling.passes
        self.without_entry += not ruling.passes and not entries
        self.entries += len(entries)
        for entry in entries:
            self.blind += len(blind_findings(self._policy, entry))
            self.stale_met += len(find_claimed_conflicts(entry.claims))
            self._files.update(file.new_path or file.path for file in entry.files)
            for edit in entry.edits:
                self.agents[entry.agent.casefold()] += 1
                self._add_edit(edit)

    def _add_edit(self, edit: RecordedEdit) -> None:
        self.tiers[edit.tier] += 1
        self.evidence[edit.evidence] += 1
        self._confidence[edit.confidence] += 1
        self.repaired += bool(edit.repairs)
        self.relocated += edit.relocated

    @property
    def edits(self) -> int:
        return self._confidence.total()

    @property
    def files(self) -> int:
        return len(self._files)

    @property
    def lowest(self) -> int | None:
        return min(self._confidence, default=None)

    @property
    def confidence(self) -> tuple[int, ...]:
        """The edits by tenths of confidence, the last with 1.00 itself."""
        return count_tenths(self._confidence)


def count_tenths(confidences: Mapping[int, int]) -> tuple[int, ...]:
    """Count confidences per mille by tenths, the last with 1.00 itself."""
    bars: Counter[int] = Counter()
    for confidence, count in confidences.items():
        bars[min(confidence * STEPS // 1000, STEPS - 1)] += count
    return tuple(bars[step] for step in range(STEPS))


def numbers_of(rulings: Iterable[Ruling], policy: Policy) -> Numbers:
    """Count what some rulings hold; the policy says which edits are blind."""
    numbers = Numbers(policy)
    for ruling in rulings:
        numbers.add(ruling)
    return numbers


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
