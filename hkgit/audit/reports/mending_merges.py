"""mending_merges.py: the command that mends a rejected merge."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from hkgit.applying.evidence import LATE
from hkgit.audit.reports.mending_steps import (
    render_for_late,
    render_for_person,
    render_message,
    render_move_onto,
    render_redo,
    render_remake,
)
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.gate.rulings import Ruling


def _merge_before_commit(ruling: Ruling, others: Sequence[str]) -> str:
    """For a merge that is not made yet: what resolves conflicts is kept, and what comes beside."""
    if ruling.before.for_person:
        return render_for_person(ruling)
    paths = shlex.join(f":/{path}" for path in ruling.before.paths)
    if len(others) > 1 or not paths:
        return "git merge --abort  # then merge without changes of your own"
    if ruling.before.by_hand == LATE:
        return render_for_late(ruling)
    if not ruling.before.is_merged:
        return f"{render_redo(ruling)}  # with -m for a message of your own"
    return (
        f"git merge --abort && git merge -q --no-ff --no-edit {others[0]} && git restore"
        f" --source={ruling.judged.candidate.tree[:12]} --staged --worktree -- {paths}"
        " && hkgit redo  # with -m for a message of your own"
    )


def merge_again(ruling: Ruling) -> str:
    """Write the command that makes a merge again as git makes it, and what comes beside it."""
    candidate: CandidateCommit = ruling.judged.candidate
    ours, *others = (parent[:12] for parent in candidate.parents)
    if candidate.id is None:
        return _merge_before_commit(ruling, others)
    short = candidate.id[:12]
    message = render_message(ruling, short)
    merged = " && ".join(f"git merge -q -m {message} {other}" for other in others)
    beside = f"git checkout -q -b again-{short} {ours} && {merged}"
    if ruling.rule == "reuse":
        return f"{beside}  # {ruling.findings[0].fix}"
    if len(others) > 1 or not ruling.before.paths:
        return f"{beside} && git checkout -q - && {render_move_onto(short)}"
    if ruling.before.by_hand == LATE:
        return render_for_late(ruling)
    return render_remake(ruling, short)
