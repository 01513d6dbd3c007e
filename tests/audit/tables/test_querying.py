"""Questions in SQL: those that hkgit knows, wrong ones, and those that would do something."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
from pathlib import Path
from threading import Timer

import pytest

from hkgit.audit.tables.columns import TABLES, EvidenceTable
from hkgit.audit.tables.database import open_directory, read_queries
from hkgit.audit.tables.query import answer_sql, lock_tables
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run


def ask(tables: Path, sql: str) -> list[tuple[object, ...]]:
    with open_directory(tables) as database:
        lock_tables(database)
        return list(answer_sql(database, sql, str(tables)).rows)


EXAMPLES = read_queries("examples.sql")


def test_there_are_at_least_twenty_examples() -> None:
    assert len({*EXAMPLES.values()}) >= 20


@pytest.mark.sampled
@pytest.mark.parametrize("sql", [pytest.param(sql, id=words) for words, sql in EXAMPLES.items()])
def test_each_example_gives_rows(tables: Path, sql: str) -> None:
    found = ask(tables, sql)
    assert found
    assert any(value not in (None, 0, 0.0) for row in found for value in row[1:])


def test_a_revert_says_what_it_takes_back(tables: Path) -> None:
    sql = "select b.subject from commits a join commits b on a.reverts = b.commit"
    assert ask(tables, sql) == [("Note review round 7",)]


def test_the_columns_are_those_of_the_schema(tables: Path) -> None:
    for table in TABLES.values():
        found = ask(tables, f"select name from pragma_table_info('{table.name}')")
        assert found == [(each.name,) for each in table.columns]


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_what_must_have_a_value_has_one_and_keys_name_one_row(
    tables: Path, table: EvidenceTable
) -> None:
    lacks = " or ".join(f"{each.name} is null" for each in table.columns if not each.may_lack)
    assert ask(tables, f"select * from {table.name} where {lacks}") == []
    key = ", ".join(table.key)
    assert ask(tables, f"select {key} from {table.name} group by {key} having count(*) > 1") == []


WRITES = {
    "create": "create table t (i int)",
    "temporary": "create temp table t (i int)",
    "insert": "insert into commits select * from commits",
    "delete": "with x as (select 1) delete from commits",
    "attach": "attach 'out.db' as other",
    "a copy": "vacuum into 'out.db'",
    "drop": "drop table commits",
    "schema": "update sqlite_master set sql = ''",
    "set": "pragma query_only = false",
    "a mode": "pragma journal_mode = delete",
    "extension": "select load_extension('x')",
    "commit": "/* */ end",
    "begin": "begin",
}
READS = {
    "a text": "select readfile('{other}')",
    "a name": "select * from '{other}'",
    "a listing": "select * from fsdir('{other}')",
    "a table": "select * from csv('{other}')",
}


@pytest.mark.sampled
@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in WRITES.items()])
def test_what_writes_is_refused_and_nothing_changes(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()}
    with pytest.raises(InvalidInput) as refused:
        ask(tables, sql)
    assert refused.value.exit_code == 4
    assert "only reads" in refused.value.fix
    assert list(tmp_path.iterdir()) == []
    assert {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()} == files


@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in READS.items()])
def test_no_other_file_is_read(tables: Path, tmp_path: Path, sql: str) -> None:
    other = tmp_path / "other.csv"
    other.write_text("secret\n1\n")
    with pytest.raises(InvalidInput):
        ask(tables, sql.format(other=other))


@cases(
    "sql, what",
    {
        "no word": ("selec 1", 'near "selec": syntax error'),
        "no column": ("select\n foo from edits", "no such column: foo"),
        "no table": ("select * from edit", "no such table: edit"),
        "nothing": ("", "asks nothing"),
        "a remark": ("-- only a remark", "asks nothing"),
        "two": ("select 1; select 2", "one statement at a time"),
        "a parameter": ("select ?", "number of bindings"),
    },
)
def test_wrong_sql_says_where_what_and_what_next(tables: Path, sql: str, what: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ask(tables, sql)
    assert what in refused.value.what
    assert refused.value.where == "SQL"
    assert refused.value.fix


def test_this_repository_answers_without_tables(grown: Repo) -> None:
    sql = "select count(*) as n, max(repository) as name from commits"
    said = run("sql", sql, "HEAD~2..HEAD", "--json", cwd=grown.path).json()
    assert said["rows"] == [{"n": 2, "name": "example.org/mara/orchard"}]
    assert said["columns"][0] == {"name": "n", "type": "BIGINT"}


SLOW = """with recursive t(i) as (select 1 union all select i + 1 from t where i < 1000000000000)
select count(*) from t where i % 7 = 3"""


def test_a_signal_ends_a_question_that_takes_long(tables: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask(tables, SLOW)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_the_forms_of_an_answer(tables: Path) -> None:
    sql = "select null as a, 'x,\"\x1b' as b, agents as c, 1.5 as d, weak as e, 1 as a from commits"
    asked = ("sql", "--tables", tables, f"{sql} where agent is not null limit 1")
    rows = list(csv.reader(io.StringIO(run(*asked, "--format", "csv", cwd=tables).out)))
    assert rows[0] == ["a", "b", "c", "d", "e", "a_2"]
    assert rows[1][:2] == ["", 'x,"\x1b']
    (row,) = run(*asked, "--format", "json", cwd=tables).json()["rows"]
    assert (row["a"], row["d"], row["a_2"]) == (None, 1.5, 1)
    assert isinstance(row["c"], list)
    assert isinstance(row["e"], bool)
    table = run(*asked, cwd=tables).out
    assert "\x1b" not in table
    assert "\\u001b" in table


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "\uff1dx"])
def test_no_text_in_a_cell_is_a_formula(tables: Path, text: str) -> None:
    """A commit's subject is whoever's; who opens the table in a spreadsheet should not run it."""
    asked = ("sql", "--tables", tables, f"select '{text}' as a, -1 as b, -1.5 as c")
    rows = csv.reader(io.StringIO(run(*asked, "--format", "csv", cwd=tables).out, newline=""))
    assert [*rows][1] == [f"'{text}", "-1", "-1.5"]
    (row,) = run(*asked, "--format", "json", cwd=tables).json()["rows"]
    assert row["a"] == text


def test_a_question_may_come_by_standard_input(tables: Path) -> None:
    said = run(
        "sql", "-", "--tables", tables, "--format", "csv", cwd=tables, stdin=b"select 1 as x"
    )
    assert said.out == "x\n1\n"


def test_the_examples_are_printed(tmp_path: Path) -> None:
    said = run("sql", "--examples", cwd=tmp_path)
    assert said.code == 0
    assert said.out.count(";\n") == len(EXAMPLES)


def test_wrong_sql_ends_with_4_and_a_document(tables: Path) -> None:
    said = run("sql", "--tables", tables, "--json", "drop table commits", cwd=tables)
    assert said.code == 4
    assert json.loads(said.out)["error"]["what"] == "does more than read the tables"
