"""Reports as JSON documents: our own, GitLab's code quality, SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from textwrap import indent
from urllib.parse import quote

from hkgit import __version__
from hkgit.applying.outcome import error_json
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
from hkgit.edits import encode_text
from hkgit.errors import HkgitError, Rejected
from hkgit.evidence.verdict import Finding
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import Json, JsonObject


def dump_json(value: Json) -> str:
    """Write JSON in ASCII; nothing in it drives a terminal or, by `##[`, a runner that logs it."""
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def render_json(judged: Judged, report: Report) -> Iterator[str]:
    """Write hkgit's own object (see `report_json`); it says first whether all passes."""
    mark, source = "", report.policy.source
    with TemporaryFile("w+", encoding="ascii") as kept:
        for ruling, items in judged:
            document = ruling_json(ruling, [item.place for item in items], source)
            if report.explain:
                tried = [
                    {"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried
                ]
                document |= {"tried": tried, "evidence": [*map(to_json_text, ruling.evidence)]}
            text = indent(dump_json(document).removesuffix("\n"), "    ")
            kept.write(f"{mark}\n{text}")
            mark = ","
        text = dump_json(_about_json(report) | {"commits": []})
        before, commits, after = text.partition('"commits": [')
        yield before + commits
        kept.seek(0)
        while part := kept.read(1 << 16):
            yield part
        yield f"\n  {after}" if mark else after


def refuse_json(error: HkgitError) -> str:
    """Render why there is no report."""
    return dump_json({"status": error.status, "error": error_json(error)})


def report_json(report: Report) -> JsonObject:
    """Write whether a report passes, under which policy, and an object a commit."""
    rulings = (ruling_json(each, source=report.policy.source) for each in report.rulings)
    return _about_json(report) | {"commits": [*rulings]}


def _about_json(report: Report) -> JsonObject:
    return {
        "passes": report.passes,
        "provisional": report.provisional,
        "policy": {"source": report.policy.source, "mode": report.policy.mode},
    }


def ruling_json(
    ruling: Ruling, places: Sequence[SourcePlace | None] = (), source: str | None = None
) -> JsonObject:
    """Write one commit's ruling as a JSON object; `places` are its findings', in order.

    `source` says where the policy was read.
    """
    judged = ruling.judged
    placed = zip(ruling.findings, places or [None] * len(ruling.findings), strict=True)
    return {
        "commit": judged.candidate.id,
        "replay": ruling.replay,
        "policy": {"passes": ruling.passes, "rule": ruling.rule, "source": source},
        "entries": [name for name, _ in judged.entries],
        "findings": [finding_json(finding, place) for finding, place in placed],
        "notes": [to_json_text(note) for note in judged.notes],
        "basis": None if judged.basis is None else to_json_text(judged.basis),
        "by_hand": [
            {"path": to_json_text(left.path), "lines": [list(lines) for lines in left.lines]}
            for left in judged.leftovers
        ],
        "mend": to_json_text(mend(ruling)),
    }


def finding_json(finding: Finding, place: SourcePlace | None = None) -> JsonObject:
    """Write one finding; its place is that in the newest commit."""
    return {
        "rule": finding.rule,
        "where": to_json_text(finding.where),
        "what": to_json_text(finding.what),
        "fix": to_json_text(finding.fix),
        "path": None if place is None else to_json_text(place.path),
        "start_line": None if place is None else place.start_line,
        "end_line": None if place is None else place.end_line,
    }


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
        "description": to_json_text(render_message(item)),
        "check_name": f"hkgit/{finding.rule}",
        "fingerprint": item.fingerprint,
        "severity": severity,
        "location": {
            "path": NOWHERE if place is None else to_json_text(place.path),
            "lines": lines,
        },
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
    notice = {"level": "error", "message": {"text": to_json_text(str(error))}}
    failed = {"executionSuccessful": False, "exitCode": error.exit_code}
    return _log([], [], failed | {"toolExecutionNotifications": [notice]})


def _log(rules: list[str], results: list[JsonObject], invocation: JsonObject) -> str:
    driver = {"name": "hkgit", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return dump_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: str) -> JsonObject:
    url, about = find_rule_url(rule), describe_rule(rule)
    return {
        "id": rule,
        "shortDescription": {"text": about},
        "help": {"text": f"hkgit help {rule}", "markdown": read_sections().get(rule, about)},
    } | ({} if url is None else {"helpUri": url})


def _result(item: ReportItem, rules: list[str], level: str) -> JsonObject:
    finding = item.finding
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": level,
        "message": {"text": to_json_text(render_message(item))},
        # GitHub takes no file with a result that has no place.
        "locations": [{"physicalLocation": _location(item.place or SourcePlace(NOWHERE))}],
        "partialFingerprints": {"hkgitFinding/v1": item.fingerprint},
        "properties": {
            "commit": item.ruling.judged.candidate.id,
            "replay": item.ruling.replay,
            "mend": to_json_text(mend(item.ruling)),
        },
    }


def _location(place: SourcePlace) -> JsonObject:
    location: JsonObject = {
        "artifactLocation": {"uri": quote(encode_text(place.path)), "uriBaseId": "%SRCROOT%"}
    }
    if place.start_line is not None:
        location["region"] = {"startLine": place.start_line, "endLine": place.end_line}
    return location
