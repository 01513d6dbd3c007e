"""What stands in a directory of tables after an export, and after the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.duck import open_duck, select_table
from hkgit.audit.tables.store import TableDirectory
from hkgit.audit.tables.writing import ExportCounts
from tests.audit.page.orchard import Orchard
from tests.audit.tables.conftest import edit_text, export_all
from tests.support.repos import Repo

NOT_LASTING = 4
"""Commits of the orchard whose verdict a signature or a record may change later."""


def ask(directory: Path, table: str, what: str = "*") -> list[tuple[object, ...]]:
    """Rows of one table."""
    with open_duck() as database:
        parts = select_table(TABLES[table], TableDirectory.open(directory).parts(table))
        return database.execute(f"SELECT {what} FROM {parts} ORDER BY ALL").fetchall()


def ids(directory: Path) -> set[object]:
    return {commit for (commit,) in ask(directory, "commits", "commit")}


@pytest.fixture
def small(repo: Repo) -> Repo:
    """Three commits: the first by a person, two by an agent."""
    repo.commit({"a.txt": "one\ntwo\nthree\n"}, "Begin")
    for old, new in (("one", "ONE"), ("two", "TWO")):
        edit_text(repo, "a.txt", old, new)
    return repo


def test_a_history_stands_in_the_tables(orchard: Orchard, tmp_path: Path) -> None:
    done = export_all(orchard.repo, tmp_path / "t")
    assert (done.judged, done.counts) == (25, ExportCounts(added=25))
    what = "standing, count(*), sum(edits)::INT, bool_and(policy_passes)"
    with open_duck() as database:
        parts = TableDirectory.open(tmp_path / "t").parts("commits")
        asked = f"SELECT {what} FROM {select_table(TABLES['commits'], parts)} GROUP BY 1 ORDER BY 1"
        assert database.execute(asked).fetchall() == [
            ("agent, no evidence", 1, 0, False),
            ("by hand", 3, 0, True),
            ("derived", 20, 19, False),
            ("partly derived", 1, 1, False),
        ]
    assert ask(tmp_path / "t", "edits", "count(*)") == [(20,)]
    assert ask(tmp_path / "t", "refusals") == []


def test_the_next_export_judges_what_is_new_and_what_may_have_changed(
    orchard: Orchard, tmp_path: Path
) -> None:
    export_all(orchard.repo, tmp_path / "t")
    before = {name: ask(tmp_path / "t", name) for name in TABLES if name != "repositories"}
    files = TableDirectory.open(tmp_path / "t").parts("commits")
    done = export_all(orchard.repo, tmp_path / "t")
    assert (done.judged, done.counts) == (NOT_LASTING, ExportCounts(kept=NOT_LASTING))
    assert TableDirectory.open(tmp_path / "t").parts("commits") == files
    assert before == {name: ask(tmp_path / "t", name) for name in before}


def test_commits_that_went_go_and_a_range_takes_none_away(small: Repo, tmp_path: Path) -> None:
    export_all(small, tmp_path / "t")
    old = small.head
    small.git("reset", "-q", "--hard", "HEAD~1")
    small.commit({"b.txt": "new\n"}, "Another end")
    assert export_all(small, tmp_path / "t", "HEAD~1..HEAD").counts == ExportCounts(added=1)
    assert old in ids(tmp_path / "t")
    done = export_all(small, tmp_path / "t")
    assert done.counts == ExportCounts(removed=1, kept=1)
    assert ids(tmp_path / "t") == set(small.git("rev-list", "HEAD").split())
    assert old not in {row[0] for row in ask(tmp_path / "t", "edits", "commit")}


def test_another_policy_judges_everything_anew(small: Repo, tmp_path: Path) -> None:
    export_all(small, tmp_path / "t")
    assert ask(tmp_path / "t", "commits", "policy_passes") == [(False,), (False,), (True,)]
    small.commit({".hkgit/config.toml": '[gate]\naccept = ["hash", "quote"]\n'}, "Accept quotes")
    done = export_all(small, tmp_path / "t")
    assert (done.judged, done.counts) == (4, ExportCounts(added=1, changed=3))
    assert set(ask(tmp_path / "t", "commits", "policy_passes")) == {(True,)}
    assert len(set(ask(tmp_path / "t", "commits", "policy"))) == 1
    assert ask(tmp_path / "t", "findings") == []
