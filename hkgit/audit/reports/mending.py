"""mending.py: the one command that mends a rejected commit, and keeps what it changes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from hkgit.audit.reports.sheet import ReportItem, name_of
from hkgit.evidence.ledger.entry import entry_path
from hkgit.evidence.replay.findings import BLIND, CandidateCommit
from hkgit.gate.rulings import Ruling

_COMMAND = re.compile(r"`(hkgit consult answer [0-9a-f]+)`")
_BY_HAND = {
    "text": "take those characters out, then commit again",
    "path": "give it another name, then commit again",
    "budget": "commit it in parts",
}
"""Rules whose mend is an edit of what is committed."""

_UNSHALLOW = "git fetch --unshallow"
_WORDS = "sed '/^[Hh]kgit-/d'"
_HERE = 'hkgit -C "./$(git rev-parse --show-cdup)" apply'
"""From any directory of the checkout, with paths from its root."""
_TURNED = re.compile(r"git checkout -b again \w+ && hkgit apply --merge \w+ SPEC")


def mend(ruling: Ruling) -> str:
    """A command for the shell, with what it leaves to do behind `#`; empty where all is well."""
    if ruling.passes:
        return ""
    candidate, rule = ruling.judged.candidate, ruling.rule
    if rule == "unverifiable":
        return _UNSHALLOW if _UNSHALLOW in ruling.findings[0].fix else _to_look_at(ruling)
    if rule == "consult" and (named := _COMMAND.search(ruling.findings[0].fix)) is not None:
        return f"{named[1]} --decision apply  # or drop, or rewrite"
    if rule == "signature" and candidate.id is not None:
        commits = f"{candidate.id[:12]}^..{candidate.id[:12]}"
        return f"hkgit attest --entries {commits} --key FILE  # then push refs/hkgit/entries/*"
    reads = list(dict.fromkeys(each.mend for each in ruling.findings if each.mend))
    if rule == BLIND and reads:
        return f"{' && '.join(reads)}  # then commit again"
    if len(candidate.parents) > 1:
        turned = _TURNED.search(ruling.findings[0].fix)
        return turned[0] if turned is not None else _merge_again(ruling)
    return _before_commit(ruling) if candidate.id is None else _after_commit(ruling, candidate.id)


def _to_look_at(ruling: Ruling) -> str:
    """No command mends what cannot be read or costs too much: its finding says what to do."""
    finding = ruling.findings[0]
    return f"git status  # {finding.fix or finding.what}"


def closing(item: ReportItem) -> str:
    """The last line under a finding: of which commit it is, and the command that mends that."""
    ruling = item.ruling
    return f"Commit {name_of(ruling)}: {mend(ruling) or f'let pass by {ruling.rule}'}"


def _before_commit(ruling: Ruling) -> str:
    """For a commit that is not made yet: what it would change waits in the stash until it is."""
    if ruling.before.for_person:
        return "git status  # the change is kept: a person whom a [[gate.manual]] covers commits it"
    if ruling.rule in _BY_HAND:
        return f"git status  # the change is kept: {_BY_HAND[ruling.rule]}"
    if ruling.judged.entries and ruling.rule in ("bytes", "mode"):
        # Sessions account for some of it: that need not be made again.
        return "git reset -q && git add -p  # stage and commit first what is by hand, then the rest"
    paths = shlex.join(f":/{path}" for path, _ in ruling.before.files)
    return (
        f"git stash push -q -- {paths} && git stash show -p --no-renames 'stash@{{0}}'"
        f" | {_HERE}{_expecting(ruling.before.files)} && git stash drop -q"
    )


def _after_commit(ruling: Ruling, commit: str) -> str:
    """For a commit that stands: it is made again beside itself, and what follows moves there."""
    short, parents = commit[:12], ruling.judged.candidate.parents
    if not parents:
        return "git checkout --orphan again  # then commit what it holds under another name"
    if ruling.before.for_person:
        return _as_a_person(ruling, short)
    if ruling.rule in _BY_HAND:
        return f"git reset -q --soft {parents[0][:12]}  # {_BY_HAND[ruling.rule]}"
    if ruling.rule == "prune":
        return f"git reset -q --keep {parents[0][:12]} && hkgit ledger prune --yes"
    made = (
        f"git diff --no-renames {parents[0][:12]} {short} -- :/ ':(top,exclude).hkgit/ledger'"
        f" ':(top,exclude).hkgit/.gitattributes' | {_HERE} --branch again-{short}"
        f" --base {parents[0][:12]} -m {_message(short)}{_expecting(ruling.before.files)}"
    )
    return f"{made} && {_move_onto(short)}"


def _as_a_person(ruling: Ruling, short: str) -> str:
    """The same commit without entries, by whoever does it: what no evidence lets pass."""
    names = [f":/{entry_path(name)}" for name, _ in ruling.judged.entries]
    taken = f"git rm -q -- {shlex.join(names)} && " if names else ""
    return (
        f"git checkout -q -b again-{short} {short} && {taken}"
        f"git commit -q --amend --reset-author -m {_message(short)} && git checkout -q -"
        f" && {_move_onto(short)}  # as yourself: a person, or one whom a [[gate.manual]] covers"
    )


def _move_onto(short: str) -> str:
    """What leads a branch from a commit to the one made again."""
    return f"git rebase -q -r --onto again-{short} {short} && git branch -q -D again-{short}"


def _message(short: str) -> str:
    return f'"$(git log -1 --format=%B {short} | {_WORDS})"'


def _expecting(files: Iterable[tuple[str, str | None]]) -> str:
    """The hashes of the files as they were before."""
    hashes = (f"{path}={digest}" for path, digest in files if digest is not None)
    return "".join(f" --expect {shlex.quote(each)}" for each in hashes)


def _merge_again(ruling: Ruling) -> str:
    candidate: CandidateCommit = ruling.judged.candidate
    ours, *others = (parent[:12] for parent in candidate.parents)
    if candidate.id is None:
        way = f"without changes of your own, or: hkgit apply --merge {others[0]} SPEC"
        return f"git merge --abort  # then merge {way}"
    if len(others) > 1:
        return f"git reset --keep {ours}  # then merge them one by one"
    files, short = ruling.before.files, candidate.id[:12]
    if ruling.rule == "reuse":
        return f"git reset --keep {ours}  # {ruling.findings[0].fix}"
    if not files:
        return f"git reset --keep {ours} && git merge --no-edit {others[0]}"
    paths = shlex.join(f":/{path}" for path, _ in files)
    changed = f"git diff --no-renames {{}} {short} -- {paths}"
    if ruling.before.is_merged:
        return (
            f"git checkout -q -b again-{short} {ours}"
            f" && git merge -q -m {_message(short)} {others[0]}"
            f" && {changed.format('HEAD')} | {_HERE}{_expecting(files)} && git checkout -q -"
            f" && {_move_onto(short)}"
        )
    return (
        f"{changed.format(ours)} | {_HERE} --branch again-{short} --base {ours}"
        f" --merge {others[0]} -m {_message(short)}{_expecting(files)} && {_move_onto(short)}"
    )
