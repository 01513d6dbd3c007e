"""GitLab's code quality report, a subset of Code Climate's issues."""

from __future__ import annotations

from hkgit.audit.reports.documents import dump_json, to_text
from hkgit.audit.reports.findings import NOWHERE, ReportItem, ReportSheet
from hkgit.audit.reports.fix import render_message
from hkgit.errors import HkgitError
from hkgit.text.strict_json import JsonObject

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(sheet: ReportSheet) -> str:
    """Render one issue a finding."""
    return dump_json([_issue(item, _SEVERITIES[sheet.level(item)]) for item in sheet.items])


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
