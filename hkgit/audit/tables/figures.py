"""What reports count, asked of rows, in words and as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import date, timedelta
from functools import cache
from sqlite3 import Connection
from typing import Any, TypeVar

from hkgit.audit.commits import STANDINGS, AuditedCommit, fold_agent
from hkgit.audit.tables.database import add_commits, open_database, quote_columns, read_queries
from hkgit.audit.tables.rows import describe_judges, make_rows
from hkgit.evidence.refusal_log import RefusedAttempt
from hkgit.gate.policy.model import Policy
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field

EACH, ALL = "repository", "''"
"""What rows are put together by: the repository, or nothing."""

STEPS = 10
"""Bars of the histogram of confidence."""

MOST_WEEKS = 52
_BARS = "▁▂▃▄▅▆▇█"

Value = TypeVar("Value")


def ask(
    database: Connection, query: str, repository: str = "", **parts: object
) -> list[dict[str, Any]]:
    """Ask one of the queries of figures.sql; the rows by the names of their columns."""
    cursor = database.execute(_queries()[query].format(**parts), {"repository": repository})
    names = [each[0] for each in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def gather(rows: Iterable[dict[str, Any]], make: Callable[..., Value]) -> dict[str, list[Value]]:
    """Make a value of each row, and gather them by what they were put together by."""
    found: dict[str, list[Value]] = defaultdict(list)
    for row in rows:
        found[row.pop("by")].append(make(**row))
    return found


@cache
def _queries() -> dict[str, str]:
    return {name: quote_columns(sql) for name, sql in read_queries("figures.sql").items()}


@contextmanager
def open_rows_of(commits: Iterable[AuditedCommit], policy: Policy) -> Iterator[Connection]:
    """Open a database with the rows of some commits; of their files there are none."""
    judge = describe_judges(policy)
    with open_database() as database:
        add_commits(database, "", (make_rows(None, each, policy, judge) for each in commits))
        yield database


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """What one agent did, over the same weeks as the others.

    `weak` counts its commits that rest on a quote or less, `bare` those without evidence,
    `refused` what was refused to it in this clone, `evidence` its edits, `weeks` its commits week
    by week from `first` on. `repositories` says in how many it worked.
    """

    name: str
    repositories: int
    commits: int
    derived: int
    passing: int
    weak: int
    bare: int
    evidence: Mapping[str, int]
    lowest: int | None
    versions: tuple[str, ...]
    first: date
    weeks: tuple[int, ...]
    refused: int

    @property
    def edits(self) -> int:
        return sum(self.evidence.values())

    @property
    def sparkline(self) -> str:
        """A bar a week, the highest for the busiest; a space for one without commits."""
        top = max(self.weeks, default=0)
        return "".join(_BARS[(n * len(_BARS) - 1) // top] if n else " " for n in self.weeks)


def list_agents(
    database: Connection, refused: Sequence[RefusedAttempt] = (), by: str = ALL
) -> dict[str, list[AgentFigures]]:
    """List every agent by what rows are put together by, the busiest first."""
    tries = Counter(fold_agent(visible(each.agent)) for each in refused)
    known: dict[tuple[str, str], _Known] = defaultdict(_Known)
    for row in ask(database, "evidence of agents", by=by):
        known[row["by"], row["agent"]].add_edits(row["evidence"], row["edits"], row["lowest"])
    for row in ask(database, "versions of agents", by=by):
        known[row["by"], row["agent"]].versions.append(row["version"])
    weeks: dict[str, set[date]] = defaultdict(set)
    for row in ask(database, "weeks of agents", by=by):
        week = date.fromisoformat(row["week"])
        weeks[row["by"]].add(week)
        known[row["by"], row["agent"]].weeks[week] = row["commits"]
    starts = {name: _list_mondays(found) for name, found in weeks.items()}
    agents = ask(database, "agents", by=by)
    for row in agents:
        row |= known[row["by"], row["name"]].over(starts[row["by"]])
        row["refused"] = tries[row["name"]]
    return gather(agents, AgentFigures)


@dataclass(slots=True)
class _Known:
    """What is known of an agent beside its commits."""

    evidence: dict[str, int] = field(default_factory=dict)
    lowest: int | None = None
    versions: list[str] = field(default_factory=list)
    weeks: dict[date, int] = field(default_factory=dict)

    def add_edits(self, kind: str, edits: int, lowest: float) -> None:
        self.evidence[kind] = edits
        sure = round(1000 * lowest)
        self.lowest = sure if self.lowest is None else min(self.lowest, sure)

    def over(self, mondays: Sequence[date]) -> dict[str, Any]:
        """The fields of `AgentFigures` over some weeks."""
        return {
            "evidence": self.evidence,
            "lowest": self.lowest,
            "versions": tuple(self.versions),
            "first": mondays[0],
            "weeks": tuple(self.weeks.get(monday, 0) for monday in mondays),
        }


def _list_mondays(weeks: Set[date]) -> list[date]:
    """The Mondays from the first week to the last, the newest of them."""
    last = max(weeks)
    count = min((last - min(weeks)).days // 7 + 1, MOST_WEEKS)
    return [last - timedelta(days=7 * back) for back in reversed(range(count))]


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the timeline: its first day, and its commits by standing."""

    start: date
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


_MOST_PERIODS = 400


def list_periods(
    database: Connection, by: str = ALL, step: str | None = None
) -> dict[str, tuple[tuple[Period, ...], str]]:
    """List the commits by day, week or month, by what rows are put together by.

    Without a step it is the one that gives a picture that can be read. Empty periods stand there
    too; of ages, the newest of them.
    """
    days: dict[str, dict[date, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in ask(database, "days", by=by):
        days[row["by"]][date.fromisoformat(row["day"])][row["standing"]] += row["commits"]
    return {name: _list_periods(found, step) for name, found in days.items()}


def _list_periods(
    days: Mapping[date, Counter[str]], step: str | None
) -> tuple[tuple[Period, ...], str]:
    span = (max(days) - min(days)).days
    step = step or ("day" if span <= 45 else "week" if span <= 540 else "month")
    found: dict[date, Counter[str]] = defaultdict(Counter)
    for day, counts in days.items():
        found[_start_of(day, step)] += counts
    starts: list[date] = []
    start = max(found)
    while start >= min(found) and len(starts) < _MOST_PERIODS:
        starts.append(start)
        start = _start_of(start - timedelta(days=1), step)
    periods = (
        Period(each, {name: found[each][name] for name in STANDINGS}) for each in reversed(starts)
    )
    return tuple(periods), step


def _start_of(day: date, step: str) -> date:
    if step == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if step == "week" else day


def count_values(
    database: Connection, table: str, value: str, by: str = ALL
) -> dict[str, dict[Any, int]]:
    """Count the rows of a table by a value of theirs, the most frequent first."""
    counted: dict[str, dict[Any, int]] = defaultdict(dict)
    for row in ask(database, "values", table=table, value=value, by=by):
        counted[row["by"]][row["value"]] = row["count"]
    return counted


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of all commits and their edits.

    `blind` counts edits whose evidence the policy does not accept, `without_entry` commits that
    are rejected and carry no entry, `conflicts` those that entries claim to have met;
    `confidence` the edits by tenths of it, the last with 1.00 itself.
    """

    commits: int
    passing: int
    entries: int
    without_entry: int
    conflicts: int
    blind: int
    files: int
    repaired: int
    relocated: int
    replay: Mapping[str, int]
    agents: Mapping[str, int]
    tiers: Mapping[str, int]
    evidence: Mapping[str, int]
    confidence: tuple[int, ...]
    lowest: int | None

    @property
    def edits(self) -> int:
        return sum(self.evidence.values())


def count_all(database: Connection) -> Figures:
    """Count all that a database has."""
    [commits], [edits] = ask(database, "totals of commits"), ask(database, "totals of edits")

    def count(table: str, value: str) -> dict[Any, int]:
        return count_values(database, table, value)[""]

    sure = count("edits", "cast(round(1000 * confidence) AS INTEGER)")
    return Figures(
        **commits,
        **edits,
        replay=count("commits", "replay"),
        agents=count("edits", "agent || coalesce('/' || lower(agent_version), '')"),
        tiers=count("edits", "tier"),
        evidence=count("edits", "evidence"),
        confidence=count_tenths(sure),
        lowest=min(sure, default=None),
    )


def count_tenths(confidences: Mapping[int, int]) -> tuple[int, ...]:
    """Count confidences per mille by tenths, the last with 1.00 itself."""
    bars: Counter[int] = Counter()
    for confidence, count in confidences.items():
        bars[min(confidence * STEPS // 1000, STEPS - 1)] += count
    return tuple(bars[step] for step in range(STEPS))


def agent_json(row: AgentFigures) -> JsonObject:
    """Write an agent as one JSON object."""
    return {
        "agent": row.name,
        "commits": row.commits,
        "derived": row.derived,
        "passes": row.passing,
        "edits": row.edits,
        "weak": row.weak,
        "refused": row.refused,
        "first_week": row.first.isoformat(),
        "by_week": list(row.weeks),
    }


def numbers_json(numbers: Figures) -> JsonObject:
    """Write the numbers as one JSON object; rates and confidences in [0, 1]."""
    return {
        "commits": numbers.commits,
        "replay": dict(numbers.replay),
        "policy": {"passes": numbers.passing, "fails": numbers.commits - numbers.passing},
        "entries": numbers.entries,
        "edits": numbers.edits,
        "files": numbers.files,
        "agents": dict(numbers.agents),
        "tiers": dict(numbers.tiers),
        "evidence": dict(numbers.evidence),
        "confidence": [
            {"from": step / STEPS, "to": (step + 1) / STEPS, "edits": count}
            for step, count in enumerate(numbers.confidence)
        ],
        "lowest_confidence": None if numbers.lowest is None else numbers.lowest / 1000,
        "repaired": numbers.repaired,
        "relocated": numbers.relocated,
        "blind_edits": numbers.blind,
        "blind_rate": round(numbers.blind / numbers.edits, 4) if numbers.edits else None,
        "rejected_without_entry": numbers.without_entry,
        "conflicts_met": numbers.conflicts,
    }


def count_line(commits: int) -> str:
    """Write the first of `numbers_lines`, which is known before anything is judged."""
    return f"commits     {commits}"


def numbers_lines(numbers: Figures) -> Iterator[str]:
    """Write the numbers for people."""
    yield count_line(numbers.commits)
    yield f"replay      {_shares(numbers.replay)}"
    yield f"policy      {numbers.passing} pass, {numbers.commits - numbers.passing} fail"
    edits, files = count_noun(numbers.edits, "edit"), count_noun(numbers.files, "file")
    yield f"entries     {numbers.entries}, {edits} of {files}"
    if not numbers.edits:
        return
    yield f"agents      {_shares(numbers.agents)}"
    yield f"tiers       {_shares(numbers.tiers)}"
    yield f"evidence    {_shares(numbers.evidence)}"
    yield f"blind       {numbers.blind} of {edits} ({_percent(numbers)})"
    yield f"conflicts   {numbers.conflicts} reported"
    yield f"repaired    {numbers.repaired}, relocated {numbers.relocated}"
    if numbers.lowest == STEPS * 100:
        return
    yield f"confidence  lowest {format_decimal(numbers.lowest or 0)}"
    most = max(numbers.confidence)
    for step, count in enumerate(numbers.confidence):
        if count:
            bar = "█" * max(round(count * 40 / most), 1)
            end = "]" if step == STEPS - 1 else ")"
            yield f"  [{step / STEPS:.1f}, {(step + 1) / STEPS:.1f}{end}  {bar} {count}"


def _shares(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items())


def _percent(numbers: Figures) -> str:
    return f"{numbers.blind * 100 / numbers.edits:.1f} %"
