"""An audit as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit import __version__
from hkgit.audit.audit import MEANINGS, REFUSED, Audit
from hkgit.audit.commits import audit_commit
from hkgit.audit.numbers import numbers_lines
from hkgit.audit.reports.findings import name_commit, read_subject
from hkgit.audit.reports.fix import mend
from hkgit.audit.reports.text import summarize_report
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import count_noun, escape_markdown, render_code, visible


def page(audit: Audit) -> str:
    """Write the whole audit."""
    ends = audit.old, audit.new
    return head(audit.name, ends, len(audit.report.rulings), audit.policy) + body(audit)


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
    yield f"{escape_markdown(summarize_report(audit.report))}."
    yield ""


def _render_derived(audit: Audit) -> Iterator[str]:
    yield "## What is derived"
    yield ""
    yield "| class | commits | edits | meaning |"
    yield "| --- | --- | --- | --- |"
    for name, rulings in audit.sort_rulings().items():
        yield f"| {name} | {len(rulings)} | {_edits(rulings)} | {MEANINGS[name]} |"
    yield ""
    yield "```text"
    # No name in it can end the block: every line begins with a word of hkgit's.
    yield from map(visible, numbers_lines(audit.numbers))
    yield "```"
    yield ""


def _edits(rulings: Iterable[Ruling]) -> int:
    return sum(len(entry.edits) for ruling in rulings for _, entry in ruling.judged.entries)


def _render_rejected(audit: Audit) -> Iterator[str]:
    rejected = audit.sort_rulings()[REFUSED]
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
        if not ruling.passes:
            yield f"  - mend: {render_code(mend(ruling))}"
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
    agents = ", ".join(
        f"{escape_markdown(name)} ({n})" for name, n in audit.numbers.agents.most_common()
    )
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
    for ruling in audit.report.rulings:
        agents = audit_commit(ruling).agents or (ruling.made_by,)
        cells = [
            ruling.replay,
            f"{'passes' if ruling.passes else 'fails'}: {ruling.rule}",
            str(_edits([ruling]) or ""),
            ", ".join(agents),
            read_subject(ruling),
        ]
        yield f"| {render_code(name_commit(ruling))} | {' | '.join(map(escape_markdown, cells))} |"
