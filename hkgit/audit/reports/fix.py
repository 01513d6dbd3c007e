"""How each rejection is fixed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from hkgit.applying.evidence import LATE
from hkgit.audit.reports.findings import ReportItem, find_rule_url, name_commit
from hkgit.evidence.verdict import BLIND
from hkgit.gate.rules.grants import OF_EVIDENCE
from hkgit.gate.ruling import Ruling

_KEPT = "git status  # the change is kept"


def render_for_person(ruling: Ruling) -> str:
    """Render what leads on where no evidence helps: a person, or first a grant."""
    if ruling.before.is_granted:
        return f"{_KEPT}: let a person with a [[gate.manual]] grant for these paths commit it"
    what = "the policy grants nobody these paths: a person has to commit a [[gate.manual]] first"
    return f"{_KEPT}: {what}"


def render_for_late(ruling: Ruling) -> str:
    """Render what leads on where no evidence from afterwards counts."""
    if ruling.before.is_granted:
        return f"{_KEPT}: let a person with a [[gate.manual]] grant for these paths vouch for it"
    what = "make it again in a session that reads first, or let a person vouch for it"
    return f"{_KEPT}, and what is read afterwards does not count: {what}, or accept `late`"


def render_redo(ruling: Ruling) -> str:
    """Render the command that commits with evidence what git was about to commit."""
    return f"hkgit redo --tree {ruling.judged.candidate.tree[:12]}"


def render_remake(ruling: Ruling, short: str) -> str:
    """Render the command that makes a commit again with evidence."""
    if not is_in_words(ruling):
        return f"hkgit redo {short}"
    plain = "LC_ALL=C tr -cd '\\11\\12\\40-\\176'"
    return f'hkgit redo {short} -m "$(git log -1 --format=%B {short} | {plain})"'


def is_in_words(ruling: Ruling) -> bool:
    """Whether it is the message or a name of a person that breaks the rule."""
    where = ruling.findings[0].where.partition(":")[0]
    return ruling.rule == "text" and where in ("message", "header", "author", "committer")


def _merge_before_commit(ruling: Ruling, others: Sequence[str]) -> str:
    """For a merge that is not made yet: what resolves conflicts is kept, and what comes beside."""
    if ruling.before.for_person:
        return render_for_person(ruling)
    paths = shlex.join(f":/{path}" for path in ruling.before.paths)
    if len(others) > 1 or not paths:
        return "git merge --abort  # then merge without other changes"
    if ruling.before.by_hand == LATE:
        return render_for_late(ruling)
    if not ruling.before.is_merged:
        return f"{render_redo(ruling)}  # with -m for another message"
    return (
        f"git merge --abort && git merge -q --no-ff --no-edit {others[0]} && git restore"
        f" --source={ruling.judged.candidate.tree[:12]} --staged --worktree -- {paths}"
        " && hkgit redo  # with -m for another message"
    )


def merge_again(ruling: Ruling) -> str:
    """Write the command that makes a merge again as git makes it, and what comes beside it."""
    candidate = ruling.judged.candidate
    if candidate.id is None:
        return _merge_before_commit(ruling, [each[:12] for each in candidate.parents[1:]])
    short = candidate.id[:12]
    is_late = ruling.before.paths and ruling.before.by_hand == LATE
    return render_for_late(ruling) if is_late else render_remake(ruling, short)


_BY_HAND = {
    "text": "remove those characters",
    "path": "give the file another name",
}
"""Rules whose mend is an edit of what is committed."""

_UNSHALLOW = "git fetch --unshallow"
_OWN = "':(top,exclude).hkgit/ledger' ':(top,exclude).hkgit/.gitattributes'"
"""What hkgit itself writes is no part of a change."""
_TURNED = r"git checkout -b again \w+ && hkgit apply --merge \w+ SPEC"


def mend(ruling: Ruling) -> str:
    """Write a command that fixes a commit, with what is left to do behind `#`; or nothing."""
    if ruling.passes:
        return ""
    candidate, rule = ruling.judged.candidate, ruling.rule
    if rule == "unverifiable":
        return _UNSHALLOW if _UNSHALLOW in ruling.findings[0].fix else _to_look_at(ruling)
    if rule == "prune" and candidate.id is not None and not ruling.before.paths:
        return f"hkgit redo {candidate.id[:12]}  # it leaves that out; prune only what has landed"
    if rule == "signature" and candidate.id is not None:
        commits = f"{candidate.id[:12]}^..{candidate.id[:12]}"
        return f"hkgit attest --entries {commits} --key FILE  # then push refs/hkgit/entries/*"
    if rule == "assisted-by":
        return _reword(ruling)
    reads = list(dict.fromkeys(each.mend for each in ruling.findings if each.mend))
    if rule == BLIND and reads:
        return _join(reads) if candidate.id is None else " && ".join(reads)
    if len(candidate.parents) > 1:
        turned = re.search(_TURNED, ruling.findings[0].fix)
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


def render_message(item: ReportItem) -> str:
    """Render a finding for one place in a file: what, what to do, its commit, and where to read on.

    Annotations, comments and issues of every host have these words.
    """
    finding, ruling = item.finding, item.ruling
    return "\n".join(
        (
            finding.what if item.place is not None else f"{finding.where}: {finding.what}",
            finding.fix,
            f"Commit {name_commit(ruling)}: {mend(ruling) or f'allowed by {ruling.rule}'}",
            f"More about this rule: {find_rule_url(finding.rule) or f'hkgit help {finding.rule}'}",
        )
    )


def _before_commit(ruling: Ruling) -> str:
    """For a commit that is not made yet: made beside the branch, from the tree that git has.

    Index and worktree stay as they are meanwhile, with what was not staged.
    """
    if ruling.judged.candidate.amends and ruling.rule == "bytes":
        return _commit_by_hand(ruling)
    if ruling.before.for_person:
        return render_for_person(ruling)
    if ruling.rule == "budget":
        return f"{_KEPT}: commit it in parts"
    by_hand = ruling.before.by_hand or ruling.rule
    if by_hand in _BY_HAND:
        return f"{_KEPT}: {_BY_HAND[by_hand]}, then commit again"
    if ruling.judged.entries and ruling.rule in ("bytes", "mode"):
        return _apart_from_sessions(ruling)
    if by_hand == LATE:
        return render_for_late(ruling)
    return f"{render_redo(ruling)}  # with -m for another message"


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
        return f"{render_redo(ruling)}  # with -m for another message"
    first = "".join(f"{each} && " for each in reads)
    then = "stage and commit what was made by hand first, then the rest"
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
        return _as_a_person(short) if is_granted else render_for_person(ruling)
    if not parents:
        is_late = ruling.before.by_hand == LATE
        return render_for_late(ruling) if is_late else render_remake(ruling, short)
    parent = parents[0][:12]
    if not ruling.before.paths:
        return f"hkgit redo {short}  # it leaves that out: it changes nothing but the ledger"
    if ruling.before.by_hand == LATE:
        is_granted = ruling.before.is_granted and ruling.rule in OF_EVIDENCE
        return _as_a_person(short) if is_granted else render_for_late(ruling)
    by_hand = ruling.before.by_hand or ruling.rule
    if by_hand in _BY_HAND and not is_in_words(ruling):
        patch = f"again-{short}.patch"
        then = f"hkgit redo {short} --patch {patch} && rm {patch}"
        return f"{_difference(parent, short)} >{patch}  # {_BY_HAND[by_hand]} there, then: {then}"
    return render_remake(ruling, short)


def _difference(old: str, new: str) -> str:
    """The command that prints what a commit changes, less the records of hkgit."""
    return f"git diff-tree -p --text --no-renames {old} {new} -- :/ {_OWN}"


def _as_a_person(short: str) -> str:
    """The same commit, which a person takes upon himself: what no evidence lets pass."""
    return f"hkgit redo --vouch {short}  # as a person with a [[gate.manual]] grant for these paths"
