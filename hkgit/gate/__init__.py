"""The gate: one function judges commits under a policy, whoever asks."""

from hkgit.gate.floors import entry_findings
from hkgit.gate.judge import Gate
from hkgit.gate.ranges import (
    candidate_of,
    commits_of,
    judge_index,
    judge_range,
    split_range,
    verify_range,
    without_floors,
)
from hkgit.gate.rulings import REJECTED, Report, Ruling

__all__ = [
    "REJECTED", "Gate", "Report", "Ruling", "candidate_of", "commits_of", "entry_findings",
    "judge_index", "judge_range", "split_range", "verify_range", "without_floors",
]  # fmt: skip
