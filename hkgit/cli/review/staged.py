"""staged.py: `hkgit gate` on a commit that git is making."""

from __future__ import annotations

import os
from contextlib import suppress

from hkgit.audit.reports.text import report_lines
from hkgit.cli.remembering import remember
from hkgit.evidence.replay.findings import BLIND, Finding
from hkgit.gate import REJECTED, Report
from hkgit.git.facts import (
    ALLOW_BLIND,
    TRANSACTION,
    Facts,
    facts_of_commit,
    find_agent_shell,
)
from hkgit.git.repository import Repository
from hkgit.values import replace
from hkgit.workflows.gate.commit import JudgeRequest, judge

_UNRECORDED = (
    "This is the shell of {shell}, and no session has recorded this change: its hooks are not set"
    " up, or it was started below the root, where it may read none (for the next time: hkgit init"
    " --agent NAME, with --user for directories below). What is a person's is committed in a"
    " shell of their own. {fix}"
)


def judge_commit(
    repository: Repository, message_file: str | None, policy: str | None, *, explain: bool = False
) -> Report:
    """Judge the staged commit; the report is provisional.

    `message_file` is known at commit-msg only.
    """
    head = repository.head().commit
    allow_blind = os.environ.get(TRANSACTION) == ALLOW_BLIND
    shell = find_agent_shell() if repository.in_hook else None
    report = judge(
        repository,
        JudgeRequest(
            message_file=message_file,
            policy=policy,
            allow_blind=allow_blind,
            explain=explain,
            shell=shell,
        ),
    )
    facts = _facts(repository, report, head) if policy is None and repository.in_hook else None
    remember(facts, report)
    if facts is not None and report.passes and not facts.keeps_ledger:
        _foresee(repository, facts, report)
    if not report.is_clean:
        report = _with_reads(repository, report)
    if TRANSACTION in os.environ and not report.passes:
        # The `hkgit apply` that is committing is told that it was the gate that said no.
        (repository.git_dir / REJECTED).write_text("\n".join(report_lines(report)))
    return report


def _facts(repository: Repository, report: Report, head: str | None) -> Facts | None:
    """The facts of what was judged; None where HEAD, which names the policy, has moved since."""
    settings = repository.settings.lines
    tree = report.rulings[0].judged.candidate.tree
    facts = facts_of_commit((tree, "\n".join(settings or ())))
    return facts if facts is not None and facts.head == f"{head} commit" else None


def _foresee(repository: Repository, facts: Facts, report: Report) -> None:
    """Spare post-commit the work that can be done here, where sessions have edited."""
    if not any((repository.git_dir / "hkgit/sessions").glob("*/journal")):
        return
    from hkgit.sessions.commit.foreseeing import foresee_settlement

    with suppress(OSError):  # then post-commit does all of it
        foresee_settlement(repository, facts.tree, report.rulings[0].judged.entries)


def _with_reads(repository: Repository, report: Report) -> Report:
    """The report, with the read that mends each blind edit of a session."""
    if repository.work_tree is None:
        return report
    # Few commits are rejected.
    from hkgit.sessions.mending import blind_reads

    reads: dict[str, dict[str, None]] = {}
    for path, command in blind_reads(repository.work_tree):
        reads.setdefault(path, {})[command] = None
    adopted = "" if reads else _find_adoption(repository, report)
    shell = find_agent_shell()
    is_unrecorded = shell is not None and not any(r.judged.entries for r in report.rulings)

    def told(finding: Finding) -> Finding:
        known = reads.get(finding.where.rpartition(":")[0], {})
        own = [each for each in known if finding.where in each.split()]
        read = " && ".join(own or known)
        if finding.rule == BLIND and adopted:
            fix = f"A transcript explains all of it: {adopted}"
            return replace(finding, fix=fix, mend=adopted)
        if finding.rule == BLIND and is_unrecorded:
            return replace(finding, fix=_UNRECORDED.format(shell=shell, fix=finding.fix))
        if finding.rule != BLIND or not read:
            return finding
        return replace(finding, fix=f"Read what it touched: {read}", mend=read)

    rulings = tuple(
        replace(each, findings=tuple(map(told, each.findings))) for each in report.rulings
    )
    return replace(report, rulings=rulings)


def _find_adoption(repository: Repository, report: Report) -> str:
    """Find the command that adopts evidence from a transcript that explains a blind change."""
    rulings = [each for each in report.rulings if not each.passes and each.rule == BLIND]
    if not rulings or any(each.judged.entries for each in rulings):
        return ""
    from hkgit.cli.agent.adopting import is_explained

    tree = rulings[0].judged.candidate.tree
    return "hkgit adopt --staged" if is_explained(repository, tree) else ""
