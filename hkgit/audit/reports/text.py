"""A report for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.audit.reports.findings import ReportSheet, name_commit
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import count_noun, escape_console


def render(sheet: ReportSheet) -> str:
    """Render a line for each commit, its reasons, the command that mends it, and a summary."""
    return "\n".join(report_lines(sheet.report)) + "\n"


def report_lines(report: Report) -> Iterator[str]:
    """Write the lines of `render`."""
    for ruling in report.rulings:
        yield from ruling_lines(ruling, report.policy)
    yield escape_console(summarize_report(report))


def ruling_lines(ruling: Ruling, policy: Policy) -> Iterator[str]:
    """Write the lines on one commit."""
    return map(escape_console, _ruling_lines(ruling, policy))


def _ruling_lines(ruling: Ruling, policy: Policy) -> Iterator[str]:
    judged = ruling.judged
    is_binding = policy.mode == "enforce"
    mark = "ok  " if ruling.passes else "FAIL" if is_binding else "warn"
    yield f"{mark} {name_commit(ruling)}  replay {ruling.replay}, {_outcome(ruling, policy)}"
    for finding in ruling.findings:
        yield f"     {finding.where}: {finding.what}"
        yield f"       -> {finding.fix}"
    for note in judged.notes:
        yield f"     note: {note}"
    if ruling.passes:
        return
    from hkgit.audit.reports.fix import mend

    command = mend(ruling)
    if command:
        yield f"     fix: {command}"


def _outcome(ruling: Ruling, policy: Policy) -> str:
    """What a policy says of a commit; one whose floors are not asked lets nothing pass."""
    if policy.any_verdict:
        return f"{'holds' if ruling.passes else 'fails'}: {ruling.rule}"
    refused = "fails" if policy.mode == "enforce" else "would reject it"
    return f"policy {'passes' if ruling.passes else refused}: {ruling.rule}"


def summarize_report(report: Report) -> str:
    """Say how many commits there are, how many pass, and under which policy."""
    rejected = sum(not ruling.passes for ruling in report.rulings)
    return summarize(report.policy, len(report.rulings), rejected, provisional=report.provisional)


def summarize(policy: Policy, count: int, rejected: int, *, provisional: bool = False) -> str:
    """Write the words of `summarize_report`, from counts."""
    words = count_noun(count, "commit")
    if policy.any_verdict:
        words += f", {rejected} rejected" if rejected else ", all hold" if count else ""
        return f"{words}; {policy.source}, its floors left out"
    would = "" if policy.mode == "enforce" else "would be "
    if count:
        words += f", {rejected} {would}rejected" if rejected else ", all pass"
    if would and rejected:
        words += f" (mode {policy.mode})"
    return f"{words}; {policy.source}" + (", provisional" if provisional else "")
