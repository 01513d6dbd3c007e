"""The gate: one function judges commits under a policy, whoever asks."""

from hkgit.gate.arrival import Arrival
from hkgit.gate.floors import entry_findings
from hkgit.gate.glass import BREAK_GLASS
from hkgit.gate.grants import pusher_of
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
from hkgit.gate.rulings import REJECTED, Report, Ruling, Tried
from hkgit.gate.trusted import named_policy, trusted_policy

__all__ = [
    "BREAK_GLASS", "REJECTED", "Arrival", "CommitRange", "Gate", "Report", "Ruling", "Tried",
    "Watch", "candidate_of", "commits_of", "entry_findings", "judge_index", "judge_range",
    "named_policy", "pusher_of", "split_range", "trusted_policy", "without_floors",
]  # fmt: skip
