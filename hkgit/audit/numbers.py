"""numbers.py: count verdicts of a range, and edits by agent, tier, evidence and confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from hkgit.evidence.ledger.entry import Entry, RecordedEdit
from hkgit.evidence.refusals import find_claimed_conflicts
from hkgit.evidence.replay.findings import BLIND, Finding
from hkgit.gate import Ruling, entry_findings
from hkgit.gate.policy import Policy
from hkgit.matching.places import format_decimal
from hkgit.text.counting import count_noun
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

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
