"""A whole range for a reviewer or an auditor: what is derived, what is only said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit import __version__
from hkgit.audit.commits import REPLAYS, AuditedCommit, audit_commit
from hkgit.audit.reports import ReportTotals
from hkgit.audit.reports.findings import name_commit, read_subject
from hkgit.audit.reports.fix import mend
from hkgit.audit.reports.plain import report_json
from hkgit.audit.reports.text import summarize
from hkgit.audit.tables.figures import (
    Summary,
    numbers_json,
    numbers_lines,
    open_rows_of,
    sum_up,
)
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling
from hkgit.text.escape import count_noun, escape_markdown, render_code, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass


@dataclass(frozen=True)
class Audit:
    """A range as named, the rulings under the policy, the commits, and what they come to."""

    name: str
    old: str
    new: str
    report: Report
    commits: tuple[AuditedCommit, ...]
    summary: Summary

    @classmethod
    def of(
        cls,
        name: str,
        ends: tuple[str, str],
        report: Report,
        refused: Sequence[RefusedAttempt] = (),
    ) -> Audit:
        """Audit a range; `ends` are the ids of its two sides."""
        commits = tuple(map(audit_commit, report.rulings))
        with open_rows_of(commits, report.policy) as database:
            return cls(name, *ends, report, commits, sum_up(database, refused))

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
        "old": audit.old,
        "new": audit.new,
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


def page(audit: Audit) -> str:
    """Write the whole audit."""
    ends = audit.old, audit.new
    return head(audit.name, ends, len(audit.commits), audit.report.policy) + body(audit)


def head(name: str, ends: tuple[str, str], commits: int, policy: Policy) -> str:
    """Write what is known before anything is judged: the range, how many commits, the policy."""
    old, new = (end[:12] for end in ends)
    lines = (
        f"# hkgit: {escape_markdown(name)}",
        "",
        f"- range: {old}..{new}, {count_noun(commits, 'commit')}",
        f"- policy: {escape_markdown(policy.source)}, mode {policy.mode}, governs {policy.govern}",
        f"- evidence accepted: {', '.join(policy.accept)}",
        f"- judged by hkgit {__version__}",
        "",
    )
    return "\n".join(lines) + "\n"


def body(audit: Audit) -> str:
    """Write what the judgement came to."""
    sections = (
        _sum_up,
        _render_derived,
        _render_rejected,
        _glass,
        _render_claimed,
        _conflicts,
        _commits,
    )
    return "\n".join(line for section in sections for line in section(audit)) + "\n"


def _sum_up(audit: Audit) -> Iterator[str]:
    yield f"{escape_markdown(summarize(ReportTotals.of(audit.report)))}."
    yield ""


def _render_derived(audit: Audit) -> Iterator[str]:
    yield "## What is derived"
    yield ""
    yield "| replay | commits | edits | meaning |"
    yield "| --- | --- | --- | --- |"
    for name, count in audit.summary.figures.replays.items():
        edits = sum(len(each.edits) for each in audit.commits if each.replay == name)
        yield f"| {name} | {count} | {edits} | {REPLAYS[name]} |"
    yield ""
    yield "```text"
    # No name in it can end the block: every line begins with a word of hkgit's.
    yield from map(visible, numbers_lines(audit.summary.figures))
    yield "```"
    yield ""


def _render_rejected(audit: Audit) -> Iterator[str]:
    rejected = [ruling for ruling in audit.report.rulings if not ruling.passes]
    if not rejected:
        return
    yield "## Rejected"
    yield ""
    for ruling in rejected:
        yield f"- {render_code(name_commit(ruling))} {escape_markdown(read_subject(ruling))}"
        for finding in ruling.findings:
            yield (
                f"  - {escape_markdown(finding.rule)}, {render_code(finding.where)}:"
                f" {escape_markdown(finding.what)}."
                f" {escape_markdown(finding.fix)}"
            )
        yield f"  - fix: {render_code(mend(ruling))}"
    yield ""


def _glass(audit: Audit) -> Iterator[str]:
    broken = audit.find_break_glass()
    if not broken:
        return
    yield "## Break-glass"
    yield ""
    for ruling in broken:
        records = [note for note in ruling.judged.notes if note.startswith("break-glass ")]
        yield f"- {render_code(name_commit(ruling))} {escape_markdown('; '.join(records))}"
    yield ""


def _render_claimed(audit: Audit) -> Iterator[str]:
    yield "## What is only claimed"
    yield ""
    named = audit.summary.figures["versions"]
    agents = ", ".join(f"{escape_markdown(name)} ({n})" for name, n in named.items())
    yield f"- agents, by their own word: {agents or 'none'}"
    outcomes = [
        f"{render_code(name_commit(ruling))} {render_code(str(outcome.get('command')))}"
        f" exited with {escape_markdown(str(outcome.get('exit_code')))}"
        for ruling, outcome in audit.list_verify_outcomes()
    ]
    yield f"- checks run before the commit: {'; '.join(outcomes) or 'none'}"
    yield ""


def _conflicts(audit: Audit) -> Iterator[str]:
    met = list(audit.list_conflicts_met())
    if not met:
        return
    yield "## Conflicts"
    yield ""
    for ruling, conflict in met:
        decided = conflict["decided"]
        how = "read again" if decided is None else f"{decided['decision']} by {decided['by']}"
        yield (
            f"- {render_code(name_commit(ruling))} met one in {render_code(conflict['path'])}:"
            f" {escape_markdown(how)}, refused before: {conflict['tries']} (claimed)"
        )
    yield ""


def _commits(audit: Audit) -> Iterator[str]:
    yield "## Commits"
    yield ""
    yield "| commit | replay | policy | edits | agent | subject |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for commit in audit.commits:
        ruling = commit.ruling
        cells = [
            ruling.replay,
            f"{'passes' if ruling.passes else 'fails'}: {ruling.rule}",
            str(len(commit.edits) or ""),
            ", ".join(commit.agents),
            read_subject(ruling),
        ]
        yield f"| {render_code(name_commit(ruling))} | {' | '.join(map(escape_markdown, cells))} |"
