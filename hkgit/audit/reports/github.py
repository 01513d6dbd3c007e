"""Annotations, as GitHub's workflow commands, beside the text of the report.

Grammar: github.com/actions/toolkit, docs/commands.md; only `%`, CR and LF are escaped in a
message, `:` and `,` too in a property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.audit.reports import text
from hkgit.audit.reports.findings import ReportItem, grade
from hkgit.audit.reports.fix import render_message
from hkgit.audit.reports.report_format import ReportTotals
from hkgit.audit.reports.summary import JobSummary
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import escape_workflow_data, escape_workflow_property

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


class GitHubFormat(text.TextFormat):
    """The log text, then an annotation for each finding, shown on the files.

    `page` is for the page of the job.
    """

    def __init__(self, policy: Policy, commit_url: str | None = None) -> None:
        super().__init__(policy, commit_url)
        self.page = JobSummary(commit_url)

    def add(self, ruling: Ruling, items: Sequence[ReportItem]) -> Iterable[str]:
        self.items += items
        self.page.add(ruling)
        return super().add(ruling, items)

    def end(self, totals: ReportTotals) -> Iterable[str]:
        yield from super().end(totals)
        for item in self.items:
            yield f"{_annotation(_COMMANDS[grade(item, self.policy)], item)}\n"


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
