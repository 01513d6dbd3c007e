"""`hkgit gate` on a commit that git is making."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from shlex import quote

from hkgit.cli.common import open_hook_repository
from hkgit.cli.output import CONSOLE, QUIET
from hkgit.cli.passed_commits import is_about_names_alone, remember
from hkgit.evidence.verdict import BLIND, Finding
from hkgit.gate.ruling import REJECTED, Report
from hkgit.git.facts import (
    ALLOW_BLIND,
    TRANSACTION,
    Facts,
    facts_of_commit,
    find_agent_shell,
    is_left_to_commit_msg,
)
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace
from hkgit.workflows.judgement import judge

_UNRECORDED = (
    "This is the shell of {shell}, and no session has recorded this change: its hooks are not set"
    " up, or it was started below the root, where it may not read them (for the next time: hkgit"
    " init --agent NAME, with --user for directories below). A person commits their own work in"
    " their own shell. {fix}"
)

_UNSTAGED = (
    "Session {session} has recorded it, but the pre-commit hook of this clone does not ask hkgit"
    " (hkgit init says which line it lacks). Add the evidence, then commit again: {fix}"
)


def judge_and_print(
    message_file: str | None,
    policy: str | None = None,
    form: str = "text",
    *,
    explain: bool = False,
) -> bool:
    """Whether the commit that git is making passes; the report is printed."""
    if message_file is None and os.environ.get(TRANSACTION) and is_left_to_commit_msg():
        return True
    repository = open_hook_repository()
    report = judge_commit(repository, message_file, policy, explain=explain)
    if report.is_clean and CONSOLE.loudness <= QUIET and form == "text" and not explain:
        return report.passes
    from hkgit.cli.ruling_output import print_report  # most commits pass without a word

    return print_report(repository, report, form, explain=explain)


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
        message_file,
        policy,
        allow_blind=allow_blind,
        explain=explain,
        shell=shell,
    )
    if policy is None and repository.in_hook and is_about_names_alone(report):
        remember(_facts(repository, report, head))
    if not report.is_clean:
        report = _add_fixes(repository, report)
    judged = report.rulings[0].judged
    if message_file is not None and judged.entries:
        from hkgit.cli.removed_text import warn_of_candidate  # as no person's commit needs

        warn_of_candidate(repository, judged)
    if TRANSACTION in os.environ and not report.passes:
        # The `hkgit apply` that is committing is told that it was the gate that said no.
        from hkgit.audit.reports.text import report_lines

        (repository.git_dir / REJECTED).write_text("\n".join(report_lines(report)))
    return report


def _facts(repository: Repository, report: Report, head: str | None) -> Facts | None:
    """The facts of what was judged; None where HEAD, which names the policy, has moved since."""
    tree = report.rulings[0].judged.candidate.tree
    facts = facts_of_commit((tree, "\n".join(repository.variables or ())))
    return facts if facts is not None and facts.head == f"{head} commit" else None


@dataclass(frozen=True)
class _BlindFixes:
    """How each blind edit can still get evidence.

    `reads` has the commands that read its lines, for each path; `adoption` is the command that
    takes its evidence from a transcript, if one explains the whole change. `shell` is the agent
    in whose shell a change was made that no session has recorded. `session` is one that has, where
    no hook before the commit has asked it.
    """

    reads: Mapping[str, Collection[str]]
    adoption: str
    shell: str | None
    session: str | None

    def add_to(self, finding: Finding) -> Finding:
        """Put the fix that helps into a finding; leave others as they are."""
        if finding.rule != BLIND:
            return finding
        if self.session is not None:
            path = quote(f":/{finding.where.rpartition(':')[0] or finding.where}")
            mend = f"git add -- {path} && hkgit record --staged"
            fix = _UNSTAGED.format(session=self.session, fix=mend)
            return replace(finding, fix=fix, mend=mend)
        if self.adoption:
            fix = f"A transcript explains all of it: {self.adoption}"
            return replace(finding, fix=fix, mend=self.adoption)
        if self.shell is not None:
            return replace(finding, fix=_UNRECORDED.format(shell=self.shell, fix=finding.fix))
        read = self._find_reads(finding)
        return replace(finding, fix=f"Read what it touched: {read}", mend=read) if read else finding

    def _find_reads(self, finding: Finding) -> str:
        known = self.reads.get(finding.where.rpartition(":")[0], ())
        own = [each for each in known if finding.where in each.split()]
        return " && ".join(own or known)


def _add_fixes(repository: Repository, report: Report) -> Report:
    """Add to each blind edit of a report what gives it evidence."""
    if repository.work_tree is None:
        return report
    # Few commits are rejected.
    from hkgit.sessions.waiting_edits import find_blind_reads

    reads: dict[str, dict[str, None]] = {}
    for path, command in find_blind_reads(repository, repository.work_tree, report.policy):
        reads.setdefault(path, {})[command] = None
    has_entries = any(ruling.judged.entries for ruling in report.rulings)
    fixes = _BlindFixes(
        reads=reads,
        adoption="" if reads else _find_adoption(repository, report),
        shell=None if has_entries else find_agent_shell(),
        session=None if has_entries else _find_session(repository, report),
    )
    rulings = (
        replace(each, findings=tuple(map(fixes.add_to, each.findings))) for each in report.rulings
    )
    return replace(report, rulings=tuple(rulings))


def _find_session(repository: Repository, report: Report) -> str | None:
    """Find a session whose evidence waits for a file of the commit, and which nobody has asked."""
    from hkgit.gate.entrypoints.hook_scripts import asks_hkgit
    from hkgit.sessions.call_journal import list_waiting
    from hkgit.sessions.waiting_edits import open_journals
    from hkgit.workflows.git_hooks import find_framework

    root = repository.work_tree
    if root is None or asks_hkgit(repository, "pre-commit") or find_framework(root) is not None:
        return None
    found = (each for ruling in report.rulings for each in ruling.findings if each.rule == BLIND)
    blind = {each.where.rpartition(":")[0] or each.where for each in found}
    waiting = list_waiting(open_journals(repository, root))
    return next((each.key[0] for each in waiting if blind.intersection(each.paths)), None)


def _find_adoption(repository: Repository, report: Report) -> str:
    """Find the command that adopts evidence from a transcript that explains a blind change."""
    rulings = [each for each in report.rulings if not each.passes and each.rule == BLIND]
    if not rulings or any(each.judged.entries for each in rulings):
        return ""
    from hkgit.cli.adopt import find_adoption

    return find_adoption(repository, rulings[0].judged.candidate)
