"""Which rules were tried on each commit, and which one decided."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.audit.reports import Judged, ReportTotals
from hkgit.audit.reports.findings import name_commit
from hkgit.audit.reports.plain import dump_json
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import escape_console, to_json_text
from hkgit.text.strict_json import JsonObject


def explain_text(judged: Judged, totals: ReportTotals) -> Iterator[str]:
    """Write the lines of each commit as it comes."""
    yield f"{escape_console(f'policy: {totals.policy.source}')}\n"
    for ruling, _ in judged:
        yield from (f"{escape_console(line)}\n" for line in _lines(ruling))


def explain_json(judged: Judged, totals: ReportTotals) -> Iterator[str]:
    """Write the same as one document."""
    commits = [_document(ruling) for ruling, _ in judged]
    yield dump_json({"passes": totals.passes, "commits": commits})


def _lines(ruling: Ruling) -> Iterator[str]:
    end = "passes" if ruling.passes else "is rejected"
    yield f"{name_commit(ruling)} {end}, decided by: {ruling.rule}"
    for number, tried in enumerate(ruling.tried, 1):
        yield f"  {number}. {tried.rule}: {tried.says}"
    for words in ruling.evidence:
        yield f"  evidence: {words}"


def _document(ruling: Ruling) -> JsonObject:
    return {
        "commit": ruling.judged.candidate.id,
        "passes": ruling.passes,
        "rule": ruling.rule,
        "tried": [{"rule": each.rule, "says": to_json_text(each.says)} for each in ruling.tried],
        "evidence": [to_json_text(words) for words in ruling.evidence],
    }
