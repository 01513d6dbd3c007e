"""What the page over tables shows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from sqlite3 import Connection

from hkgit.audit.page.render import render_template
from hkgit.audit.tables.figures import EACH, Figures, Summary, ask, count_all, sum_up
from hkgit.audit.tables.rows import Row
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
    """What the page shows of all repositories, the worst first.

    `rules`, `commits` and `files` are rows of the queries in figures.sql.
    """

    repositories: tuple[RepositorySum, ...]
    summary: Summary
    rules: list[Row]
    commits: list[Row]
    files: list[Row]

    @property
    def broken(self) -> int:
        """How many repositories could not be looked at last time."""
        return sum(not each.is_whole for each in self.repositories)


MOST_COMMITS = 200
MOST_FILES = 50


def sum_tables(database: Connection) -> TableFacts:
    """Sum up what the page shows."""
    return TableFacts(
        repositories=tuple(_list_repositories(database)),
        summary=sum_up(database, step="week"),
        rules=ask(database, "rules"),
        commits=ask(database, "commits to look at", most=MOST_COMMITS),
        files=ask(database, "files to look at", most=MOST_FILES),
    )


def _list_repositories(database: Connection) -> Iterator[RepositorySum]:
    figures, found = count_all(database, EACH), []
    for row in ask(database, "repositories"):
        row["exported"] = datetime.fromisoformat(row["exported"])
        newest = row["newest"]
        row["newest"] = None if newest is None else datetime.fromisoformat(newest)
        found.append(RepositorySum(**row, figures=figures[row["name"]]))
    yield from sorted(found, key=lambda each: (*(-value for value in each.badness), each.name))


def render_tables(database: Connection) -> str:
    """Render the page. Raises InvalidInput where Jinja2 is not here."""
    facts = sum_tables(database)
    return render_template("tables.html", facts=facts, most_commits=MOST_COMMITS)
