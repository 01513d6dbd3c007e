"""Answer with rulings on one commit or a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from hkgit.audit.reports import DOCUMENTS, Judged, ReportTotals, render
from hkgit.cli.answer import Answer
from hkgit.cli.output import CONSOLE, QUIET, style
from hkgit.errors import Rejected
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.program import name_program
from hkgit.git.repository import Repository

_COLOURS = {"ok  ": "green", "warn": "yellow", "FAIL": "red"}


def answer_rulings(
    repository: Repository, rulings: Iterable[Ruling], totals: ReportTotals, tip: str | None
) -> Answer:
    """Answer with rulings in the one of `reports.FORMATS` that was asked for.

    Text comes line by line, a document at the end: it says first whether all passes, and an error
    halfway would leave half of it. Memory grows with what is found, not with the range. Findings
    are placed in the newest commit (`tip`), for all that has places. Where it shall be quiet, of
    text only commits with a finding are told, and with none of them nothing.
    """
    lines = _render(repository, rulings, totals, tip)
    return Answer(None, lines, lambda: 0 if totals.passes else Rejected.exit_code)


def _render(
    repository: Repository, rulings: Iterable[Ruling], totals: ReportTotals, tip: str | None
) -> Iterator[str | bytes]:
    form = CONSOLE.form or "text"
    judged: Judged = ((ruling, ()) for ruling in rulings)
    if form != "text" and tip is not None:
        from hkgit.audit.reports.findings import place_findings

        judged = place_findings(repository, rulings, tip)
    watched = totals.watch(judged)
    if form == "text" and CONSOLE.loudness == QUIET:
        told = (each for each in watched if each[0].findings)
        first = next(told, None)
        if first is None:
            return
        watched = chain([first], told)
    for part in render(form, watched, totals):
        if form == "text":
            part = _colour(name_program(part))
        yield part.encode() if form in DOCUMENTS else part.removesuffix("\n")


def answer_report(repository: Repository, report: Report, *, explain: bool = False) -> Answer:
    """Answer with a whole report; with `explain` say which rules were tried."""
    tip = report.rulings[-1].judged.candidate.tree if report.rulings else None
    totals = ReportTotals(report.policy, report.provisional, explain=explain)
    return answer_rulings(repository, report.rulings, totals, tip)


def _colour(line: str) -> str:
    mark = line[:4]
    return style(mark, _COLOURS[mark]) + line[4:] if mark in _COLOURS else line
