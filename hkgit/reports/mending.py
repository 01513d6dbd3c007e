"""mending.py: the one command that mends a rejected commit."""

from __future__ import annotations

import re

from hkgit.gate.rulings import Ruling
from hkgit.replay.findings import Candidate
from hkgit.reports.sheet import Item, name_of

_COMMAND = re.compile(r"`(hkgit consult answer [0-9a-f]+)`")


def mend(ruling: Ruling) -> str:
    """A command for the shell, with what it leaves to do behind `#`; empty where all is well."""
    if ruling.passes:
        return ""
    candidate, rule = ruling.judged.candidate, ruling.rule
    if rule == "unverifiable":
        return "git fetch --unshallow"
    if rule == "trailer":
        return _reword(candidate)
    if rule == "consult" and (named := _COMMAND.search(ruling.findings[0].fix)) is not None:
        return f"{named[1]} --decision apply  # or drop, or rewrite"
    if rule == "signature" and candidate.id is not None:
        commits = f"{candidate.id[:12]}^..{candidate.id[:12]}"
        return f"hkgit attest --entries {commits} --key FILE  # then push refs/hkgit/entries/*"
    if len(candidate.parents) > 1:
        return _merge_again(candidate)
    if candidate.id is None:
        return _before_commit(ruling)
    if not candidate.parents:
        return "git checkout --orphan again  # then commit what it holds under another name"
    dropped = f"git rebase --onto {candidate.parents[0][:12]} {candidate.id[:12]}"
    return f"{dropped}  # drops it; then make the change with hkgit apply"


def closing(item: Item) -> str:
    """The last line under a finding: of which commit it is, and the command that mends that."""
    ruling = item.ruling
    return f"Commit {name_of(ruling)}: {mend(ruling) or f'let pass by {ruling.rule}'}"


def _before_commit(ruling: Ruling) -> str:
    """For what is staged; where sessions account for some of it, that need not be made again."""
    if ruling.judged.entries and ruling.rule == "blind":
        return "hkgit record --staged  # names the read that mends each blind edit"
    if ruling.judged.entries and ruling.rule in ("bytes", "mode"):
        return "git reset -q && git add -p  # stage and commit first what is by hand, then the rest"
    return "git stash  # then make the change with hkgit apply"


def _reword(candidate: Candidate) -> str:
    if candidate.id is None or not candidate.parents:
        return "git commit --amend  # take the trailer out"
    return f"git rebase --interactive {candidate.parents[0][:12]}  # reword it"


def _merge_again(candidate: Candidate) -> str:
    ours, *others = (parent[:12] for parent in candidate.parents)
    if candidate.id is None:
        way = f"without changes of your own, or: hkgit apply --merge {others[0]} SPEC"
        return f"git merge --abort  # then merge {way}"
    if len(others) > 1:
        return f"git reset --keep {ours}  # then merge them one by one"
    return f"git reset --keep {ours} && git merge --no-edit {others[0]}"
