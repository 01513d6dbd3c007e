"""rows.py: what a run says of each repository, and of all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.tally import Tally, sum_tallies
from hkgit.audit.fleet.tasks import Failure
from hkgit.text.counting import count_noun
from hkgit.text.escaping import to_json_text, visible
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass, field

VERIFIED, UNCHANGED, EMPTY, SAME, FAILED = "verified", "unchanged", "empty", "same", "failed"

STATUSES = {
    VERIFIED: "what was new is judged",
    UNCHANGED: "nothing is new since the last run",
    EMPTY: "it has no commit yet",
    SAME: "the same repository as another of the list, which is told of there",
    FAILED: "it could not be judged; the reason stands beside it",
}
"""What a run can say of a repository."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One repository: how it stands, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects, `restarts`
    why nothing of an earlier run counts (empty where it does).
    """

    listed: ListedRepository
    status: str
    tips: Mapping[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    new: int = 0
    policy: str | None = None
    enforces: bool = True
    restarts: str = ""
    same_as: str | None = None
    failure: Failure | None = None

    @property
    def passes(self) -> bool:
        """Whether it was judged and its policy lets every commit pass."""
        if self.status == FAILED:
            return False
        return not self.enforces or self.tally.passing == self.tally.commits


@dataclass(frozen=True, slots=True)
class FleetSummary:
    """All rows, in the order of the list."""

    rows: tuple[FleetRow, ...]
    versions: tuple[str, ...]

    @property
    def failed(self) -> int:
        return sum(row.status == FAILED for row in self.rows)

    @property
    def rejected(self) -> int:
        """Repositories that were judged, and that their policy does not let pass."""
        return sum(not row.passes and row.status != FAILED for row in self.rows)

    @property
    def tally(self) -> Tally:
        return sum_tallies(row.tally for row in self.rows)


def row_line(row: FleetRow) -> str:
    """Write a row for a person, in a line."""
    name = visible(row.listed.name)
    if row.failure is not None:
        what = visible(f"{row.failure.where}: {row.failure.what.partition(chr(10))[0]}")
        return f"FAIL {name}: {what}" + (
            f"\n     {visible(row.failure.fix)}" if row.failure.fix else ""
        )
    if row.status == SAME:
        return f"ok   {name}: the same as {visible(row.same_as or '')}"
    if row.status == EMPTY:
        return f"ok   {name}: no commit yet"
    mark = "ok  " if row.passes else "FAIL"
    tally = row.tally
    counted = count_noun(tally.commits, "commit")
    by = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.by["standing"].items()))
    refused = tally.commits - tally.passing
    line = f"{mark} {name}: {counted}, {row.new} new"
    line += f"; {by}" if by else ""
    line += f"; {refused} not let pass" if refused else ""
    return line + (f" ({row.restarts})" if row.restarts else "")


def summary_lines(summary: FleetSummary) -> list[str]:
    """Write the whole summary for a person."""
    counted = Counter(row.status for row in summary.rows)
    by = ", ".join(f"{counted[status]} {status}" for status in STATUSES if counted[status])
    tally = summary.tally
    repositories = count_noun(len(summary.rows), "repository", "repositories")
    derived = tally.by["standing"]["derived"]
    return [
        f"{repositories}: {by}",
        f"{count_noun(tally.commits, 'commit')}: {derived} derived,"
        f" {tally.commits - tally.passing} not let pass",
    ]


def summary_json(summary: FleetSummary) -> JsonObject:
    """Write the whole summary as one JSON object."""
    return {
        "schema": 1,
        "versions": list(summary.versions),
        "repositories": [row_json(row) for row in summary.rows],
        "total": summary.tally.to_json(),
        "failed": summary.failed,
        "rejected": summary.rejected,
    }


def row_json(row: FleetRow) -> JsonObject:
    """Write one row as a JSON object."""
    failure = row.failure
    return {
        "name": to_json_text(row.listed.name),
        "address": to_json_text(row.listed.place),
        "status": row.status,
        "passes": row.passes,
        "tips": {to_json_text(ref): tip for ref, tip in row.tips.items()},
        "policy": row.policy,
        "new": row.new,
        "restarts": row.restarts or None,
        "same_as": None if row.same_as is None else to_json_text(row.same_as),
        "error": None
        if failure is None
        else {
            "where": to_json_text(failure.where),
            "what": to_json_text(failure.what),
            "fix": to_json_text(failure.fix),
        },
        "numbers": row.tally.to_json(),
    }
