"""What pages over tables show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from sqlite3 import Connection

from hkgit.audit.commits import STANDINGS
from hkgit.audit.page.render import read_style, render_template
from hkgit.audit.tables.figures import (
    ALL,
    EACH,
    AgentFigures,
    Period,
    ask,
    count_values,
    gather,
    list_agents,
    list_periods,
)
from hkgit.audit.tables.rows import Row
from hkgit.gate.ruling import AGENT, NO_EVIDENCE
from hkgit.text.hashes import digest
from hkgit.values import dataclass


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
class TableFacts:
    """What a page shows: of all repositories, or of one with its commits and files.

    `rules`, `commits` and `files` are rows of the queries in figures.sql.
    """

    repositories: tuple[RepositorySum, ...]
    agents: tuple[AgentFigures, ...]
    periods: tuple[Period, ...]
    rules: tuple[Row, ...]
    commits: tuple[Row, ...] = ()
    files: tuple[Row, ...] = ()

    @property
    def count(self) -> int:
        return sum(each.commits for each in self.repositories)

    @property
    def standings(self) -> dict[str, int]:
        return {name: sum(each.standings[name] for each in self.repositories) for name in STANDINGS}

    @property
    def broken(self) -> int:
        """How many repositories could not be looked at last time."""
        return sum(not each.is_whole for each in self.repositories)


@dataclass(frozen=True, slots=True)
class TableSums:
    """The facts of all repositories, the worst first, and of each by its name."""

    whole: TableFacts
    single: Mapping[str, TableFacts]


MOST_COMMITS = 200
MOST_FILES = 50


def sum_tables(database: Connection) -> TableSums:
    """Sum up what the pages show; each table is read a few times for all repositories together."""
    repositories = tuple(_list_repositories(database))
    agents, periods = list_agents(database, by=EACH), list_periods(database, EACH, "week")
    rules = gather(ask(database, "rules", by=EACH), Row)
    commits = gather(ask(database, "commits to look at", most=MOST_COMMITS), Row)
    files = gather(ask(database, "files to look at", most=MOST_FILES), Row)
    nothing = (), "week"
    whole = TableFacts(
        repositories=repositories,
        agents=tuple(list_agents(database)[""]),
        periods=list_periods(database, ALL, "week").get("", nothing)[0],
        rules=tuple(gather(ask(database, "rules", by=ALL), Row)[""]),
    )
    single = {
        each.name: TableFacts(
            repositories=(each,),
            agents=tuple(agents[each.name]),
            periods=periods.get(each.name, nothing)[0],
            rules=tuple(rules[each.name]),
            commits=tuple(commits[each.name]),
            files=tuple(files[each.name]),
        )
        for each in repositories
    }
    return TableSums(whole, single)


def _list_repositories(database: Connection) -> Iterator[RepositorySum]:
    standings = count_values(database, "commits", "standing", EACH)
    makers = count_values(database, "commits", "made_by", EACH)
    found = []
    for row in ask(database, "repositories"):
        row["exported"] = datetime.fromisoformat(row["exported"])
        newest = row["newest"]
        row["newest"] = None if newest is None else datetime.fromisoformat(newest)
        row["standings"] = dict.fromkeys(STANDINGS, 0) | standings[row["name"]]
        row["made_by"] = dict.fromkeys((AGENT, NO_EVIDENCE), 0) | makers[row["name"]]
        found.append(RepositorySum(**row))
    yield from sorted(found, key=lambda each: (*(-value for value in each.badness), each.name))


def render_tables(
    database: Connection, name: str, folder: str, *, inline: bool
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
