"""reports.py: a whole report in one of the formats, as the commands print it."""

from collections.abc import Iterator
from dataclasses import dataclass

from hkgit.audit import reports
from hkgit.audit.reports.findings import ReportItem, place_findings
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository


@dataclass(frozen=True)
class ReportSheet:
    """A report with its findings in order."""

    report: Report
    items: tuple[ReportItem, ...] = ()


def place_report(repository: Repository, report: Report) -> ReportSheet:
    """Place the findings of a report in the last of its commits."""
    tip = report.rulings[-1].judged.candidate.tree if report.rulings else EMPTY_TREE
    placed = place_findings(repository, report.rulings, tip)
    return ReportSheet(report, tuple(item for _, items in placed for item in items))


def render(sheet: ReportSheet, form: str) -> str:
    """Render a report in one of the formats."""
    return "".join(reports.render(form, _judged(sheet), sheet.report))


def _judged(sheet: ReportSheet) -> Iterator[tuple[Ruling, list[ReportItem]]]:
    for ruling in sheet.report.rulings:
        yield ruling, [each for each in sheet.items if each.ruling is ruling]
