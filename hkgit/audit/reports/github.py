"""A report for GitHub: annotations beside its text.

Grammar: github.com/actions/toolkit, docs/commands.md; only `%`, CR and LF are escaped in a
message, `:` and `,` too in a property.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.audit.reports import Judged, ReportTotals
from hkgit.audit.reports.findings import ReportItem, grade
from hkgit.audit.reports.fix import render_message
from hkgit.audit.reports.text import render_text
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import (
    escape_workflow_data,
    escape_workflow_property,
)

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_github(judged: Judged, totals: ReportTotals) -> Iterator[str]:
    """Write the log text, then an annotation for each finding, shown on the files."""
    found: list[ReportItem] = []

    def watch() -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
        for ruling, items in judged:
            found.extend(items)
            yield ruling, items

    yield from render_text(watch(), totals)
    for item in found:
        yield f"{_annotation(_COMMANDS[grade(item, totals.policy)], item)}\n"


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
