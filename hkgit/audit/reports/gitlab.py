"""GitLab's code quality report, a subset of Code Climate's issues."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.audit.reports.findings import NOWHERE, ReportItem, grade
from hkgit.audit.reports.fix import render_message
from hkgit.audit.reports.plain import dump_json, to_text
from hkgit.audit.reports.report_format import ReportTotals
from hkgit.errors import HkgitError
from hkgit.text.strict_json import JsonObject

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(items: Sequence[ReportItem], totals: ReportTotals) -> str:
    """Render one issue a finding."""
    return dump_json([_issue(item, _SEVERITIES[grade(item, totals.policy)]) for item in items])


def refusal(error: HkgitError) -> str:
    """Render no issues: the reason stands on standard error, and the exit code tells of it."""
    return dump_json([])


def _issue(item: ReportItem, severity: str) -> JsonObject:
    finding, place = item.finding, item.place
    lines = {"begin": 1}
    if place is not None and place.start_line is not None and place.end_line is not None:
        lines = {"begin": place.start_line, "end": place.end_line}
    return {
        "description": to_text(render_message(item)),
        "check_name": f"hkgit/{finding.rule}",
        "fingerprint": item.fingerprint,
        "severity": severity,
        "location": {"path": NOWHERE if place is None else to_text(place.path), "lines": lines},
    }
