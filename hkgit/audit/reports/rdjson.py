"""Reviewdog's diagnostic format, which it takes to any code host.

A range without columns is one of whole lines, its end included (reviewdog, proto/rdf).
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.audit.reports.findings import LEVELS, ReportItem, find_rule_url, grade
from hkgit.audit.reports.fix import render_message
from hkgit.audit.reports.plain import dump_json, to_text
from hkgit.audit.reports.report_format import ReportTotals
from hkgit.errors import HkgitError
from hkgit.text.strict_json import JsonObject

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(items: Sequence[ReportItem], totals: ReportTotals) -> str:
    """Render one diagnostic a finding."""
    found = [_diagnostic(item, _SEVERITIES[grade(item, totals.policy)]) for item in items]
    return _result(found, _SEVERITIES[LEVELS[totals.policy.mode]])


def refusal(error: HkgitError) -> str:
    """Render one diagnostic: why there is no judgement."""
    return _result([{"message": to_text(str(error)), "severity": "ERROR"}], "ERROR")


def _result(diagnostics: list[JsonObject], severity: str) -> str:
    source = {"name": "hkgit"}
    return dump_json({"source": source, "severity": severity, "diagnostics": diagnostics})


def _diagnostic(item: ReportItem, severity: str) -> JsonObject:
    finding, place = item.finding, item.place
    url = find_rule_url(finding.rule)
    diagnostic: JsonObject = {
        "message": to_text(render_message(item)),
        "severity": severity,
        "code": {"value": finding.rule} | ({} if url is None else {"url": url}),
    }
    if place is not None:
        diagnostic["location"] = {"path": to_text(place.path)}
        if place.start_line is not None:
            lines = {"start": {"line": place.start_line}, "end": {"line": place.end_line}}
            diagnostic["location"]["range"] = lines
    return diagnostic
