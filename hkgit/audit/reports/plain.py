"""A report as hkgit's own JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from textwrap import indent

from hkgit.applying.outcome_json import error_json
from hkgit.audit.reports.documents import dump_json
from hkgit.audit.reports.findings import ReportItem, ReportSheet, SourcePlace
from hkgit.audit.reports.fix import mend
from hkgit.errors import HkgitError
from hkgit.evidence.verdict import Finding
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import JsonObject


def render(sheet: ReportSheet) -> str:
    """Render one JSON object (see `report_json`)."""
    return dump_json(report_json(sheet.report, sheet.items))


def render_ends(policy: Policy, *, passes: bool) -> tuple[str, str]:
    """Write what stands in `render` before the commits, and after them."""
    document = report_json(Report(policy, ())) | {"passes": passes}
    before, commits, after = dump_json(document).partition('"commits": [')
    return before + commits, f"\n  {after}"


def render_commit(ruling: Ruling, items: Sequence[ReportItem], policy: Policy) -> str:
    """Write one commit as it stands between these ends, without the comma."""
    document = ruling_json(ruling, [item.place for item in items], policy.source)
    return "\n" + indent(dump_json(document).removesuffix("\n"), "    ")


def refusal(error: HkgitError) -> str:
    """Render why there is no report."""
    return dump_json({"status": error.status, "error": error_json(error)})


def report_json(report: Report, items: Sequence[ReportItem] = ()) -> JsonObject:
    """Write whether a report passes, under which policy, and an object a commit.

    `items` are all of its findings in order, with their places.
    """
    places = iter([item.place for item in items])
    return {
        "passes": report.passes,
        "provisional": report.provisional,
        "policy": {"source": report.policy.source, "mode": report.policy.mode},
        "commits": [
            ruling_json(ruling, list(islice(places, len(ruling.findings))), report.policy.source)
            for ruling in report.rulings
        ],
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
        "made_by": ruling.made_by,
        "verdict": str(judged.verdict),
        "passes": ruling.passes,
        "rule": ruling.rule,
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
