"""comment.py: the first screen of the page as Markdown, for a pull request or a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.audit.commits import DERIVED, AuditedCommit, count_standings, strength_of
from hkgit.audit.trail import is_weak_commit
from hkgit.audit.weeks import list_agents
from hkgit.matching.places import format_confidence
from hkgit.text.counting import count_noun
from hkgit.text.escaping import escape_markdown, render_code

MARK = "<!-- hkgit report -->"
"""The first line, by which the comment is found again."""

MOST = 8
_LONGEST = 120


def render_comment(name: str, commits: Sequence[AuditedCommit]) -> str:
    """Render what a reviewer should know first, in one comment of a few thousand characters."""
    return "\n".join([MARK, *_lines(name, commits)]) + "\n"


def _lines(name: str, commits: Sequence[AuditedCommit]) -> Iterator[str]:
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
    yield from _agents(commits)
    yield from _look_first(commits)


def _standings(commits: Sequence[AuditedCommit]) -> Iterator[str]:
    shown = (f"{count} {name}" for name, count in count_standings(commits).items() if count)
    yield f"**Replay:** {' · '.join(shown) or 'no commits'}"
    yield ""


def _agents(commits: Sequence[AuditedCommit]) -> Iterator[str]:
    rows = list_agents(commits, ())
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
