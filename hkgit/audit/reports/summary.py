"""summary.py: a report as Markdown, for the page of a CI job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hkgit.audit.reports.mending import mend
from hkgit.audit.reports.sheet import ReportSheet, name_commit, read_subject
from hkgit.audit.reports.text import summarize_report as one_line
from hkgit.gate.rulings import Ruling
from hkgit.matching.places import format_decimal
from hkgit.text.counting import count_noun
from hkgit.text.escaping import escape_markdown, render_code

MOST_ROWS = 500
"""So many commits a table lists: GitHub shows no summary of more than a megabyte."""

_LONGEST = 300
"""Characters of one cell."""


def render(sheet: ReportSheet) -> str:
    """Render what is rejected, why and what mends it; below that, folded away, every commit."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: ReportSheet) -> Iterator[str]:
    report = sheet.report
    mark = "✅" if report.passes and not sheet.rejected else "⚠️" if report.passes else "❌"
    yield f"## {mark} hkgit: {escape_markdown(one_line(report))}"
    yield ""
    if report.rulings:
        yield _counts(report.rulings)
        yield ""
    if sheet.rejected:
        yield from _render_rejected(sheet)
    if report.rulings:
        yield f"<details><summary>Every commit ({len(report.rulings)})</summary>"
        yield ""
        yield from _all(sheet)
        yield ""
        yield "</details>"


def _counts(rulings: Sequence[Ruling]) -> str:
    """How many of each verdict, and what the edits are tied to."""
    verdicts = Counter(f"replay {ruling.replay}" for ruling in rulings)
    edits = [
        edit for ruling in rulings for _, entry in ruling.judged.entries for edit in entry.edits
    ]
    counts = " · ".join(
        f"{count} {escape_markdown(verdict)}" for verdict, count in verdicts.most_common()
    )
    if not edits:
        return counts
    kinds = Counter(edit.evidence for edit in edits).most_common()
    tied = ", ".join(f"{count} {escape_markdown(kind)}" for kind, count in kinds)
    lowest = format_decimal(min(edit.confidence for edit in edits))
    return f"{counts} · {count_noun(len(edits), 'edit')} ({tied}), lowest confidence {lowest}"


def _render_rejected(sheet: ReportSheet) -> Iterator[str]:
    yield "| commit | why | next command |"
    yield "| --- | --- | --- |"
    for ruling in sheet.rejected[:MOST_ROWS]:
        reasons = "<br>".join(_reason(ruling))
        yield f"| {_commit(sheet, ruling)} | {reasons} | {render_code(mend(ruling))} |"
    yield from _render_left_out(sheet.rejected)
    yield ""


def _reason(ruling: Ruling) -> Iterator[str]:
    for finding in ruling.findings[:3]:
        what = escape_markdown(_short(finding.what))
        yield f"<b>{escape_markdown(finding.rule)}</b> {render_code(_short(finding.where))}: {what}"
    if len(ruling.findings) > 3:
        yield f"and {len(ruling.findings) - 3} more"


def _all(sheet: ReportSheet) -> Iterator[str]:
    rulings = sheet.report.rulings
    yield "| | commit | replay | policy | edits |"
    yield "| --- | --- | --- | --- | --- |"
    for ruling in rulings[:MOST_ROWS]:
        mark = "✅" if ruling.passes else "❌"
        edits = sum(len(entry.edits) for _, entry in ruling.judged.entries)
        verdict, rule = escape_markdown(ruling.replay), escape_markdown(_short(ruling.rule))
        yield f"| {mark} | {_commit(sheet, ruling)} | {verdict} | {rule} | {edits or ''} |"
    yield from _render_left_out(rulings)


def _commit(sheet: ReportSheet, ruling: Ruling) -> str:
    name = render_code(name_commit(ruling))
    commit = ruling.judged.candidate.id
    if sheet.commit_url is not None and commit is not None:
        name = f'<a href="{sheet.commit_url}{commit}">{name}</a>'
    return f"{name} {escape_markdown(_short(read_subject(ruling)))}"


def _render_left_out(rulings: Sequence[Ruling]) -> Iterator[str]:
    if len(rulings) > MOST_ROWS:
        yield ""
        yield f"and {len(rulings) - MOST_ROWS} more"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
