"""pages.py: the page over all tables, and one page for each repository beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hkgit.audit.page.rendering import read_style, render_template
from hkgit.audit.tables.summing import MOST_COMMITS, sum_tables
from hkgit.audit.tables.sums import RepositorySum, TableFacts
from hkgit.evidence.ledger.canonical import digest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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
