"""badge.py: a range in one small picture: how much is derived, and whether all of it passes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hkgit.audit.commits import DERIVED, AuditedCommit

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
