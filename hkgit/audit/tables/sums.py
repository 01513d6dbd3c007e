"""What pages over tables show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection

from hkgit.audit.page.render import render_template
from hkgit.audit.tables.figures import ALL, EACH, Figures, Summary, ask, gather, sum_up
from hkgit.audit.tables.rows import Row
from hkgit.text.hashes import digest
from hkgit.values import dataclass


@dataclass(frozen=True)
class RepositorySum:
    """One repository; `exported` says when its rows were looked at last, `status` how that went."""

    name: str
    url: str | None
    status: str
    error: str | None
    exported: datetime
    policy_source: str | None
    newest: datetime | None
    figures: Figures

    @property
    def is_whole(self) -> bool:
        """Whether its last export went well."""
        return self.status == "ok"

    @property
    def badness(self) -> tuple[bool, float, float, float]:
        """A key that sorts the worst last."""
        of = self.figures
        failing = of.failing / of.commits if of.commits else 0.0
        by_agents = of.total("by_agents")
        bare = of.total("bare") / by_agents if by_agents else 0.0
        return not self.is_whole, failing, bare, of.total("blind") / of.edits if of.edits else 0.0


@dataclass(frozen=True)
class TableFacts:
    """What a page shows: of all repositories, or of one with its commits and files.

    `rules`, `commits` and `files` are rows of the queries in figures.sql.
    """

    repositories: tuple[RepositorySum, ...]
    summary: Summary
    rules: tuple[Row, ...]
    commits: tuple[Row, ...] = ()
    files: tuple[Row, ...] = ()

    @property
    def broken(self) -> int:
        """How many repositories could not be looked at last time."""
        return sum(not each.is_whole for each in self.repositories)


@dataclass(frozen=True)
class TableSums:
    """The facts of all repositories, the worst first, and of each by its name."""

    whole: TableFacts
    single: Mapping[str, TableFacts]


MOST_COMMITS = 200
MOST_FILES = 50


def sum_tables(database: Connection) -> TableSums:
    """Sum up what the pages show; each table is read a few times for all repositories together."""
    summaries = sum_up(database, by=EACH, step="week")
    repositories = tuple(_list_repositories(database, summaries))
    rules = gather(ask(database, "rules", by=EACH), Row)
    commits = gather(ask(database, "commits to look at", most=MOST_COMMITS), Row)
    files = gather(ask(database, "files to look at", most=MOST_FILES), Row)
    whole = TableFacts(
        repositories=repositories,
        summary=sum_up(database, step="week")[""],
        rules=tuple(gather(ask(database, "rules", by=ALL), Row)[""]),
    )
    single = {
        each.name: TableFacts(
            repositories=(each,),
            summary=summaries[each.name],
            rules=tuple(rules[each.name]),
            commits=tuple(commits[each.name]),
            files=tuple(files[each.name]),
        )
        for each in repositories
    }
    return TableSums(whole, single)


def _list_repositories(
    database: Connection, summaries: Mapping[str, Summary]
) -> Iterator[RepositorySum]:
    found = []
    for row in ask(database, "repositories"):
        row["exported"] = datetime.fromisoformat(row["exported"])
        newest = row["newest"]
        row["newest"] = None if newest is None else datetime.fromisoformat(newest)
        found.append(RepositorySum(**row, figures=summaries[row["name"]].figures))
    yield from sorted(found, key=lambda each: (*(-value for value in each.badness), each.name))


def render_tables(database: Connection, path: Path) -> Iterator[tuple[Path, str]]:
    """Render the pages by their files: `path` for all, and one for each repository in a folder.

    Raises InvalidInput where Jinja2 is not here.
    """
    sums, folder = sum_tables(database), f"{path.stem}-repositories"
    links = {each.name: f"{folder}/{name_page(each)}" for each in sums.whole.repositories}
    yield path, _render(sums.whole, "", links)
    for each, own in sums.single.items():
        yield path.parent / links[each], _render(own, f"../{path.name}", {})


def name_page(repository: RepositorySum) -> str:
    """Name the file of a repository's page by a hash: the repository's name may be anything."""
    return f"{digest(repository.name.encode())[:16]}.html"


def _render(facts: TableFacts, back: str, links: dict[str, str]) -> str:
    return render_template(
        "tables.html", facts=facts, back=back, links=links, most_commits=MOST_COMMITS
    )
