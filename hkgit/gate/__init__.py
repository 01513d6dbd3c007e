"""The gate: judge commits under a policy, from every point where they arrive."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.evidence.replay.judging import candidate_of
    from hkgit.gate.context import JudgeContext
    from hkgit.gate.judge import Gate
    from hkgit.gate.ranges import (
        CommitRange,
        Watch,
        drop_floors,
        judge_index,
        judge_range,
        list_commits_of,
        split_range,
    )
    from hkgit.gate.rules.break_glass import BREAK_GLASS
    from hkgit.gate.rules.floors import entry_findings, find_blind_edits
    from hkgit.gate.rules.grants import read_pusher
    from hkgit.gate.rulings import REJECTED, Report, RuleResult, Ruling, is_of_one_ref
    from hkgit.gate.trusted import (
        load_policy,
        read_named_policy,
        read_own_policy,
        read_trusted_policy,
    )

_HOMES = {
    "BREAK_GLASS": "rules.break_glass",
    "CommitRange": "ranges",
    "Gate": "judge",
    "JudgeContext": "context",
    "REJECTED": "rulings",
    "Report": "rulings",
    "RuleResult": "rulings",
    "Ruling": "rulings",
    "Watch": "ranges",
    "find_blind_edits": "rules.floors",
    "candidate_of": "ranges",
    "list_commits_of": "ranges",
    "entry_findings": "rules.floors",
    "is_of_one_ref": "rulings",
    "judge_index": "ranges",
    "judge_range": "ranges",
    "load_policy": "trusted",
    "read_pusher": "rules.grants",
    "read_named_policy": "trusted",
    "read_own_policy": "trusted",
    "read_trusted_policy": "trusted",
    "split_range": "ranges",
    "drop_floors": "ranges",
}
"""The names, by the module that has them: each is loaded when it is asked for."""

__all__ = [
    "BREAK_GLASS",
    "REJECTED",
    "CommitRange",
    "Gate",
    "JudgeContext",
    "Report",
    "RuleResult",
    "Ruling",
    "Watch",
    "candidate_of",
    "drop_floors",
    "entry_findings",
    "find_blind_edits",
    "is_of_one_ref",
    "judge_index",
    "judge_range",
    "list_commits_of",
    "load_policy",
    "read_named_policy",
    "read_own_policy",
    "read_pusher",
    "read_trusted_policy",
    "split_range",
]


def __getattr__(name: str) -> object:
    """Who asks for one part of the gate waits for no other: hooks start anew at every commit."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hkgit.gate' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hkgit.gate.{_HOMES[name]}"), name)
