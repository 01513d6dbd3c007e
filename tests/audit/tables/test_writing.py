"""What stands in a directory of tables after an export, and after the next one."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection

import pytest
from jsonschema import Draft202012Validator

from hkgit.audit.tables import database as database_module
from hkgit.audit.tables.columns import TABLES, VERSION
from hkgit.audit.tables.database import (
    FILE,
    open_directory,
    quote_columns,
    transaction,
)
from hkgit.audit.tables.export_tables import open_duck
from hkgit.audit.tables.query import answer_sql
from hkgit.audit.tables.rows import Rows, identify
from hkgit.cli.schema import find_schema
from hkgit.cli.sql import answer_json
from hkgit.errors import GitRefused, InvalidInput
from hkgit.evidence.refusal_log import Refusal, RefusalLog
from tests.audit.tables.conftest import edit_text, export_all, refusal
from tests.support.commands import start
from tests.support.objects import open_repository
from tests.support.orchard import Orchard
from tests.support.repos import Repo
from tests.support.running import run

NOT_LASTING = 4
"""Commits of the orchard whose verdict a signature or a record may change later."""


def ask(directory: Path, table: str, what: str = "*") -> list[tuple[object, ...]]:
    """Rows of one table."""
    with open_directory(directory) as database:
        return database.execute(quote_columns(f"SELECT {what} FROM {table} ORDER BY 1")).fetchall()


def ids(directory: Path, repo: Repo) -> set[object]:
    """The commits that stand in the tables for a repository without a remote."""
    name = identify(open_repository(repo), repo.head).name
    found = ask(directory, "commits", "repository, commit")
    return {commit for repository, commit in found if repository == name}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Three commits: the first by a person, two by an agent."""
    repo = Repo.init(tmp_path_factory.mktemp("small") / "repo")
    repo.commit({"a.txt": "one\ntwo\nthree\n"}, "Begin")
    for old, new in (("one", "ONE"), ("two", "TWO")):
        edit_text(repo, "a.txt", old, new)
    return repo


@pytest.fixture
def small(template: Repo, tmp_path: Path) -> Repo:
    return template.copy(tmp_path / "repo")


def test_a_history_stands_in_the_tables_and_the_next_export_judges_what_may_have_changed(
    orchard: Orchard, tmp_path: Path
) -> None:
    done = export_all(orchard.repo, tmp_path / "t")
    assert (done.judged, done.removed) == (25, 0)
    what = "replay, count(*), sum(edits), min(policy_passes)"
    assert ask(tmp_path / "t", "commits GROUP BY replay", what) == [
        ("by hand", 3, 0, 1),
        ("empty", 1, 0, 1),
        ("mixed", 1, 1, 0),
        ("no evidence", 1, 0, 0),
        ("strict", 19, 19, 0),
    ]
    assert ask(tmp_path / "t", "edits", "count(*)") == [(20,)]
    assert ask(tmp_path / "t", "refusals") == []
    names = [name for name in TABLES if name != "repositories"]
    before = [sorted(ask(tmp_path / "t", name), key=repr) for name in names]
    done = export_all(orchard.repo, tmp_path / "t")
    assert (done.judged, done.removed) == (NOT_LASTING, 0)
    assert before == [sorted(ask(tmp_path / "t", name), key=repr) for name in names]


def test_commits_that_went_go_and_a_range_takes_none_away(small: Repo, tmp_path: Path) -> None:
    export_all(small, tmp_path / "t")
    old = small.head
    small.git("reset", "-q", "--hard", "HEAD~1")
    small.commit({"b.txt": "new\n"}, "Another end")
    assert export_all(small, tmp_path / "t", "HEAD~1..HEAD").judged == 1
    assert old in ids(tmp_path / "t", small)
    done = export_all(small, tmp_path / "t")
    assert (done.judged, done.removed) == (1, 1)
    assert ids(tmp_path / "t", small) == set(small.git("rev-list", "HEAD").split())
    assert old not in {row[0] for row in ask(tmp_path / "t", "edits", "commit")}


@pytest.mark.slow
def test_another_policy_judges_everything_anew(small: Repo, tmp_path: Path) -> None:
    export_all(small, tmp_path / "t")
    assert ask(tmp_path / "t", "commits", "policy_passes") == [(False,), (False,), (True,)]
    small.commit({".hkgit/config.toml": '[gate]\naccept = ["hash", "quote"]\n'}, "Accept quotes")
    done = export_all(small, tmp_path / "t")
    assert done.judged == 4
    assert set(ask(tmp_path / "t", "commits", "policy_passes")) == {(True,)}
    assert len(set(ask(tmp_path / "t", "commits", "policy"))) == 1
    assert ask(tmp_path / "t", "findings") == []


@pytest.mark.slow
def test_another_engine_finds_the_same_rows(tables: Path) -> None:
    duck = open_duck()
    assert duck is not None
    with open_directory(tables) as database:
        for name, table in TABLES.items():
            asked = f"SELECT {', '.join(quote_columns(each.name) for each in table.columns)} FROM"
            parts = f"read_parquet('{tables}/{name}/*/*.parquet', hive_partitioning = true)"
            rows = duck.execute(f"{asked} {parts}").fetchall()
            found = [[_plain(each) for each in row] for row in rows]
            own = map(list, database.execute(f"{asked} {name}"))
            assert sorted(found, key=repr) == sorted(own, key=repr)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def test_the_rows_are_as_the_published_schema_says(tables: Path) -> None:
    with open_directory(tables) as database:
        said = {
            name: answer_json(answer_sql(database, f"select * from {name}", "here"))
            for name in TABLES
        }
    for answer in said.values():
        Draft202012Validator(find_schema("sql")).validate(answer)
    rows = {name: answer["rows"] for name, answer in said.items()}
    assert all(rows.values())
    Draft202012Validator(find_schema("tables")).validate(rows)
    assert find_schema("tables")["$id"] == f"urn:hkgit:tables:v{VERSION}"


def test_a_repository_without_evidence_has_rows_too(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.txt": "one\n"}, "Begin")
    said = run("export", "--to", tmp_path / "t", "--json", cwd=repo.path).json()
    Draft202012Validator(find_schema("export")).validate(said)
    assert ask(tmp_path / "t", "commits", "agent, replay, edits") == [(None, "by hand", 0)]
    assert ask(tmp_path / "t", "edits") == []
    assert ask(tmp_path / "t", "files", "path, change") == [("a.txt", "added")]


def test_where_there_is_nothing_to_export_it_says_so(repo: Repo, tmp_path: Path) -> None:
    unborn = run("export", "--to", tmp_path / "t", cwd=repo.path)
    assert (unborn.code, "HEAD: there is no commit here yet" in unborn.err) == (4, True)
    assert run("export", "--to", tmp_path / "t", cwd=tmp_path).code == 7
    assert not (tmp_path / "t").exists()


def test_a_directory_of_a_newer_hkgit_is_left_alone(small: Repo, tmp_path: Path) -> None:
    export_all(small, tmp_path / "t")
    with open_directory(tmp_path / "t") as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "t").rglob("*")}
    what = f"has tables of version {VERSION + 1}, but this hkgit knows {VERSION}"
    with pytest.raises(InvalidInput, match=rf"{what}\nUpdate hkgit"):
        export_all(small, tmp_path / "t")
    asked = run("sql", "select * from commits", "--tables", tmp_path / "t", cwd=small.path)
    assert (asked.code, what in asked.err) == (4, True)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "t").rglob("*")} == before


def test_a_directory_of_something_else_is_left_alone(small: Repo, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    with pytest.raises(InvalidInput, match="contains other files"):
        export_all(small, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "repo"]


def test_without_duckdb_there_is_the_database_alone_until_it_is_installed(
    small: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hkgit.audit.tables.export_tables.open_duck", lambda: None)
    export_all(small, tmp_path / "t")
    assert [path.name for path in (tmp_path / "t").iterdir()] == [FILE]
    monkeypatch.undo()
    assert export_all(small, tmp_path / "t").judged == 2
    for name in TABLES:
        assert [*(tmp_path / "t" / name).glob("*/*.parquet")], name


def test_a_directory_that_duckdb_cannot_name_is_refused(small: Repo, tmp_path: Path) -> None:
    with pytest.raises(GitRefused, match="choose another place"):
        export_all(small, tmp_path / "\udcff")


@pytest.mark.slow
@pytest.mark.process
def test_a_full_disk_leaves_what_was_there(small: Repo, tmp_path: Path) -> None:
    """A file cannot grow beyond a kibibyte or two; what fails is what fails on a full disk."""
    export_all(small, tmp_path / "t", "HEAD~1")
    before = ask(tmp_path / "t", "commits")
    script = f"ulimit -f 1; exec hkgit export --to {tmp_path / 't'}"
    done = start("bash", "-c", script, cwd=small.path)
    assert done.returncode == 7, done.stderr
    assert f"{tmp_path / 't' / 'evidence.db'}: " in done.stderr
    assert "what has been judged is kept" in done.stderr
    assert ask(tmp_path / "t", "commits") == before
    assert [*(tmp_path / "t").glob(".draft-*")] == []
    assert export_all(small, tmp_path / "t").judged == 2


def test_a_run_that_ends_early_keeps_what_it_has_judged(
    small: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_CHUNK", 1)
    real, inserted = database_module.insert_rows, list[str]()

    def insert(database: Connection, repository: str, rows: Rows) -> None:
        real(database, repository, {"commits": rows["commits"]})
        inserted.extend(row["commit"] for row in rows["commits"])
        if len(inserted) == 2:
            raise KeyboardInterrupt
        real(database, repository, rows)

    monkeypatch.setattr(database_module, "insert_rows", insert)
    with pytest.raises(KeyboardInterrupt):
        export_all(small, tmp_path / "t")
    assert ask(tmp_path / "t", "commits", "commit") == [(inserted[0],)]
    monkeypatch.undo()
    assert export_all(small, tmp_path / "t").judged == 2
    assert [len(ask(tmp_path / "t", name)) for name in ("commits", "edits")] == [3, 2]


@pytest.mark.slow
def test_exports_at_once_lose_nothing_and_write_nothing_twice(
    small: Repo, grown: Repo, tmp_path: Path
) -> None:
    asked = [(small, "HEAD"), (small, "HEAD~1..HEAD"), (grown, "HEAD"), (small, "HEAD~1..HEAD")]
    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(export_all, repo, tmp_path / "t", rev) for repo, rev in asked]
        judged = [each.result().judged for each in done]
    assert len(ask(tmp_path / "t", "commits")) == 27 + len(ids(tmp_path / "t", small))
    assert ids(tmp_path / "t", small) == set(small.git("rev-list", "HEAD").split())
    assert sum(judged) >= 27 + 2
    assert export_all(small, tmp_path / "t").judged == 2


def test_an_export_that_waits_too_long_says_for_what(
    small: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_all(small, tmp_path / "t")
    monkeypatch.setattr(database_module, "_PATIENCE", 0.1)
    busy = pytest.raises(GitRefused, match="another run is writing here")
    with open_directory(tmp_path / "t") as database, transaction(database), busy:
        export_all(small, tmp_path / "t")


def test_refusals_of_clones_are_kept_until_an_entry_claims_them(
    small: Repo, tmp_path: Path
) -> None:
    log = RefusalLog.of(small.path / ".git")
    stale = [Refusal(path, "stale", "is another") for path in ("a.txt", "b")]
    log.note("claude/1", "apply", 1773000000, stale)
    export_all(small, tmp_path / "t")
    first, second = log.read()
    log.path.unlink()  # as in another clone
    assert export_all(small, tmp_path / "t").judged == 2
    shown = "refusal, source, landed IS NOT NULL"
    assert {*ask(tmp_path / "t", "refusals", shown)} == {
        (first.id, "clone", False),
        (second.id, "clone", False),
    }
    edit_text(small, "a.txt", "three", "THREE", refusals=[refusal(first.id), {"id": 5}, "odd"])
    export_all(small, tmp_path / "t")
    assert {*ask(tmp_path / "t", "refusals", shown)} == {
        (first.id, "ledger", True),
        (second.id, "clone", False),
    }


def test_claims_that_are_nonsense_are_no_fault(small: Repo, tmp_path: Path) -> None:
    odd = (("x", 2**53 - 1), (-1, True), (2**53 - 1, 1 - 2**53))
    claims = [refusal(f"c{at}", *each) for at, each in enumerate(odd)]
    edit_text(small, "a.txt", "three", "3", refusals=claims)
    assert export_all(small, tmp_path / "t").judged == 4
    assert ask(tmp_path / "t", "refusals", "tries") == [(1,)] * 3
