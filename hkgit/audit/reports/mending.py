"""mending.py: the one command that mends a rejected commit, and keeps what it changes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from hkgit.applying.evidence import LATE
from hkgit.audit.reports.mending_merges import merge_again
from hkgit.audit.reports.mending_steps import (
    HERE,
    is_in_words,
    render_for_late,
    render_for_person,
    render_message,
    render_move_onto,
    render_redo,
    render_remake,
)
from hkgit.audit.reports.sheet import ReportItem, name_commit
from hkgit.evidence.ledger.names import entry_path
from hkgit.evidence.replay.findings import BLIND
from hkgit.gate.rules.manual import OF_EVIDENCE
from hkgit.gate.rulings import Ruling
from hkgit.values import late_pattern

_BY_HAND = {
    "text": "take those characters out",
    "path": "give the file another name",
    "budget": "commit it in parts",
}
"""Rules whose mend is an edit of what is committed."""

_VOUCHED = "\"Hkgit-Vouched-by: $(git var GIT_COMMITTER_IDENT | sed 's/>.*/>/')\""
_UNSHALLOW = "git fetch --unshallow"
_OWN = "':(top,exclude).hkgit/ledger' ':(top,exclude).hkgit/.gitattributes'"
"""What hkgit itself writes is no part of a change."""
_TURNED = late_pattern(r"git checkout -b again \w+ && hkgit apply --merge \w+ SPEC")


def mend(ruling: Ruling) -> str:
    """Write a command that fixes a commit, with what is left to do behind `#`; or nothing."""
    if ruling.passes:
        return ""
    candidate, rule = ruling.judged.candidate, ruling.rule
    if rule == "unverifiable":
        return _UNSHALLOW if _UNSHALLOW in ruling.findings[0].fix else _to_look_at(ruling)
    if rule == "prune" and candidate.id is not None and not ruling.before.paths:
        return f"{_after_commit(ruling, candidate.id)}; prune what has landed"
    if rule == "signature" and candidate.id is not None:
        commits = f"{candidate.id[:12]}^..{candidate.id[:12]}"
        return f"hkgit attest --entries {commits} --key FILE  # then push refs/hkgit/entries/*"
    if rule == "assisted-by":
        return _reword(ruling)
    reads = list(dict.fromkeys(each.mend for each in ruling.findings if each.mend))
    if rule == BLIND and reads:
        return _join(reads)
    if len(candidate.parents) > 1:
        turned = _TURNED.search(ruling.findings[0].fix)
        return turned[0] if turned is not None else merge_again(ruling)
    return _before_commit(ruling) if candidate.id is None else _after_commit(ruling, candidate.id)


def _join(commands: Sequence[str]) -> str:
    """Join commands, each once; what was taken back is then to be edited again."""
    steps = dict.fromkeys(step for each in commands for step in each.split(" && "))
    then = "make the edit again, and commit" if any(" undo " in each for each in steps) else ""
    return f"{' && '.join(steps)}  # then {then or 'commit again'}"


def _reword(ruling: Ruling) -> str:
    """The message alone is wrong: everything else of the commit stays."""
    candidate, fix = ruling.judged.candidate, ruling.findings[0].fix
    if candidate.id is None:
        return f"git commit  # {fix}"
    onto = f"{candidate.id[:12]}^" if candidate.parents else "--root"
    return f"git rebase -i -r {onto}  # reword it: {fix}"


def _to_look_at(ruling: Ruling) -> str:
    """No command mends what cannot be read or costs too much: its finding says what to do."""
    finding = ruling.findings[0]
    return f"git status  # {finding.fix or finding.what}"


def render_closing_line(item: ReportItem) -> str:
    """Render the last line of a finding: its commit, and the command that mends that."""
    ruling = item.ruling
    return f"Commit {name_commit(ruling)}: {mend(ruling) or f'let pass by {ruling.rule}'}"


def _before_commit(ruling: Ruling) -> str:
    """For a commit that is not made yet: made beside the branch, from the tree that git has.

    Index and worktree stay as they are meanwhile, with what was not staged.
    """
    if ruling.judged.candidate.amends and ruling.rule == "bytes":
        return _commit_by_hand(ruling)
    if ruling.before.for_person:
        return render_for_person(ruling)
    by_hand = ruling.before.by_hand or ruling.rule
    if by_hand in _BY_HAND:
        return f"git status  # the change is kept: {_BY_HAND[by_hand]}, then commit again"
    if ruling.judged.entries and ruling.rule in ("bytes", "mode"):
        return _apart_from_sessions(ruling)
    if by_hand == LATE:
        return render_for_late(ruling)
    return f"{render_redo(ruling)}  # with -m for a message of your own"


def _apart_from_sessions(ruling: Ruling) -> str:
    """For a commit of which sessions account for some: that need not be made again.

    Whole files by hand, also those that went, get a commit of their own; so do lines, by a person
    who can tell them apart. An agent's have no hand: they are made again.
    """
    reads = dict.fromkeys(each.mend for each in ruling.findings if each.mend)
    known = {file.path for _, entry in ruling.judged.entries for file in entry.files}
    named = [each.path or each.where for each in ruling.findings if each.rule == ruling.rule]
    changed = set(ruling.before.paths) - known
    if changed.issuperset(named):
        paths = shlex.join(f":/{path}" for path in dict.fromkeys(named))
        if ruling.agent is not None and ruling.before.by_hand == LATE:
            return render_for_late(ruling)
        again = f"{render_redo(ruling)} -- {paths}"
        first = _commit_by_hand(ruling) if ruling.agent is None else again
        return _join([first, *reads])
    if ruling.agent is not None and ruling.before.by_hand == LATE:
        return render_for_late(ruling)
    if ruling.agent is not None:
        return f"{render_redo(ruling)}  # with -m for a message of your own"
    first = "".join(f"{each} && " for each in reads)
    then = "stage and commit first what is by hand, then the rest"
    return f"{first}git reset -q && git add -p  # {then}"


def _commit_by_hand(ruling: Ruling) -> str:
    """The command that commits the files of the findings by themselves."""
    named = (each.path or each.where for each in ruling.findings if each.rule == ruling.rule)
    paths = shlex.join(f":/{path}" for path in dict.fromkeys(named))
    return f"git commit -q -m 'By hand' --only -- {paths}"


def _after_commit(ruling: Ruling, commit: str) -> str:
    """For a commit that stands: it is made again beside itself, and what follows moves there."""
    short, parents = commit[:12], ruling.judged.candidate.parents
    if ruling.before.for_person:
        is_granted = ruling.before.is_granted
        return _as_a_person(ruling, short) if is_granted else render_for_person(ruling)
    if not parents:
        is_late = ruling.before.by_hand == LATE
        return render_for_late(ruling) if is_late else render_remake(ruling, short)
    parent = parents[0][:12]
    if not ruling.before.paths:
        return f"git rebase -q -r --onto {parent} {short}  # it changes nothing but the ledger"
    difference, then = _difference(parent, short), render_move_onto(short)
    if ruling.before.by_hand == LATE and ruling.rule != "budget":
        is_granted = ruling.before.is_granted and ruling.rule in OF_EVIDENCE
        return _as_a_person(ruling, short) if is_granted else render_for_late(ruling)
    if ruling.rule == "budget":
        patch = f"again-{short}.patch"
        then = f"git checkout -q - && {then} && rm {patch}"
        command = f"{difference} >{patch} && git checkout -q -b again-{short} {parent}"
        return f"{command}  # land that file in parts with hkgit apply, then: {then}"
    by_hand = ruling.before.by_hand or ruling.rule
    if by_hand in _BY_HAND and not is_in_words(ruling):
        patch = f"again-{short}.patch"
        again = f"git apply --index {patch} && {HERE} redo -m {render_message(ruling, short)}"
        again = f"git checkout -q -b again-{short} {parent} && {again} && git checkout -q -"
        then = f"{again} && {then} && rm {patch}"
        return f"{difference} >{patch}  # {_BY_HAND[by_hand]} in that file, then: {then}"
    return render_remake(ruling, short)


def _difference(old: str, new: str) -> str:
    """The command that prints what a commit changes, less the records of hkgit."""
    return f"git diff-tree -p --text --no-renames {old} {new} -- :/ {_OWN}"


def _as_a_person(ruling: Ruling, short: str) -> str:
    """The same commit, which a person takes upon himself: what no evidence lets pass.

    Entries for a file that is too long to edit with them are taken out; all others are kept.
    """
    names = [f":/{entry_path(name)}" for name, _ in ruling.judged.entries]
    taken = f"git rm -q -- {shlex.join(names)} && " if names and ruling.rule == "budget" else ""
    return (
        f"git checkout -q -b again-{short} {short} && {taken}git commit -q --amend --no-edit -S"
        f" --trailer {_VOUCHED} && git checkout -q - && {render_move_onto(short)}"
        "  # as a person whom a [[gate.manual]] of the policy grants these paths"
    )
