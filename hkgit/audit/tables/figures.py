"""What reports, pages and fleets count, asked of rows, in words and as JSON."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from functools import cache
from sqlite3 import Connection
from typing import Any

from hkgit.audit.commits import DERIVED, REPLAYS, fold_agent
from hkgit.audit.tables.database import add_commits, open_database, quote_columns, read_queries
from hkgit.audit.tables.rows import Row, make_rows
from hkgit.evidence.refusal_log import RefusedAttempt
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.matching.place import format_decimal
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

MOST_WEEKS = 52
_BARS = "▁▂▃▄▅▆▇█"


def ask(database: Connection, query: str, repository: str = "", **parts: object) -> list[Row]:
    """Ask one of the queries of figures.sql; the rows by the names of their columns."""
    cursor = database.execute(_queries()[query].format(**parts), {"repository": repository})
    names = [each[0] for each in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


@cache
def _queries() -> dict[str, str]:
    return {name: quote_columns(sql) for name, sql in read_queries("figures.sql").items()}


@contextmanager
def open_rows_of(rulings: Iterable[Ruling], policy: Policy) -> Iterator[Connection]:
    """Open a database with the rows of some commits; of their files there are none."""
    with open_database() as database:
        add_commits(database, "", make_rows(rulings, policy))
        yield database


@dataclass(frozen=True)
class Figures:
    """Counts of commits and of their edits by what they are: `["evidence"]["hash"]` edits.

    Commits are counted by `replay` and `policy`; edits by `evidence`, `tiers`, `versions` of agents
    and `confidence` per mille. In `totals`, `blind` counts edits whose evidence the policy does not
    accept.
    """

    by: Mapping[str, Mapping[Any, int]]

    def __getitem__(self, kind: str) -> Mapping[Any, int]:
        return self.by.get(kind, {})

    def total(self, name: str) -> int:
        """Return one of the totals."""
        return self["totals"].get(name, 0)

    @property
    def commits(self) -> int:
        return sum(self["replay"].values())

    @property
    def passing(self) -> int:
        return self["policy"].get("passes", 0)

    @property
    def failing(self) -> int:
        return self.commits - self.passing

    @property
    def edits(self) -> int:
        return sum(self["evidence"].values())

    @property
    def replays(self) -> dict[str, int]:
        """What replay says of some commit, in the order of `REPLAYS`, and of how many."""
        counts = self["replay"]
        return {name: counts[name] for name in REPLAYS if name in counts}

    @property
    def derived(self) -> int:
        return sum(self["replay"].get(name, 0) for name in DERIVED)

    @property
    def lowest(self) -> int | None:
        return min(self["confidence"], default=None)


def add_figures(several: Iterable[Figures]) -> Figures:
    """Add up figures of different commits."""
    found: dict[str, Counter[Any]] = defaultdict(Counter)
    for each in several:
        for kind, counts in each.by.items():
            found[kind].update(counts)
    return Figures(found)


def count_all(database: Connection, repository: str | None = None) -> Figures:
    """Count what a database has, or of it one repository."""
    which = "true" if repository is None else "repository = :repository"
    found: dict[str, dict[Any, int]] = defaultdict(dict)
    for row in ask(database, "figures", repository or "", which=which):
        found[row["kind"]][row["value"]] = row["count"]
    [found["totals"]] = ask(database, "totals", repository or "", which=which)
    return Figures(found)


def list_agents(database: Connection, refused: Sequence[RefusedAttempt] = ()) -> list[Row]:
    """List what each agent did, the busiest first.

    `weak` counts its commits that rest on a quote or less, `bare` those without evidence, `refused`
    what was refused to it in this clone, `by_week` its commits from `first_week` on.
    """
    tries = Counter(fold_agent(visible(each.agent)) for each in refused)
    agents = ask(database, "agents")
    for row in agents:
        row |= {name: json.loads(row[name]) for name in ("weeks", "evidence", "versions")}
    weeks = {date.fromisoformat(week) for row in agents for week in row["weeks"]}
    starts = _list_starts(weeks, "week", MOST_WEEKS)
    for row in agents:
        row["refused"], row["first_week"] = tries[row["agent"]], starts[0].isoformat()
        row["by_week"] = [row["weeks"].get(each.isoformat(), 0) for each in starts]
    return agents


def draw_sparkline(counts: Sequence[int]) -> str:
    """Draw a bar a count, the highest for the largest; a space for none."""
    top = max(counts, default=0)
    return "".join(_BARS[(n * len(_BARS) - 1) // top] if n else " " for n in counts)


@dataclass(frozen=True)
class Period:
    """A stretch of the timeline: its first day, and its commits by what replay says."""

    start: date
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


_MOST_PERIODS = 400


@dataclass(frozen=True)
class Summary:
    """What reports and pages say of some commits; a period of the timeline is a `step`."""

    figures: Figures
    agents: Sequence[Row]
    periods: Sequence[Period]
    step: str


def sum_up(
    database: Connection, refused: Sequence[RefusedAttempt] = (), step: str | None = None
) -> Summary:
    """Sum up what a database has.

    Without a step of the timeline it is the one that gives a picture that can be read.
    """
    days: dict[date, Counter[str]] = defaultdict(Counter)
    for row in ask(database, "days"):
        days[date.fromisoformat(row["day"])][row["replay"]] += row["commits"]
    periods, step = _group_days(days, step) if days else ((), step or "day")
    return Summary(count_all(database), list_agents(database, refused), periods, step)


def _group_days(
    days: Mapping[date, Counter[str]], step: str | None
) -> tuple[tuple[Period, ...], str]:
    """Group the commits by day, week or month. Empty periods are there too; of ages, the newest."""
    span = (max(days) - min(days)).days
    step = step or ("day" if span <= 45 else "week" if span <= 540 else "month")
    found: dict[date, Counter[str]] = defaultdict(Counter)
    for day, counts in days.items():
        found[_start_of(day, step)] += counts
    starts = _list_starts(found, step, _MOST_PERIODS)
    periods = (Period(each, {name: found[each][name] for name in REPLAYS}) for each in starts)
    return tuple(periods), step


def _list_starts(found: Collection[date], step: str, most: int) -> list[date]:
    """List the first days of all periods from the first to the last, or the newest of them."""
    starts: list[date] = []
    start = max(found, default=date.min)
    while found and start >= min(found) and len(starts) < most:
        starts.append(start)
        start = _start_of(start - timedelta(days=1), step)
    return starts[::-1]


def _start_of(day: date, step: str) -> date:
    if step == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if step == "week" else day


def numbers_json(figures: Figures) -> JsonObject:
    """Write the numbers as one JSON object; rates and confidences in [0, 1]."""
    edits, total = figures.edits, figures.total
    return {
        "commits": figures.commits,
        "replay": dict(figures["replay"]),
        "policy": {"passes": figures.passing, "fails": figures.failing},
        "entries": total("entries"),
        "edits": edits,
        "files": total("files"),
        "agents": dict(figures["versions"]),
        "tiers": dict(figures["tiers"]),
        "evidence": dict(figures["evidence"]),
        "lowest_confidence": None if figures.lowest is None else figures.lowest / 1000,
        "blind_edits": total("blind"),
        "blind_rate": round(total("blind") / edits, 4) if edits else None,
    }


def count_line(commits: int) -> str:
    """Write the first of `numbers_lines`, which is known before anything is judged."""
    return f"commits     {commits}"


def numbers_lines(figures: Figures) -> Iterator[str]:
    """Write the numbers for people."""
    total, edits = figures.total, count_noun(figures.edits, "edit")
    yield count_line(figures.commits)
    yield f"replay      {_shares(figures['replay'])}"
    yield f"policy      {figures.passing} pass, {figures.failing} fail"
    yield f"entries     {total('entries')}, {edits} of {count_noun(total('files'), 'file')}"
    if not figures.edits:
        return
    yield f"agents      {_shares(figures['versions'])}"
    yield f"tiers       {_shares(figures['tiers'])}"
    yield f"evidence    {_shares(figures['evidence'])}"
    yield f"blind       {total('blind')} of {edits} ({total('blind') * 100 / figures.edits:.1f} %)"
    if figures.lowest == 1000:
        return
    yield f"confidence  lowest {format_decimal(figures.lowest or 0)}"


def _shares(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.items())
