"""A comment on a pull request and a badge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from hkgit.audit.commits import DERIVED, AuditedCommit, count_standings, is_weak_commit, strength_of
from hkgit.audit.tables.figures import AgentFigures
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun, escape_markdown, render_code

MARK = "<!-- hkgit report -->"
"""The first line, by which the comment is found again."""

MOST = 8
_LONGEST = 120


def render_comment(
    name: str, commits: Sequence[AuditedCommit], agents: Sequence[AgentFigures]
) -> str:
    """Render what a reviewer should know first, in one comment of a few thousand characters."""
    return "\n".join([MARK, *_lines(name, commits, agents)]) + "\n"


def _lines(
    name: str, commits: Sequence[AuditedCommit], agents: Sequence[AgentFigures]
) -> Iterator[str]:
    failing = sum(not commit.passes for commit in commits)
    derived = sum(commit.standing == DERIVED for commit in commits)
    mark = "❌" if failing else "✅"
    count = count_noun(len(commits), "commit")
    outcome = f"{failing} of {count} do not pass" if failing else f"{count}, all pass"
    yield f"## {mark} hkgit: {outcome}; {derived} derived from evidence"
    yield ""
    yield f"Range {render_code(name)}. *Replay* says what can be derived, *policy* what passes."
    yield ""
    yield from _standings(commits)
    yield from _agents(agents)
    yield from _look_first(commits)


def _standings(commits: Sequence[AuditedCommit]) -> Iterator[str]:
    shown = (f"{count} {name}" for name, count in count_standings(commits).items() if count)
    yield f"**Replay:** {' · '.join(shown) or 'no commits'}"
    yield ""


def _agents(rows: Sequence[AgentFigures]) -> Iterator[str]:
    if not rows:
        return
    yield "| agent | commits | derived | pass | edits | weak |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for row in rows[:MOST]:
        numbers = (row.commits, row.derived, row.passing, row.edits, row.weak)
        yield f"| {escape_markdown(_short(row.name))} | {' | '.join(map(str, numbers))} |"
    yield ""


def _look_first(commits: Sequence[AuditedCommit]) -> Iterator[str]:
    weak = [each for each in commits if not each.passes or is_weak_commit(each)]
    if not weak:
        return
    yield "**Look here first**"
    yield ""
    for each in sorted(weak, key=_weakness)[:MOST]:
        rests = each.weakest or each.made_by
        sure = format_confidence(each.confidence, ", confidence ")
        policy = "passes" if each.passes else f"fails: {escape_markdown(each.ruling.rule)}"
        subject = escape_markdown(_short(each.subject))
        yield f"- {render_code(each.id[:12])} {subject} ({escape_markdown(rests)}{sure}; {policy})"
    if len(weak) > MOST:
        yield f"- and {len(weak) - MOST} more"
    yield ""


def _weakness(commit: AuditedCommit) -> tuple[bool, int, int]:
    strength = 99 if commit.weakest is None else strength_of(commit.weakest)
    return commit.passes, -strength, commit.confidence or 0


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_GOOD, _FAIR, _BAD = "#0f6b63", "#946200", "#a8231f"
_LABEL = "hkgit"
_CHARACTER = 6.6


def render_badge(commits: Sequence[AuditedCommit]) -> str:
    """Render the badge as an SVG, with a title for screen readers."""
    failing = sum(not commit.passes for commit in commits)
    derived = sum(commit.standing == DERIVED for commit in commits)
    words = f"{derived} of {len(commits)} derived"
    colour = _GOOD if commits and derived == len(commits) else _FAIR
    if failing:
        words, colour = f"{words}, {failing} fail", _BAD
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
