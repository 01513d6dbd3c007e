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
_MESSAGE = "  # with -m for another message"
_BY_HAND = {
    "text": "remove those characters",
    "path": "give the file another name",
}
"""Rules whose fix is an edit of what is committed."""

_UNSHALLOW = "git fetch --unshallow"
_OWN = "':(top,exclude).hkgit/ledger' ':(top,exclude).hkgit/.gitattributes'"
"""What hkgit itself writes is no part of a change."""
_TURNED = r"git checkout -b again \w+ && hkgit apply --merge \w+ SPEC"
_IN_WORDS = ("message", "header", "author", "committer")
"""Where a rule on text refers to no file."""


def mend(ruling: Ruling) -> str:
    """Write a command that fixes a commit, with what is left to do behind `#`; or nothing."""
    if ruling.passes:
        return ""
    candidate, rule, first = ruling.judged.candidate, ruling.rule, ruling.findings[0]
    short = (candidate.id or "")[:12]
    if rule == "unverifiable":
        # No command fixes what cannot be read or costs too much: its finding says what to do.
        look = f"git status  # {first.fix or first.what}"
        return _UNSHALLOW if _UNSHALLOW in first.fix else look
    if rule == "prune" and short and not ruling.before.paths:
        return f"hkgit redo {short}  # it leaves that out; prune only what has landed"
    if rule == "signature" and short:
        attest = f"hkgit attest --entries {short}^..{short} --key FILE"
        return f"{attest}  # then push refs/hkgit/entries/*"
    if rule == "assisted-by":  # the message alone is wrong: everything else of the commit stays
        onto = f"{short}^" if candidate.parents else "--root"
        return f"git {f'rebase -i -r {onto}  # reword it:' if short else 'commit  #'} {first.fix}"
    reads = list(dict.fromkeys(each.mend for each in ruling.findings if each.mend))
    if rule == BLIND and reads:
        return " && ".join(reads) if short else _join(reads)
    turned = re.search(_TURNED, first.fix)
    if turned is not None and len(candidate.parents) > 1:
        return turned[0]
    return _after_commit(ruling, short) if short else _before_commit(ruling, reads)


def _join(commands: Sequence[str]) -> str:
    """Join commands, each once; what was taken back is then to be edited again."""
    steps = dict.fromkeys(step for each in commands for step in each.split(" && "))
    then = "make the edit again, and commit" if any(" undo " in each for each in steps) else ""
    return f"{' && '.join(steps)}  # then {then or 'commit again'}"


def _for_person(ruling: Ruling) -> str:
    """Where no evidence helps: a person, or first a grant."""
    if ruling.before.is_granted:
        return f"{_KEPT}: let a person with a [[gate.manual]] grant for these paths commit it"
    what = "the policy grants nobody these paths: a person has to commit a [[gate.manual]] first"
    return f"{_KEPT}: {what}"


def _for_late(ruling: Ruling) -> str:
    """Where no evidence from afterwards counts."""
    if ruling.before.is_granted:
        return f"{_KEPT}: let a person with a [[gate.manual]] grant for these paths vouch for it"
    what = "make it again in a session that reads first, or let a person vouch for it"
    return f"{_KEPT}, and what is read afterwards does not count: {what}, or accept `late`"


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


def _after_commit(ruling: Ruling, short: str) -> str:
    """For an existing commit: it is made again beside itself, and what follows moves there."""
    before, parents = ruling.before, ruling.judged.candidate.parents
    vouch = (
        f"hkgit redo --vouch {short}  # as a person with a [[gate.manual]] grant for these paths"
    )
    if before.for_person and len(parents) < 2:
        return vouch if before.is_granted else _for_person(ruling)
    if not before.paths and len(parents) == 1:
        return f"hkgit redo {short}  # it leaves that out: it changes nothing but the ledger"
    if before.by_hand == LATE and (before.paths or not parents):
        is_granted = before.is_granted and ruling.rule in OF_EVIDENCE and len(parents) == 1
        return vouch if is_granted else _for_late(ruling)
    if ruling.rule == "text" and ruling.findings[0].where.partition(":")[0] in _IN_WORDS:
        plain = "LC_ALL=C tr -cd '\\11\\12\\40-\\176'"
        return f'hkgit redo {short} -m "$(git log -1 --format=%B {short} | {plain})"'
    by_hand = before.by_hand or ruling.rule
    if by_hand in _BY_HAND and len(parents) == 1:
        patch = f"again-{short}.patch"
        change = f"git diff-tree -p --text --no-renames {parents[0][:12]} {short} -- :/ {_OWN}"
        then = f"hkgit redo {short} --patch {patch} && rm {patch}"
        return f"{change} >{patch}  # {_BY_HAND[by_hand]} there, then: {then}"
    return f"hkgit redo {short}"


def _before_commit(ruling: Ruling, reads: Sequence[str]) -> str:
    """For a commit that is not made yet: made beside the branch, from the tree that git has.

    Index and worktree stay as they are meanwhile, with what was not staged.
    """
    before, candidate = ruling.before, ruling.judged.candidate
    redo = f"hkgit redo --tree {candidate.tree[:12]}"
    is_merge = len(candidate.parents) > 1
    if candidate.amends and ruling.rule == "bytes" and not is_merge:
        return _commit_by_hand(ruling)
    if before.for_person:
        return _for_person(ruling)
    if is_merge and (len(candidate.parents) > 2 or not before.paths):
        return "git merge --abort  # then merge without other changes"
    if ruling.rule == "budget" and not is_merge:
        return f"{_KEPT}: commit it in parts"
    by_hand = before.by_hand or ruling.rule
    if by_hand in _BY_HAND and not is_merge:
        return f"{_KEPT}: {_BY_HAND[by_hand]}, then commit again"
    if ruling.judged.entries and ruling.rule in ("bytes", "mode") and not is_merge:
        return _apart_from_sessions(ruling, redo, reads)
    if by_hand == LATE:
        return _for_late(ruling)
    return redo + _MESSAGE


def _apart_from_sessions(ruling: Ruling, redo: str, reads: Sequence[str]) -> str:
    """For a commit of which sessions account for some: that need not be made again.

    Whole files by hand, also those that went, get a commit of their own; so do lines, by a person
    who can tell them apart. An agent's have no hand: they are made again.
    """
    if ruling.agent is not None and ruling.before.by_hand == LATE:
        return _for_late(ruling)
    known = {file.path for _, entry in ruling.judged.entries for file in entry.files}
    if (set(ruling.before.paths) - known).issuperset(_list_named(ruling)):
        again = f"{redo} -- {_quote_named(ruling)}"
        return _join([_commit_by_hand(ruling) if ruling.agent is None else again, *reads])
    if ruling.agent is not None:
        return redo + _MESSAGE
    first = "".join(f"{each} && " for each in reads)
    then = "stage and commit what was made by hand first, then the rest"
    return f"{first}git reset -q && git add -p  # {then}"


def _commit_by_hand(ruling: Ruling) -> str:
    """The command that commits the files of the findings by themselves."""
    return f"git commit -q -m 'By hand' --only -- {_quote_named(ruling)}"


def _quote_named(ruling: Ruling) -> str:
    return shlex.join(f":/{path}" for path in _list_named(ruling))


def _list_named(ruling: Ruling) -> list[str]:
    """The paths that findings of the rule which decided name."""
    named = (each.path or each.where for each in ruling.findings if each.rule == ruling.rule)
    return list(dict.fromkeys(named))
