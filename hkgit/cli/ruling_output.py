"""Print rulings on one commit or a range."""

from __future__ import annotations

from itertools import chain

from hkgit.audit.reports import Judged, ReportTotals, render
from hkgit.cli.output import CONSOLE, QUIET, echo, style
from hkgit.gate.commit_range import RulingStream
from hkgit.gate.ruling import Report
from hkgit.git.program import name_program
from hkgit.git.repository import Repository

_COLOURS = {"ok  ": "green", "warn": "yellow", "FAIL": "red"}


def print_stream(
    repository: Repository, stream: RulingStream, form: str, *, explain: bool = False
) -> bool:
    """Print the rulings in one of `reports.FORMATS`; return whether the policy passes them.

    With `explain` text and JSON say which rules were tried. Text comes line by line, a document at
    the end: it says first whether all passes, and an error halfway would leave half of it. Memory
    grows with what is found, not with the range. Where it shall be quiet, of text only commits with
    a finding are told, and with none of them nothing.
    """
    totals = ReportTotals(stream.policy, stream.provisional, explain=explain)
    judged = totals.watch(_place(repository, stream, form))
    if form == "text" and CONSOLE.loudness == QUIET:
        told = (each for each in judged if each[0].findings)
        first = next(told, None)
        parts = iter(()) if first is None else render(form, chain([first], told), totals)
    else:
        parts = render(form, judged, totals)
    for part in parts:
        echo(_colour(name_program(part)) if form == "text" else part, nl=False)
    return totals.passes


def _place(repository: Repository, stream: RulingStream, form: str) -> Judged:
    """Place the findings in the newest commit, for all that has places."""
    if form == "text" or stream.tip is None:
        return ((ruling, ()) for ruling in stream.rulings)
    from hkgit.audit.reports.findings import place_findings

    return place_findings(repository, stream.rulings, stream.tip)


def print_report(
    repository: Repository, report: Report, form: str, *, explain: bool = False
) -> bool:
    """Print a whole report as `print_stream` does."""
    tip = report.rulings[-1].judged.candidate.tree if report.rulings else None
    stream = RulingStream(report.policy, iter(report.rulings), tip, report.provisional)
    return print_stream(repository, stream, form, explain=explain)


def _colour(line: str) -> str:
    mark = line[:4]
    return style(mark, _COLOURS[mark]) + line[4:] if mark in _COLOURS else line
