"""Annotations, as GitHub's workflow commands, beside the text of the report.

Grammar: github.com/actions/toolkit, docs/commands.md; only `%`, CR and LF are escaped in a
message, `:` and `,` too in a property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.audit.reports import text
from hkgit.audit.reports.findings import ReportItem, ReportSheet, grade
from hkgit.audit.reports.fix import render_message
from hkgit.gate.policy.model import Policy
from hkgit.text.escape import escape_workflow_data, escape_workflow_property

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(sheet: ReportSheet) -> str:
    """Render the log text, then an annotation for each finding, shown on the files."""
    return text.render(sheet) + render_annotations(sheet.items, sheet.report.policy)


def render_annotations(items: Iterable[ReportItem], policy: Policy) -> str:
    """Render a line for each finding."""
    return "".join(f"{_annotation(_COMMANDS[grade(item, policy)], item)}\n" for item in items)


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
