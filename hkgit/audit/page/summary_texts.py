"""A comment on a pull request and a badge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from hkgit.audit.audit import Audit
from hkgit.audit.commits import AuditedCommit, needs_a_look, rank_weakness
from hkgit.audit.reports.fix import mend
from hkgit.audit.tables.figures import AgentFigures
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun, escape_markdown, render_code

MARK = "<!-- hkgit report -->"
"""The first line, by which the comment is found again."""

MOST = 8
_LONGEST = 120


def render_comment(audit: Audit) -> str:
    """Render what a reviewer should know first, in one comment of a few thousand characters."""
    return "\n".join([MARK, *_lines(audit)]) + "\n"


def _lines(audit: Audit) -> Iterator[str]:
    figures = audit.summary.figures
    mark, count = "❌" if figures.failing else "✅", count_noun(figures.commits, "commit")
    outcome = f"{count}, all pass"
    if figures.failing:
        outcome = f"{figures.failing} of {count} do not pass"
    yield f"## {mark} hkgit: {outcome}; {figures.derived} derived from evidence"
    yield ""
    words = "*Replay* says what can be derived, *policy* what passes."
    yield f"Range {render_code(audit.name)}. {words}"
    yield ""
    shown = (f"{count} {name}" for name, count in figures.replays.items())
    yield f"**Replay:** {' · '.join(shown) or 'no commits'}"
    yield ""
    yield from _agents(audit.summary.agents)
    yield from _look_first([each for each in audit.commits if needs_a_look(each)])


def _agents(rows: Sequence[AgentFigures]) -> Iterator[str]:
    if not rows:
        return
    yield "| agent | commits | derived | pass | edits | weak |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for row in rows[:MOST]:
        numbers = (row.commits, row.derived, row.passing, row.edits, row.weak)
        yield f"| {escape_markdown(_short(row.name))} | {' | '.join(map(str, numbers))} |"
    yield ""


def _look_first(weak: Sequence[AuditedCommit]) -> Iterator[str]:
    if not weak:
        return
    yield "**Look here first**"
    yield ""
    for each in sorted(weak, key=rank_weakness)[:MOST]:
        rests = each.weakest or each.replay
        sure = format_confidence(each.confidence, ", confidence ")
        policy = "passes" if each.passes else f"fails: {escape_markdown(each.ruling.rule)}"
        subject = escape_markdown(_short(each.subject))
        fix = "" if each.passes else f", fix: {render_code(mend(each.ruling))}"
        shown = f"{escape_markdown(rests)}{sure}; {policy}"
        yield f"- {render_code(each.id[:12])} {subject} ({shown}){fix}"
    if len(weak) > MOST:
        yield f"- and {len(weak) - MOST} more"
    yield ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_GOOD, _FAIR, _BAD = "#0f6b63", "#946200", "#a8231f"
_LABEL = "hkgit"
_CHARACTER = 6.6


def render_badge(audit: Audit) -> str:
    """Render the badge as an SVG, with a title for screen readers."""
    figures = audit.summary.figures
    words = f"{figures.derived} of {figures.commits} derived"
    colour = _GOOD if figures.commits and figures.derived == figures.commits else _FAIR
    if figures.failing:
        words, colour = f"{words}, {figures.failing} fail", _BAD
    return _draw(words, colour)


def _draw(words: str, colour: str) -> str:
    left, right = (round(len(text) * _CHARACTER) + 14 for text in (_LABEL, words))
    label = escape(f"{_LABEL}: {words}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img"'
        f' aria-label="{label}"><title>{label}</title>'
        f'<rect width="{left + right}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3" fill="#33383e"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="7" y="14">{_LABEL}</text>'
        f'<text x="{left + 7}" y="14">{escape(words)}</text></g></svg>\n'
    )
