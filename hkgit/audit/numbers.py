"""Figures in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hkgit.audit.tables.figures import STEPS, AgentFigures, Figures
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun
from hkgit.text.strict_json import JsonObject


def agent_json(row: AgentFigures) -> JsonObject:
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


def numbers_json(numbers: Figures) -> JsonObject:
    """Write the numbers as one JSON object; rates and confidences in [0, 1]."""
    return {
        "commits": numbers.commits,
        "replay": dict(numbers.replay),
        "policy": {"passes": numbers.passing, "fails": numbers.commits - numbers.passing},
        "entries": numbers.entries,
        "edits": numbers.edits,
        "files": numbers.files,
        "agents": dict(numbers.agents),
        "tiers": dict(numbers.tiers),
        "evidence": dict(numbers.evidence),
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
        "conflicts_met": numbers.conflicts,
    }


def count_line(commits: int) -> str:
    """Write the first of `numbers_lines`, which is known before anything is judged."""
    return f"commits     {commits}"


def numbers_lines(numbers: Figures) -> Iterator[str]:
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
    yield f"conflicts   {numbers.conflicts} met, as claimed"
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


def _shares(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items())


def _percent(numbers: Figures) -> str:
    return f"{numbers.blind * 100 / numbers.edits:.1f} %"
