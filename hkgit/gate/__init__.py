"""The gate: judge commits under a policy, from every point where they arrive."""

from hkgit.gate.context import JudgeContext
from hkgit.gate.judge import Gate
from hkgit.gate.ranges import (
    CommitRange,
    Watch,
    candidate_of,
    commits_of,
    judge_index,
    judge_range,
    split_range,
    without_floors,
)
from hkgit.gate.rules.break_glass import BREAK_GLASS
from hkgit.gate.rules.floors import blind_edits, entry_findings
from hkgit.gate.rules.grants import pusher_of
from hkgit.gate.rulings import REJECTED, Report, RuleResult, Ruling, is_of_one_ref
from hkgit.gate.trusted import read_named_policy, read_trusted_policy

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
    "blind_edits",
    "candidate_of",
    "commits_of",
    "entry_findings",
    "is_of_one_ref",
    "judge_index",
    "judge_range",
    "pusher_of",
    "read_named_policy",
    "read_trusted_policy",
    "split_range",
    "without_floors",
]
