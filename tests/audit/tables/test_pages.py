"""The page over tables: which repositories stand in it, in which order, and that it is inert."""

import re
import shutil
from pathlib import Path

import pytest

from hkgit.audit.page.render import sum_tables
from hkgit.audit.tables.database import open_directory
from hkgit.audit.tables.export_tables import note_repository
from hkgit.audit.tables.rows import RepositoryIdentity
from tests.audit.tables.conftest import export_all
from tests.support.cases import cases
from tests.support.hostile import CORPUS, hostile
from tests.support.markup import Outline
from tests.support.repos import Repo
from tests.support.running import run


@pytest.fixture(scope="module")
def several(grown: Repo, tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The orchard, a repository of a person alone, a hostile one, and one that is out of reach."""
    place = tmp_path_factory.mktemp("several")
    shutil.copytree(tables, place / "tables")
    plain = Repo.init(place / "plain")
    plain.commit({"a.txt": "one\n"}, "Begin")
    plain.git("remote", "add", "origin", "git@example.org:mara/plain.git")
    bad = Repo.init(place / "bad")
    hostile(bad)
    bad.git("config", "remote.origin.url", f"https://example.org/{CORPUS[0]}")
    for repo in (plain, bad):
        export_all(repo, place / "tables")
    lost = RepositoryIdentity("example.org/mara/lost", "https://example.org/mara/lost")
    with open_directory(place / "tables") as database:
        note_repository(database, lost, "HEAD", error=f"no route to it {CORPUS[1]}")
    return place / "tables"


def test_the_worst_come_first(several: Path) -> None:
    with open_directory(several) as database:
        facts = sum_tables(database)
    assert facts["repositories"][0]["name"].rpartition("/")[2] == "lost"
    assert [each["name"] for each in facts["repositories"]][-2:] == [
        "example.org/mara/orchard",
        "example.org/mara/plain",
    ]
    summary = facts["summary"]
    assert [each["status"] for each in facts["repositories"]] == ["failed", "ok", "ok", "ok"]
    assert summary.figures.commits == 27 + 1 + 13
    assert sum(summary.figures.replays.values()) == summary.figures.commits
    assert sum(period.total for period in summary.periods[-1:]) > 0


def test_the_numbers_are_those_of_the_history(tables: Path) -> None:
    with open_directory(tables) as database:
        own = sum_tables(database)
    (row,) = own["repositories"]
    summary = own["summary"]
    assert (row["commits"], row["bare"], row["edits"]) == (27, 1, 21)
    assert (row["derived"], summary.figures.derived) == (20, 22)  # one takes back, one is empty
    assert (row["failing"], row["blind"]) == (summary.figures.failing, 4)
    agents = {each["agent"]: each for each in summary.agents}
    assert agents["claude-code"]["commits"] == 9
    codex = agents["codex"]
    assert (codex["bare"], codex["evidence"]) == (1, {"receipt": 2, "hash": 3})
    assert summary.figures.total("people") == 3
    assert sum(each["commits"] for each in summary.agents) == row["by_agents"] == 22
    assert not own["commits"][0]["passes"]
    assert own["rules"][0]["rule"] == "blind"
    assert own["files"][0]["unseen"] > 0
    assert sum(period.total for period in summary.periods) == 27


def test_nothing_in_a_name_becomes_markup_and_nothing_is_fetched(
    several: Path, tmp_path: Path
) -> None:
    run("report", "--tables", several, "--html", tmp_path / "pages/all.html", cwd=tmp_path)
    pages = [*(tmp_path / "pages").rglob("*.html")]
    assert len(pages) == 1
    allowed = {"html", "head", "meta", "title", "body", "a", "header", "p", "strong", "bdi"}
    allowed |= {"h1", "h2", "span", "nav", "ul", "li", "main", "section", "svg", "rect", "i", "b"}
    allowed |= {"dl", "div", "dt", "dd", "small", "table", "caption", "thead", "tbody", "tr", "th"}
    allowed |= {"td", "time", "details", "summary", "line", "text", "code", "em", "footer", "style"}
    for page in pages:
        text = page.read_text("utf-8")
        outline = Outline(text)
        assert outline.tags <= allowed
        assert {name for name, _ in outline.attributes if name.startswith("on")} == set()
        assert "default-src &#39;none&#39;" in text
        links = {value for name, value in outline.attributes if name in ("href", "src")}
        shown = r"#\w+"
        assert [link for link in links if re.fullmatch(shown, link or "") is None] == []
        assert not {"\u202e", "\u200b", "\x1b"} & set(text)


@cases(
    "words, code, said",
    {
        "nowhere": (("--tables", "t"), 64, "needs --html"),
        "and a range": (("A..B", "--tables", "t", "--html", "x"), 64, "needs --html"),
        "nothing": ((), 64, "Name a range"),
        "two forms": (("A..B", "--html", "x", "--format", "badge"), 64, "exclude each other"),
        "none": (("--tables", "t", "--html", "x"), 4, "is not a directory of tables"),
    },
)
def test_what_it_cannot_do_it_says(
    tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    done = run("report", *words, cwd=tmp_path)
    assert done.code == code
    assert said in done.err
