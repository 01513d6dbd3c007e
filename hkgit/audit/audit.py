"""A whole range for a reviewer or an auditor: what is derived, what is only said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.audit.commits import AuditedCommit
from hkgit.audit.reports.plain import report_json
from hkgit.audit.tables.figures import (
    Summary,
    numbers_json,
    open_rows_of,
    sum_up,
)
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.gate.ruling import Report, Ruling
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
        commits = tuple(map(AuditedCommit, report.rulings))
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
