"""examples.py: what reports.md and conflicts.md show, made by hkgit on a repository of its own.

`python -m tests.audit.reports.examples` writes them anew.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from hkgit.audit.reports import FORMATS, render, summary
from tests.audit.reports.conftest import judged
from tests.support.desk import FILE, Desk
from tests.support.repos import Repo
from tests.support.running import run

_DOCS = Path(__file__).parents[3] / "docs"
PAGES = (_DOCS / "reports.md", _DOCS / "conflicts.md")
_EXAMPLE = re.compile(r"(<!-- example: (\S+) -->\n````\w*\n)(.*?)(\n````\n)", re.DOTALL)
_CHANGING = re.compile(r"\b[0-9a-f]{7,64}\b|\b\d{4}-\d\d-\d\d \d\d:\d\d\b|\b\d{9,}\b")

POEM = "roses\nviolets\nsugar\nand you\n"


def examples() -> dict[str, str]:
    """Every example by its name."""
    with tempfile.TemporaryDirectory() as place:
        repo = Repo.init(Path(place) / "repo")
        return dict(_made(repo))


def _made(repo: Repo) -> Iterator[tuple[str, str]]:
    repo.commit({FILE: POEM}, "Begin")
    repo.git("tag", "start")
    yield from _edited(repo)
    repo.git("tag", "edited")
    by_agent = "--author=codex <codex@example.org>"
    repo.commit({FILE: repo.read(FILE) + b"so sweet\n"}, "Add a line", by_agent)
    sheet = judged(repo, "edited")
    for form in FORMATS:
        yield form, render(sheet, form)
    yield "summary", summary.render(sheet)
    for name, *args in (
        ("blame", "blame", FILE),
        ("stats", "stats", "start..edited"),
        ("report", "report", "start..edited"),
        ("qa", "qa", "edited..HEAD"),
    ):
        yield name, run(*args, cwd=repo.path).out


def _edited(repo: Repo) -> Iterator[tuple[str, str]]:
    """An agent's edit that met a conflict, was asked about, and landed."""
    desk = Desk(repo, "codex/1.2")
    repo.commit({FILE: POEM.replace("violets", "violets are blue")}, "Say how they are")
    for _ in range(3):
        desk.apply(desk.replace(2, 2, "violets are purple", "start"))
    [consult] = desk.consults
    yield "consult", run("consult", consult.id, cwd=repo.path).out
    run("consult", consult.id, "--decision", "apply", "-m", "They are", cwd=repo.path)
    desk.apply(desk.replace(2, 2, "violets are purple"))


def shown() -> dict[str, str]:
    """The examples that the pages show."""
    texts = (page.read_text("utf-8") for page in PAGES)
    return {found[2]: found[3] for text in texts for found in _EXAMPLE.finditer(text)}


def lasting(example: str) -> str:
    """An example without what is another at every time: ids and dates."""
    return _CHANGING.sub("#", example.rstrip("\n"))


def rewritten(page: str, made: dict[str, str]) -> str:
    """The page with new examples, where they say anything else."""

    def example(found: re.Match[str]) -> str:
        if lasting(found[3]) == lasting(made[found[2]]):
            return found[0]
        return found[1] + made[found[2]].rstrip("\n") + found[4]

    return _EXAMPLE.sub(example, page)


if __name__ == "__main__":
    import_module("tests.conftest")  # seals this process from the developer's git
    made = examples()
    for page in PAGES:
        page.write_text(rewritten(page.read_text("utf-8"), made), "utf-8")
