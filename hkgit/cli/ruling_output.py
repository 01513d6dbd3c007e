"""Answer with rulings on one commit or a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from hkgit.audit.reports import DOCUMENTS, Judged, render
from hkgit.cli.answer import Answer
from hkgit.cli.output import CONSOLE, QUIET, style
from hkgit.errors import Rejected
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.program import name_program
from hkgit.git.repository import Repository

_COLOURS = {"ok  ": "green", "warn": "yellow", "FAIL": "red"}


def answer_report(
    repository: Repository,
    report: Report,
    rulings: Iterable[Ruling] | None = None,
    tip: str | None = None,
) -> Answer:
    """Answer with a report in the one of `reports.FORMATS` that was asked for.

    `rulings` are made while they are told, and not kept; their findings are placed in the newest
    commit, `tip`, for all that has places. Text comes line by line, a document at the end: it says
    first whether all passes, and an error halfway would leave half of it. Memory grows with what is
    found, not with the range. Where it shall be quiet, of text only commits with a finding are
    told, and with none of them nothing.
    """
    if rulings is not None:
        lines = _render(repository, report, report.watch(rulings), tip)
    else:
        last = report.rulings[-1].judged.candidate.tree if report.rulings else None
        lines = _render(repository, report, iter(report.rulings), last)
    return Answer(None, lines, lambda: 0 if report.passes else Rejected.exit_code)


def _render(
    repository: Repository, report: Report, rulings: Iterator[Ruling], tip: str | None
) -> Iterator[str | bytes]:
    form = CONSOLE.form or "text"
    if form == "text" and CONSOLE.loudness == QUIET:
        told = (each for each in rulings if each.findings)
        first = next(told, None)
        if first is None:
            return
        rulings = chain([first], told)
    judged: Judged = ((ruling, ()) for ruling in rulings)
    if form != "text" and tip is not None:
        from hkgit.audit.reports.findings import place_findings

        judged = place_findings(repository, rulings, tip)
    for part in render(form, judged, report):
        if form == "text":
            part = _colour(name_program(part))
        yield part.encode() if form in DOCUMENTS else part.removesuffix("\n")


def _colour(line: str) -> str:
    mark = line[:4]
    return style(mark, _COLOURS[mark]) + line[4:] if mark in _COLOURS else line
