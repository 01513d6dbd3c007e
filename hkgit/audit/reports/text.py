"""A report for people at a terminal, and for GitHub with annotations beside it.

Their grammar: github.com/actions/toolkit, docs/commands.md; only `%`, CR and LF are escaped in a
message, `:` and `,` too in a property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.audit.reports import Judged
from hkgit.audit.reports.findings import ReportItem, grade, mend, name_commit, render_message
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import (
    count_noun,
    escape_console,
    escape_workflow_data,
    escape_workflow_property,
)


def render_text(judged: Judged, report: Report) -> Iterator[str]:
    """Write each commit, its reasons, the command that fixes it, and a summary."""
    for ruling, _ in judged:
        yield from (f"{escape_console(line)}\n" for line in _list_lines(ruling, report))
    yield f"{escape_console(summarize(report))}\n"


def report_lines(report: Report, shown: Iterable[Ruling] | None = None) -> Iterator[str]:
    """Write the lines of a whole report, or of some of its rulings, and its sum."""
    rulings = report.rulings if shown is None else shown
    lines = render_text(((ruling, ()) for ruling in rulings), report)
    return (line.removesuffix("\n") for line in lines)


def _list_lines(ruling: Ruling, report: Report) -> Iterator[str]:
    judged, policy = ruling.judged, report.policy
    is_binding = policy.mode == "enforce"
    mark = "ok  " if ruling.passes else "FAIL" if is_binding else "warn"
    yield f"{mark} {name_commit(ruling)}  replay {ruling.replay}, {_outcome(ruling, policy)}"
    for finding in ruling.findings:
        yield f"     {finding.where}: {finding.what}"
        yield f"       -> {finding.fix}"
    for note in judged.notes:
        yield f"     note: {note}"
    if report.explain:
        tried = enumerate(ruling.tried, 1)
        yield from (f"     {number}. {each.rule}: {each.says}" for number, each in tried)
        yield from (f"     evidence: {words}" for words in ruling.evidence)
    if ruling.passes:
        return
    command = mend(ruling)
    if command:
        yield f"     fix: {command}"


def _outcome(ruling: Ruling, policy: Policy) -> str:
    """What a policy says of a commit; one whose floors are not asked accepts nothing."""
    if policy.any_verdict:
        return f"{'holds' if ruling.passes else 'fails'}: {ruling.rule}"
    refused = "fails" if policy.mode == "enforce" else "would reject it"
    return f"policy {'passes' if ruling.passes else refused}: {ruling.rule}"


def summarize(report: Report) -> str:
    """Say how many commits there are, how many pass, and under which policy."""
    policy, count, rejected = report.policy, report.count, report.rejected
    words = count_noun(count, "commit")
    if policy.any_verdict:
        words += f", {rejected} rejected" if rejected else ", all hold" if count else ""
        return f"{words}; {policy.source}, without its floors"
    would = "" if policy.mode == "enforce" else "would be "
    if count:
        words += f", {rejected} {would}rejected" if rejected else ", all pass"
    if would and rejected:
        words += f" (mode {policy.mode})"
    return f"{words}; {policy.source}" + (", provisional" if report.provisional else "")


_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_github(judged: Judged, report: Report) -> Iterator[str]:
    """Write the log text, then an annotation for each finding, shown on the files."""
    found: list[ReportItem] = []

    def watch() -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
        for ruling, items in judged:
            found.extend(items)
            yield ruling, items

    yield from render_text(watch(), report)
    for item in found:
        yield f"{_annotation(_COMMANDS[grade(item, report.policy)], item)}\n"


def _annotation(command: str, item: ReportItem) -> str:
    properties = ",".join(
        f"{key}={escape_workflow_property(value)}" for key, value in _properties(item)
    )
    return f"::{command} {properties}::{escape_workflow_data(render_message(item))}"


def _properties(item: ReportItem) -> Iterator[tuple[str, str]]:
    place = item.place
    if place is not None:
        yield "file", place.path
        if place.start_line is not None:
            yield "line", str(place.start_line)
            yield "endLine", str(place.end_line)
    yield "title", f"hkgit: {item.finding.rule}"
