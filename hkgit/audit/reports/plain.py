"""Reports as JSON: our own and those of other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from textwrap import indent

from hkgit.applying.outcome import error_json
from hkgit.audit.reports import Judged
from hkgit.audit.reports.findings import SourcePlace, mend
from hkgit.errors import HkgitError
from hkgit.evidence.verdict import Finding
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import Json, JsonObject


def dump_json(value: Json) -> str:
    """Write JSON in ASCII; nothing in it drives a terminal or, by `##[`, a runner that logs it."""
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def to_text(value: str) -> str:
    """Make text fit for JSON."""
    return to_json_text(value) or ""


def render_json(judged: Judged, report: Report) -> Iterator[str]:
    """Write hkgit's own object (see `report_json`); it says first whether all passes."""
    mark, source = "", report.policy.source
    with TemporaryFile("w+", encoding="ascii") as kept:
        for ruling, items in judged:
            document = ruling_json(ruling, [item.place for item in items], source)
            document |= _trials_json(ruling) if report.explain else {}
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


def _trials_json(ruling: Ruling) -> JsonObject:
    tried = [{"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried]
    return {"tried": tried, "evidence": [to_json_text(words) for words in ruling.evidence]}


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
