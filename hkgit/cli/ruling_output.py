"""Print rulings on one commit or a range."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from hkgit.audit.reports import Judged, ReportTotals, render
from hkgit.cli.output import CONSOLE, QUIET, echo, style
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.program import name_program
from hkgit.git.repository import Repository

_COLOURS = {"ok  ": "green", "warn": "yellow", "FAIL": "red"}


def print_rulings(
    repository: Repository,
    rulings: Iterable[Ruling],
    totals: ReportTotals,
    form: str,
    tip: str | None,
) -> bool:
    """Print rulings in one of `reports.FORMATS`; return whether the policy passes them.

    Text comes line by line, a document at the end: it says first whether all passes, and an error
    halfway would leave half of it. Memory grows with what is found, not with the range. Findings
    are placed in the newest commit (`tip`), for all that has places. Where it shall be quiet, of
    text only commits with a finding are told, and with none of them nothing.
    """
    judged: Judged = ((ruling, ()) for ruling in rulings)
    if form != "text" and tip is not None:
        from hkgit.audit.reports.findings import place_findings

        judged = place_findings(repository, rulings, tip)
    watched = totals.watch(judged)
    if form == "text" and CONSOLE.loudness == QUIET:
        told = (each for each in watched if each[0].findings)
        first = next(told, None)
        parts = iter(()) if first is None else render(form, chain([first], told), totals)
    else:
        parts = render(form, watched, totals)
    for part in parts:
        echo(_colour(name_program(part)) if form == "text" else part, nl=False)
    return totals.passes


def print_report(
    repository: Repository, report: Report, form: str, *, explain: bool = False
) -> bool:
    """Print a whole report as `print_rulings` does; with `explain` say which rules were tried."""
    tip = report.rulings[-1].judged.candidate.tree if report.rulings else None
    totals = ReportTotals(report.policy, report.provisional, explain=explain)
    return print_rulings(repository, report.rulings, totals, form, tip)


def _colour(line: str) -> str:
    mark = line[:4]
    return style(mark, _COLOURS[mark]) + line[4:] if mark in _COLOURS else line
