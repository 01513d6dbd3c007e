"""What pages over tables show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from hkgit.applying.evidence import KINDS
from hkgit.audit.commits import DERIVED, STANDINGS
from hkgit.audit.page.page_facts import Period
from hkgit.audit.page.render import read_style, render_template
from hkgit.audit.reports.rule_page import describe_rule
from hkgit.evidence.entry import digest
from hkgit.gate.ruling import AGENT, NO_EVIDENCE
from hkgit.values import dataclass

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class RepositorySum:
    """One repository; `blind` counts edits that its policy does not accept, `derived` commits
    by agents that can be derived.

    `exported` says when its rows were looked at last, `status` how that went.
    """

    name: str
    url: str | None
    status: str
    error: str | None
    exported: datetime
    policy_source: str | None
    commits: int
    passing: int
    derived: int
    edits: int
    blind: int
    newest: datetime | None
    standings: Mapping[str, int]
    made_by: Mapping[str, int]

    @property
    def is_whole(self) -> bool:
        """Whether its last export went well."""
        return self.status == "ok"

    @property
    def failing(self) -> int:
        return self.commits - self.passing

    @property
    def by_agents(self) -> int:
        return self.made_by[AGENT] + self.made_by[NO_EVIDENCE]

    @property
    def bare(self) -> int:
        return self.made_by[NO_EVIDENCE]

    @property
    def badness(self) -> tuple[bool, float, float, float]:
        """A key that sorts the worst last."""
        failing = self.failing / self.commits if self.commits else 0.0
        bare = self.bare / self.by_agents if self.by_agents else 0.0
        return not self.is_whole, failing, bare, self.blind / self.edits if self.edits else 0.0


@dataclass(frozen=True, slots=True)
class AgentSum:
    """One agent over all; `repositories` says in how many it worked."""

    name: str
    repositories: int
    commits: int
    derived: int
    passing: int
    bare: int
    edits: int
    lowest: float | None
    evidence: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CommitSum:
    """One of the commits to look at first."""

    id: str
    time: datetime
    who: str
    subject: str
    standing: str
    passes: bool
    rule: str
    evidence: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class RuleSum:
    """A rule that commits break: how often, and what it is for."""

    rule: str
    findings: int
    commits: int
    meaning: str


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file by what agents changed of it unseen."""

    path: str
    commits: int
    removed: int
    unseen: int


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a page shows: of all repositories, or of one with its commits and files."""

    repositories: tuple[RepositorySum, ...]
    agents: tuple[AgentSum, ...]
    periods: tuple[Period, ...]
    rules: tuple[RuleSum, ...]
    commits: tuple[CommitSum, ...] = ()
    files: tuple[FileSum, ...] = ()

    @property
    def count(self) -> int:
        return sum(each.commits for each in self.repositories)

    @property
    def passing(self) -> int:
        return sum(each.passing for each in self.repositories)

    @property
    def edits(self) -> int:
        return sum(each.edits for each in self.repositories)

    @property
    def blind(self) -> int:
        return sum(each.blind for each in self.repositories)

    @property
    def standings(self) -> dict[str, int]:
        return {name: sum(each.standings[name] for each in self.repositories) for name in STANDINGS}

    @property
    def derived(self) -> int:
        """Commits by agents that can be derived."""
        return sum(each.derived for each in self.repositories)

    @property
    def by_agents(self) -> int:
        return sum(each.by_agents for each in self.repositories)

    @property
    def broken(self) -> int:
        """How many repositories could not be looked at last time."""
        return sum(not each.is_whole for each in self.repositories)


@dataclass(frozen=True, slots=True)
class TableSums:
    """The facts of all repositories, the worst first, and of each by its name."""

    whole: TableFacts
    single: Mapping[str, TableFacts]


MOST_AGENTS = 100
MOST_COMMITS = 200
MOST_FILES = 50
MOST_WEEKS = 104
"""Weeks on a page; older ones are left out."""


def sum_tables(database: DuckDBPyConnection) -> TableSums:
    """Sum up what the pages show; each table is read a few times for all repositories together."""
    repositories = tuple(_repositories(database))
    agents, periods = _agents(database, _EACH), _periods(database, _EACH)
    rules, commits, files = _rules(database, _EACH), _commits(database), _files(database)
    whole = TableFacts(
        repositories=repositories,
        agents=_agents(database, _ALL).get("", ()),
        periods=_periods(database, _ALL).get("", ()),
        rules=_rules(database, _ALL).get("", ()),
    )
    single = {
        each.name: TableFacts(
            repositories=(each,),
            agents=agents.get(each.name, ()),
            periods=periods.get(each.name, ()),
            rules=rules.get(each.name, ()),
            commits=commits.get(each.name, ()),
            files=files.get(each.name, ()),
        )
        for each in repositories
    }
    return TableSums(whole, single)


_EACH, _ALL = "repository", "''"
"""What rows are put together by: the repository, or nothing."""

Value = TypeVar("Value")


def _ask(database: DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return database.execute(sql).fetchall()


def _collect(found: Iterable[tuple[str, Value]]) -> dict[str, tuple[Value, ...]]:
    """Values by their first halves, in their order."""
    listed: dict[str, list[Value]] = {}
    for name, value in found:
        listed.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in listed.items()}


def _repositories(database: DuckDBPyConnection) -> Iterator[RepositorySum]:
    counted: dict[str, dict[str, dict[str, int]]] = {}
    for column in ("standing", "made_by"):
        asked = f"SELECT repository, {column}, count(*) FROM commits GROUP BY ALL"
        for name, value, count in _ask(database, asked):
            counted.setdefault(name, {}).setdefault(column, {})[value] = count
    asked = f"""
        SELECT repository, any_value(url), any_value(status), any_value(error),
          max(exported), any_value(repositories.policy_source), count(commit),
          count(commit) FILTER (policy_passes),
          count(commit) FILTER (standing = '{DERIVED}' AND made_by = '{AGENT}'),
          coalesce(sum(edits), 0)::BIGINT, coalesce(sum(blind_edits), 0)::BIGINT, max(time)
        FROM repositories LEFT JOIN commits USING (repository) GROUP BY repository"""
    found = [
        RepositorySum(*row, *_fill_counts(counted.get(row[0], {}))) for row in _ask(database, asked)
    ]
    yield from sorted(found, key=lambda each: (*(-value for value in each.badness), each.name))


def _fill_counts(counted: Mapping[str, Mapping[str, int]]) -> tuple[dict[str, int], ...]:
    """The commits of a repository by standing and by who made them, none left out."""
    makers = dict.fromkeys((AGENT, NO_EVIDENCE), 0)
    return (
        dict.fromkeys(STANDINGS, 0) | {**counted.get("standing", {})},
        makers | {**counted.get("made_by", {})},
    )


def _first(count: int, order: str) -> str:
    """SQL that keeps so many rows of each name."""
    return f"QUALIFY row_number() OVER (PARTITION BY name ORDER BY {order}) <= {count}"


def _agents(database: DuckDBPyConnection, by: str) -> dict[str, tuple[AgentSum, ...]]:
    evidence: dict[tuple[str, str], dict[str, int]] = {}
    asked = f"SELECT {by}, agent, evidence, count(*) FROM edits GROUP BY ALL"
    for name, agent, kind, count in _ask(database, asked):
        evidence.setdefault((name, agent), dict.fromkeys(KINDS, 0))[kind] = count
    asked = f"""
        SELECT {by} AS name, agent, count(DISTINCT repository), count(*) AS commits,
          count(*) FILTER (standing = '{DERIVED}'), count(*) FILTER (policy_passes),
          count(*) FILTER (made_by = '{NO_EVIDENCE}'), sum(edits)::BIGINT, min(lowest_confidence)
        FROM commits WHERE agent IS NOT NULL GROUP BY name, agent
        {_first(MOST_AGENTS, "count(*) DESC, agent")} ORDER BY name, commits DESC, agent"""
    none = dict.fromkeys(KINDS, 0)
    return _collect(
        (name, AgentSum(*(*row, evidence.get((name, row[0]), none))))
        for name, *row in _ask(database, asked)
    )


def _periods(database: DuckDBPyConnection, by: str) -> dict[str, tuple[Period, ...]]:
    """The commits by week and standing, weeks without any too."""
    asked = f"""
        SELECT {by} AS name, date_trunc('week', time)::DATE AS week, standing, count(*)
        FROM commits WHERE time IS NOT NULL GROUP BY ALL ORDER BY name, week"""
    found: dict[str, dict[date, dict[str, int]]] = {}
    for name, week, standing, count in _ask(database, asked):
        weeks = found.setdefault(name, {})
        weeks.setdefault(week, dict.fromkeys(STANDINGS, 0))[standing] = count
    return {name: tuple(_fill(weeks)) for name, weeks in found.items()}


def _fill(found: Mapping[date, Mapping[str, int]]) -> Iterator[Period]:
    last = max(found)
    count = min((last - min(found)).days // 7 + 1, MOST_WEEKS)
    for back in reversed(range(count)):
        week = last - timedelta(days=7 * back)
        yield Period(week, found.get(week, dict.fromkeys(STANDINGS, 0)))


def _rules(database: DuckDBPyConnection, by: str) -> dict[str, tuple[RuleSum, ...]]:
    asked = f"""
        SELECT {by} AS name, rule, count(*) AS findings, count(DISTINCT commit) FROM findings
        WHERE blocks GROUP BY name, rule ORDER BY name, findings DESC, rule"""
    return _collect(
        (name, RuleSum(*(*row, describe_rule(row[0])))) for name, *row in _ask(database, asked)
    )


def _commits(database: DuckDBPyConnection) -> dict[str, tuple[CommitSum, ...]]:
    """What does not pass, then what is blind, then what is least sure."""
    order = "policy_passes, NOT blind, coalesce(lowest_confidence, 1), time DESC, commit"
    asked = f"""
        SELECT repository AS name, commit, time,
          coalesce(nullif(array_to_string(agents, ', '), ''), author), subject, standing,
          policy_passes, rule, weakest_evidence, lowest_confidence
        FROM commits WHERE made_by IN ('{AGENT}', '{NO_EVIDENCE}')
        {_first(MOST_COMMITS, order)} ORDER BY name, {order}"""
    return _collect((name, CommitSum(*row)) for name, *row in _ask(database, asked))


def _files(database: DuckDBPyConnection) -> dict[str, tuple[FileSum, ...]]:
    asked = f"""
        SELECT repository AS name, path, count(*), sum(lines_removed)::BIGINT,
          sum(lines_unseen)::BIGINT AS unseen
        FROM files WHERE lines_unseen > 0 GROUP BY name, path
        {_first(MOST_FILES, "sum(lines_unseen) DESC, path")} ORDER BY name, unseen DESC, path"""
    return _collect((name, FileSum(*row)) for name, *row in _ask(database, asked))


def render_tables(
    database: DuckDBPyConnection, name: str, folder: str, *, inline: bool
) -> Iterator[tuple[str, str]]:
    """Render the pages by their names: `name` for all, and below `folder` one for each repository.

    Each page fetches nothing where its style stands in it, else only the style sheet beside the
    first. Raises InvalidInput where Jinja2 is not here.
    """
    sums = sum_tables(database)
    links = {each.name: f"{folder}/{name_page(each)}" for each in sums.whole.repositories}
    style = None if inline else "style.css"
    yield name, _render(sums.whole, "", links, style)
    for each, own in sums.single.items():
        yield links[each], _render(own, f"../{name}", {}, style and f"../{style}")
    if style is not None:
        yield style, read_style()


def name_page(repository: RepositorySum) -> str:
    """Name the file of a repository's page by a hash: the repository's name may be anything."""
    return f"{digest(repository.name.encode())[:16]}.html"


def _render(facts: TableFacts, back: str, links: dict[str, str], style: str | None) -> str:
    return render_template(
        "tables.html", style, facts=facts, back=back, links=links, most_commits=MOST_COMMITS
    )
