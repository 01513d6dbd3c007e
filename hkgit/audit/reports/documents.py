"""Documents of findings for other tools: GitLab's code quality, SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from hkgit import __version__
from hkgit.audit.reports import Judged
from hkgit.audit.reports.findings import (
    NOWHERE,
    ReportItem,
    SourcePlace,
    describe_rule,
    find_rule_url,
    grade,
    mend,
    read_sections,
    render_message,
)
from hkgit.audit.reports.plain import dump_json, to_text
from hkgit.edits import encode_text
from hkgit.errors import HkgitError, Rejected
from hkgit.gate.ruling import Report
from hkgit.text.strict_json import JsonObject

_GITLAB = {"error": "major", "warning": "minor", "note": "info"}


def render_gitlab(judged: Judged, report: Report) -> Iterator[str]:
    """Render one issue a finding."""
    items = _list_items(judged)
    yield dump_json([_issue(item, _GITLAB[grade(item, report.policy)]) for item in items])


def _list_items(judged: Judged) -> list[ReportItem]:
    """List the findings of all commits: a document has them in one."""
    return [item for _, items in judged for item in items]


def refuse_gitlab(error: HkgitError) -> str:
    """Render no issues: the reason is on standard error, and the exit code reports it."""
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


SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(judged: Judged, report: Report) -> Iterator[str]:
    """Render one run with a result a finding."""
    items = _list_items(judged)
    rules = list(dict.fromkeys(item.finding.rule for item in items))
    results = [_result(item, rules, grade(item, report.policy)) for item in items]
    code = 0 if report.passes else Rejected.exit_code
    yield _log(rules, results, {"executionSuccessful": True, "exitCode": code})


def refuse_sarif(error: HkgitError) -> str:
    """Render a run that came to no results, and why."""
    notice = {"level": "error", "message": {"text": to_text(str(error))}}
    return _log(
        [],
        [],
        {
            "executionSuccessful": False,
            "exitCode": error.exit_code,
            "toolExecutionNotifications": [notice],
        },
    )


def _log(rules: list[str], results: list[JsonObject], invocation: JsonObject) -> str:
    driver = {"name": "hkgit", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return dump_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: str) -> JsonObject:
    url = find_rule_url(rule)
    return {
        "id": rule,
        "shortDescription": {"text": describe_rule(rule)},
        "help": {
            "text": f"hkgit help {rule}",
            "markdown": read_sections().get(rule, describe_rule(rule)),
        },
    } | ({} if url is None else {"helpUri": url})


def _result(item: ReportItem, rules: list[str], level: str) -> JsonObject:
    finding = item.finding
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": level,
        "message": {"text": to_text(render_message(item))},
        # GitHub takes no file with a result that has no place.
        "locations": [{"physicalLocation": _location(item.place or SourcePlace(NOWHERE))}],
        "partialFingerprints": {"hkgitFinding/v1": item.fingerprint},
        "properties": {
            "commit": item.ruling.judged.candidate.id,
            "replay": item.ruling.replay,
            "mend": to_text(mend(item.ruling)),
        },
    }


def _location(place: SourcePlace) -> JsonObject:
    location: JsonObject = {
        "artifactLocation": {"uri": quote(encode_text(place.path)), "uriBaseId": "%SRCROOT%"}
    }
    if place.start_line is not None:
        location["region"] = {"startLine": place.start_line, "endLine": place.end_line}
    return location
