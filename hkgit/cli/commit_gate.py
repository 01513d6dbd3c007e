"""`hkgit gate` on a commit that git is making."""

from __future__ import annotations

import os
from shlex import quote

from hkgit.cli.answer import Answer
from hkgit.cli.common import open_hook_repository
from hkgit.cli.output import CONSOLE, QUIET
from hkgit.cli.passed_commits import remember
from hkgit.evidence.replay import make_candidate
from hkgit.evidence.trailers import cut_at_scissors
from hkgit.evidence.verdict import BLIND, Finding
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import BUILT_IN
from hkgit.gate.ruling import Report, Ruling
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.facts import (
    ALLOW_BLIND,
    REJECTED,
    TRANSACTION,
    find_agent_shell,
    is_left_to_commit_msg,
)
from hkgit.git.repository import Repository, find_comment_mark, find_message_file, read_message
from hkgit.values import replace

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


def answer_commit(
    message_file: str | None, policy: str | None = None, *, explain: bool = False
) -> Answer:
    """Answer whether the commit that git is making passes."""
    if message_file is None and os.environ.get(TRANSACTION) and is_left_to_commit_msg():
        return Answer(None)
    repository = open_hook_repository()
    report = judge_commit(repository, message_file, policy, explain=explain)
    is_silent = CONSOLE.loudness <= QUIET and CONSOLE.form in ("", "text")
    if report.is_clean and report.passes and is_silent and not explain:
        return Answer(None)
    from hkgit.cli.ruling_output import answer_report  # most commits pass without a word

    return answer_report(repository, replace(report, explain=explain))


def judge_commit(
    repository: Repository, message_file: str | None, policy: str | None, *, explain: bool = False
) -> Report:
    """Judge the commit that git would make of the index; the report is provisional.

    `message_file` is what git's hook was given, known at commit-msg only. `policy` names another
    policy than that of HEAD, as FILE or REV:PATH. Raises InvalidInput for a policy that cannot be
    read, GitRefused for a message file that is not there.
    """
    message, head = _read_message(repository, message_file), repository.head()
    trusted = load_policy(repository, policy, head.commit)
    if os.environ.get(TRANSACTION) == ALLOW_BLIND:  # whoever commits has said so
        trusted = trusted.with_blind()
    trusted = trusted.for_refs(() if head.branch is None else (f"refs/heads/{head.branch}",))
    # Under the built-in policy a shell makes nobody an agent: somebody may be setting hkgit up.
    is_named = repository.in_hook and trusted.source != BUILT_IN
    shell = find_agent_shell() if is_named else None
    tree = repository.judged_tree
    candidates = [
        replace(make_candidate(repository, tree, parents, message), amends=number > 0)
        for number, parents in enumerate(repository.commit_in_progress_parents())
    ]
    gate = Gate(repository, trusted, JudgeContext(on_client=True, explain=explain, shell=shell))
    report = Report(trusted, (gate.judge_any(candidates),), provisional=True)
    if policy is None and repository.in_hook:
        remember(repository, report, tree, head.commit)
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


def _read_message(repository: Repository, message_file: str | None) -> bytes | None:
    """Read the message as git would keep it."""
    if message_file is None:
        return None
    raw = read_message(find_message_file(repository, message_file))
    raw, _ = cut_at_scissors(raw, find_comment_mark(repository, raw))
    return repository.git("stripspace", "--strip-comments", stdin=raw).stdout


def _add_fixes(repository: Repository, report: Report) -> Report:
    """Add to each blind edit what gives it evidence: a session's, a transcript's, or a reading."""
    [ruling] = report.rulings
    if repository.is_bare:
        return report
    # Few commits are rejected.
    from hkgit.cli.adopt import find_adoption, fix_blind, fix_by_adoption
    from hkgit.sessions.bypass import is_recorded
    from hkgit.sessions.waiting_edits import find_blind_reads

    parents, tree = ruling.judged.candidate.parents, ruling.judged.candidate.tree
    reads: dict[str, dict[str, None]] = {}
    for path, command in find_blind_reads(repository, report.policy):
        reads.setdefault(path, {})[command] = None
    is_bare = not ruling.judged.entries
    session = _find_session(repository, ruling) if is_bare else None
    is_asked = is_bare and not reads and not ruling.passes and ruling.rule == BLIND
    adoption = find_adoption(repository, ruling.judged.candidate) if is_asked else ""
    shell = find_agent_shell() if is_bare else None

    if ruling.redo is None and len(parents) == 1 and is_recorded(repository, *parents, tree):
        ruling = replace(ruling, redo="")

    def fix(finding: Finding) -> Finding:
        path = finding.where.rpartition(":")[0]
        if session is not None:
            mend = f"git add -- {quote(f':/{path or finding.where}')} && hkgit record --staged"
            return replace(finding, fix=_UNSTAGED.format(session=session, fix=mend), mend=mend)
        if adoption:
            return fix_by_adoption(finding, adoption)
        if shell is not None:
            return replace(finding, fix=_UNRECORDED.format(shell=shell, fix=finding.fix))
        known = reads.get(path, ())
        own = [each for each in known if finding.where in each.split()]
        read = " && ".join(own or known)
        return replace(finding, fix=f"Read what it touched: {read}", mend=read) if read else finding

    return replace(report, rulings=(fix_blind(ruling, fix),))


def _find_session(repository: Repository, ruling: Ruling) -> str | None:
    """Find a session whose evidence waits for a file of the commit, and which nobody has asked."""
    from hkgit.gate.entrypoints.hook_scripts import asks_hkgit
    from hkgit.sessions.call_journal import list_waiting
    from hkgit.sessions.waiting_edits import open_journals
    from hkgit.workflows.setup import find_framework

    root = repository.work_tree
    if root is None or asks_hkgit(repository, "pre-commit") or find_framework(root) is not None:
        return None
    found = (each.where for each in ruling.findings if each.rule == BLIND)
    blind = {where.rpartition(":")[0] or where for where in found}
    waiting = list_waiting(open_journals(repository))
    return next((each.key[0] for each in waiting if blind.intersection(each.paths)), None)
