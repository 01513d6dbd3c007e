"""How each rejection is fixed."""

from __future__ import annotations

import shlex

from hkgit.audit.reports.findings import ReportItem, find_rule_url, name_commit
from hkgit.gate.ruling import Ruling

_UNSHALLOW = "git fetch --unshallow"


def mend(ruling: Ruling) -> str:
    """Write a command that fixes a commit, with what is left to do behind `#`; or nothing.

    For most it is `hkgit redo`, which refuses what it cannot make again, and says who can.
    """
    if ruling.passes:
        return ""
    candidate, first = ruling.judged.candidate, ruling.findings[0]
    commit = (candidate.id or "")[:12]
    if ruling.rule == "unverifiable":
        # No command fixes what cannot be read or costs too much: its finding says what to do.
        return _UNSHALLOW if _UNSHALLOW in first.fix else f"git status  # {first.fix or first.what}"
    if ruling.rule == "assisted-by":  # the message alone is wrong: all else of the commit stays
        onto = f"{commit}^" if candidate.parents else "--root"
        return f"git {f'rebase -i -r {onto}  # reword it:' if commit else 'commit  #'} {first.fix}"
    if first.mend:
        own = (each.mend for each in ruling.findings if each.mend)
        steps = dict.fromkeys(step for each in own for step in each.split(" && "))
        is_undone = any(" undo " in each for each in steps)
        then = "make the edit again, and commit" if is_undone else "commit again"
        return " && ".join(steps) + ("" if commit else f"  # then {then}")
    if commit:
        return f"hkgit redo {commit}"
    is_mixed = ruling.judged.entries and ruling.agent is None and len(candidate.parents) < 2
    if is_mixed and ruling.rule in ("bytes", "mode"):
        return _split_by_hand(ruling)
    return f"hkgit redo --tree {candidate.tree[:12]}  # with -m for another message"


def _split_by_hand(ruling: Ruling) -> str:
    """Commit first what a person has changed beside sessions, who can tell lines apart."""
    named = [each.path or each.where for each in ruling.findings if each.rule == ruling.rule]
    known = {file.path for _, entry in ruling.judged.entries for file in entry.files}
    paths = shlex.join(f":/{path}" for path in dict.fromkeys(named))
    command = f"git commit -q -m 'By hand' --only -- {paths}"
    if ruling.judged.candidate.amends:
        return command
    if known.isdisjoint(named):
        return f"{command}  # then commit again"
    return "git reset -q && git add -p  # commit what was made by hand first, then the rest"


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
