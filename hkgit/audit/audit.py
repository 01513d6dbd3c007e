"""A whole range for a reviewer or an auditor: what is derived, what is only said.

As JSON, as Markdown, as a comment on a pull request, and as a badge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from hkgit import __version__
from hkgit.audit.commits import REPLAYS, AuditedCommit, needs_a_look, rank_weakness
from hkgit.audit.reports.documents import report_json
from hkgit.audit.reports.findings import mend, name_commit
from hkgit.audit.reports.text import summarize
from hkgit.audit.tables.figures import Summary, numbers_json, numbers_lines, open_rows_of, sum_up
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.matching.place import format_confidence
from hkgit.text.escape import count_noun, escape_markdown, render_code, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass


@dataclass(frozen=True)
class Audit:
    """A range as named, the rulings under the policy, the commits, and what they come to.

    `refused` is what was refused in the clone meanwhile.
    """

    name: str
    asked: CommitRange
    report: Report
    commits: tuple[AuditedCommit, ...]
    summary: Summary
    refused: Sequence[RefusedAttempt]

    @classmethod
    def of(
        cls, name: str, asked: CommitRange, report: Report, refused: Sequence[RefusedAttempt] = ()
    ) -> Audit:
        """Audit a range."""
        commits = tuple(map(AuditedCommit, report.rulings))
        with open_rows_of(report.rulings, report.policy) as database:
            summary = sum_up(database, refused)
        return cls(
            name=name, asked=asked, report=report, commits=commits, summary=summary, refused=refused
        )

    def find_break_glass(self) -> list[Ruling]:
        """List the rulings that only a record of break-glass accepts."""
        return [ruling for ruling in self.report.rulings if ruling.rule == "break-glass"]

    def list_conflicts_met(self) -> Iterator[tuple[Ruling, JsonObject]]:
        """Yield the conflicts that entries claim to have met."""
        for ruling in self.report.rulings:
            for _, entry in ruling.judged.entries:
                yield from ((ruling, met) for met in find_claimed_conflicts(entry.claims))

    def list_verify_outcomes(self) -> Iterator[tuple[Ruling, JsonObject]]:
        """Yield the outcomes of `--verify` that entries claim."""
        for ruling in self.report.rulings:
            for _, entry in ruling.judged.entries:
                outcome = entry.claims.get("verify")
                if isinstance(outcome, dict):
                    yield ruling, outcome


def audit_json(audit: Audit) -> JsonObject:
    """Write an audit as one JSON object."""
    return {
        "range": audit.name,
        "old": audit.asked.old or "",
        "new": audit.asked.new,
        **report_json(audit.report),
        "rejected": [each.id for each in audit.commits if not each.passes],
        "break_glass": [ruling.judged.candidate.id for ruling in audit.find_break_glass()],
        "claimed": {
            "agents": dict(audit.summary.figures["versions"]),
            "verify": [
                {"commit": ruling.judged.candidate.id, **outcome}
                for ruling, outcome in audit.list_verify_outcomes()
            ],
            "conflicts": [
                {"commit": ruling.judged.candidate.id, **met}
                for ruling, met in audit.list_conflicts_met()
            ],
        },
        "numbers": numbers_json(audit.summary.figures),
    }


def render_head(name: str, asked: CommitRange, commits: int, policy: Policy) -> str:
    """Write what is known before anything is judged: the range, how many commits, the policy."""
    lines = (
        f"# hkgit: {escape_markdown(name)}",
        "",
        f"- range: {asked}, {count_noun(commits, 'commit')}",
        f"- policy: {escape_markdown(policy.source)}, mode {policy.mode}, governs {policy.govern}",
        f"- evidence accepted: {', '.join(policy.accept)}",
        f"- judged by hkgit {__version__}",
        "",
    )
    return "\n".join(lines) + "\n"


def render_body(audit: Audit) -> str:
    """Write what the judgement came to."""
    return "\n".join(_list_body(audit)).rstrip("\n") + "\n"


def _list_body(audit: Audit) -> Iterator[str]:
    figures = audit.summary.figures
    yield f"{escape_markdown(summarize(audit.report))}."
    yield ""
    yield "## What is derived"
    yield ""
    edits = dict.fromkeys(figures.replays, 0)
    for each in audit.commits:
        edits[each.replay] += len(each.edits)
    yield from _table(
        ("replay", "commits", "edits", "meaning"),
        (
            (name, str(count), str(edits[name]), REPLAYS[name])
            for name, count in figures.replays.items()
        ),
    )
    yield "```text"
    # No name in it can end the block: every line begins with a word of hkgit's.
    yield from map(visible, numbers_lines(figures))
    yield "```"
    yield ""
    rejected = (each for each in audit.commits if not each.passes)
    yield from _section("Rejected", map(_reject, rejected))
    yield from _section("Break-glass", map(_list_records, audit.find_break_glass()))
    named = figures["versions"].items()
    agents = ", ".join(f"{escape_markdown(name)} ({count})" for name, count in named)
    outcomes = [
        f"{_name(ruling)} {render_code(str(outcome.get('command')))}"
        f" exited with {escape_markdown(str(outcome.get('exit_code')))}"
        for ruling, outcome in audit.list_verify_outcomes()
    ]
    claimed = (
        f"agents, by their own word: {agents or 'none'}",
        f"checks run before the commit: {'; '.join(outcomes) or 'none'}",
    )
    yield from _section("What is only claimed", claimed)
    met = (
        f"{_name(ruling)} met one in {render_code(each['path'])}:"
        f" {escape_markdown(_decide(each['decided']))}, refused before: {each['tries']} (claimed)"
        for ruling, each in audit.list_conflicts_met()
    )
    yield from _section("Conflicts", met)
    yield "## Commits"
    yield ""
    titles = ("commit", "replay", "policy", "edits", "agent", "subject")
    yield from _table(titles, map(_commit_cells, audit.commits))


def _commit_cells(commit: AuditedCommit) -> Sequence[str]:
    policy = f"{'passes' if commit.passes else 'fails'}: {commit.ruling.rule}"
    edits, agents = str(len(commit.edits) or ""), ", ".join(commit.agents)
    cells = (commit.replay, policy, edits, agents, commit.subject)
    return (_name(commit.ruling), *map(escape_markdown, cells))


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    """A heading and a list; nothing where nothing is in it."""
    listed = [f"- {each}" for each in items]
    if listed:
        yield from (f"## {title}", "", *listed, "")


def _name(ruling: Ruling) -> str:
    return render_code(name_commit(ruling))


def _reject(commit: AuditedCommit) -> str:
    """A rejected commit, its findings, and the command that fixes it."""
    lines = [f"{_name(commit.ruling)} {escape_markdown(commit.subject)}"]
    for each in commit.ruling.findings:
        what, fix = escape_markdown(each.what), escape_markdown(each.fix)
        lines.append(f"  - {escape_markdown(each.rule)}, {render_code(each.where)}: {what}. {fix}")
    command = mend(commit.ruling)
    return "\n".join([*lines, f"  - fix: {render_code(command)}"] if command else lines)


def _list_records(ruling: Ruling) -> str:
    """A commit that only a record of break-glass accepts, and what the record says."""
    records = [note for note in ruling.judged.notes if note.startswith("break-glass ")]
    return f"{_name(ruling)} {escape_markdown('; '.join(records))}"


def _decide(decided: dict[str, str] | None) -> str:
    return "read again" if decided is None else f"{decided['decision']} by {decided['by']}"


MARK = "<!-- hkgit report -->"
"""The first line, by which the comment is found again."""

MOST = 8
_LONGEST = 120


def render_comment(audit: Audit) -> str:
    """Render what a reviewer should know first, in one comment of a few thousand characters."""
    return "\n".join([MARK, *_list_comment(audit)]) + "\n"


def _list_comment(audit: Audit) -> Iterator[str]:
    figures = audit.summary.figures
    mark, count = "❌" if figures.failing else "✅", count_noun(figures.commits, "commit")
    failing = f"{figures.failing} of {count} do not pass"
    outcome = failing if figures.failing else f"{count}, all pass"
    yield f"## {mark} hkgit: {outcome}; {figures.derived} derived from evidence"
    yield ""
    words = "*Replay* says what can be derived, *policy* what passes."
    yield f"Range {render_code(audit.name)}. {words}"
    yield ""
    shown = " · ".join(f"{count} {name}" for name, count in figures.replays.items())
    yield f"**Replay:** {shown or 'no commits'}"
    yield ""
    if audit.summary.agents:
        yield from _table(
            ("agent", "commits", "derived", "pass", "edits", "weak"),
            (
                (
                    escape_markdown(_short(row["agent"])),
                    *(str(row[name]) for name in ("commits", "derived", "passes", "edits", "weak")),
                )
                for row in audit.summary.agents[:MOST]
            ),
        )
    weak = sorted(filter(needs_a_look, audit.commits), key=rank_weakness)
    if not weak:
        return
    yield "**Look here first**"
    yield ""
    for each in weak[:MOST]:
        rests = escape_markdown(each.weakest or each.replay)
        sure = format_confidence(each.confidence, ", confidence ")
        policy = "passes" if each.passes else f"fails: {escape_markdown(each.ruling.rule)}"
        command = mend(each.ruling)
        fix = command and f", fix: {render_code(command)}"
        subject = escape_markdown(_short(each.subject))
        yield f"- {render_code(each.id[:12])} {subject} ({rests}{sure}; {policy}){fix}"
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
