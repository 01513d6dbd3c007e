"""A report for GitHub: annotations beside its text, and the page of the CI job as Markdown.

Grammar: github.com/actions/toolkit, docs/commands.md; only `%`, CR and LF are escaped in a
message, `:` and `,` too in a property.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from hkgit.audit.reports import Judged, ReportTotals
from hkgit.audit.reports.findings import ReportItem, grade, name_commit, read_subject
from hkgit.audit.reports.fix import mend, render_message
from hkgit.audit.reports.text import render_text, summarize
from hkgit.gate.ruling import Ruling
from hkgit.matching.place import format_confidence
from hkgit.text.escape import (
    count_noun,
    escape_markdown,
    escape_workflow_data,
    escape_workflow_property,
    render_code,
)

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_github(judged: Judged, totals: ReportTotals) -> Iterator[str]:
    """Write the log text, then an annotation for each finding, shown on the files."""
    found: list[ReportItem] = []

    def watch() -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
        for ruling, items in judged:
            found.extend(items)
            yield ruling, items

    yield from render_text(watch(), totals)
    for item in found:
        yield f"{_annotation(_COMMANDS[grade(item, totals.policy)], item)}\n"


def _annotation(command: str, item: ReportItem) -> str:
    properties = ",".join(
        f"{key}={escape_workflow_property(value)}" for key, value in _properties(item)
    )
    return f"::{command} {properties}::{escape_workflow_data(render_message(item))}"


def _properties(item: ReportItem) -> Iterator[tuple[str, str]]:
    place = item.place
    if place is not None:
        yield "file", place.path
        if place.start_line is not None:
            yield "line", str(place.start_line)
            yield "endLine", str(place.end_line)
    yield "title", f"hkgit: {item.finding.rule}"


MOST_ROWS = 500
"""So many commits a table lists: GitHub shows no summary of more than a megabyte."""

_LONGEST = 300
"""Characters of one cell."""


class JobSummary:
    """What is rejected, why and what fixes it; below that, folded away, every commit.

    Rulings are added one after another; of commits it keeps the rows it shows.
    `commit_url` is what a commit's id is appended to, if known.
    """

    def __init__(self, commit_url: str | None = None) -> None:
        self._url = commit_url
        self._every, self._rejected = _Rows(), _Rows()
        self._verdicts: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._lowest: int | None = None

    def watch(self, judged: Judged) -> Iterator[tuple[Ruling, Sequence[ReportItem]]]:
        """Pass rulings on, and add each."""
        for ruling, items in judged:
            self._add(ruling)
            yield ruling, items

    def _add(self, ruling: Ruling) -> None:
        edits = [edit for _, entry in ruling.judged.entries for edit in entry.edits]
        self._verdicts[f"replay {ruling.replay}"] += 1
        self._kinds.update(edit.evidence for edit in edits)
        for edit in edits:
            kept = edit.confidence if self._lowest is None else self._lowest
            self._lowest = min(edit.confidence, kept)
        self._every.add(lambda: self._render_ruling(ruling, len(edits)))
        if not ruling.passes:
            self._rejected.add(lambda: self._render_rejected(ruling))

    def render(self, totals: ReportTotals) -> str:
        """Render the page of what has been added."""
        return "\n".join(self._lines(totals)) + "\n"

    def _lines(self, totals: ReportTotals) -> Iterator[str]:
        count, rejected = totals.count, totals.rejected
        mark = "✅" if not rejected else "⚠️" if totals.passes else "❌"
        yield f"## {mark} hkgit: {escape_markdown(summarize(totals))}"
        yield ""
        if count:
            yield self._render_counts()
            yield ""
        if rejected:
            yield "| commit | why | next command |"
            yield "| --- | --- | --- |"
            yield from self._rejected.render()
            yield ""
        if count:
            yield f"<details><summary>Every commit ({count})</summary>"
            yield ""
            yield "| | commit | replay | policy | edits |"
            yield "| --- | --- | --- | --- | --- |"
            yield from self._every.render()
            yield ""
            yield "</details>"

    def _render_counts(self) -> str:
        """How many of each verdict, and what the edits are tied to."""
        counts = " · ".join(
            f"{count} {escape_markdown(verdict)}" for verdict, count in self._verdicts.most_common()
        )
        if self._lowest is None:
            return counts
        kinds = self._kinds.most_common()
        tied = ", ".join(f"{count} {escape_markdown(kind)}" for kind, count in kinds)
        edits = count_noun(self._kinds.total(), "edit")
        lowest = format_confidence(self._lowest, ", lowest confidence ")
        return f"{counts} · {edits} ({tied}){lowest}"

    def _render_rejected(self, ruling: Ruling) -> str:
        reasons = "<br>".join(_reason(ruling))
        return f"| {self._name(ruling)} | {reasons} | {render_code(mend(ruling))} |"

    def _render_ruling(self, ruling: Ruling, edits: int) -> str:
        mark = "✅" if ruling.passes else "❌"
        verdict, rule = escape_markdown(ruling.replay), escape_markdown(_short(ruling.rule))
        return f"| {mark} | {self._name(ruling)} | {verdict} | {rule} | {edits or ''} |"

    def _name(self, ruling: Ruling) -> str:
        name = render_code(name_commit(ruling))
        commit = ruling.judged.candidate.id
        if self._url is not None and commit is not None:
            name = f'<a href="{self._url}{commit}">{name}</a>'
        return f"{name} {escape_markdown(_short(read_subject(ruling)))}"


class _Rows:
    """The first rows of a table, and how many there are in all."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[str] = []

    def add(self, render: Callable[[], str]) -> None:
        self.count += 1
        if self.count <= MOST_ROWS:
            self._kept.append(render())

    def render(self) -> Iterator[str]:
        yield from self._kept
        if self.count > MOST_ROWS:
            yield ""
            yield f"and {self.count - MOST_ROWS} more"


def _reason(ruling: Ruling) -> Iterator[str]:
    for finding in ruling.findings[:3]:
        what = escape_markdown(_short(finding.what))
        yield f"<b>{escape_markdown(finding.rule)}</b> {render_code(_short(finding.where))}: {what}"
    if len(ruling.findings) > 3:
        yield f"and {len(ruling.findings) - 3} more"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
