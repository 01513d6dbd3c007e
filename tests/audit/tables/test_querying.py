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
from hkgit.audit.tables.example_queries import EXAMPLES_OF_SQL, SqlExample
from hkgit.audit.tables.query import answer_sql, open_tables
from hkgit.errors import InvalidInput
from tests.support.repos import Repo
from tests.support.running import run


def ask(tables: Path, sql: str) -> list[tuple[object, ...]]:
    with open_tables(tables) as database:
        return list(answer_sql(database, sql, tables).rows)


def test_there_are_at_least_twenty_examples() -> None:
    assert len({each.sql for each in EXAMPLES_OF_SQL}) >= 20


@pytest.mark.sampled
@pytest.mark.parametrize(
    "example", [pytest.param(each, id=each.question) for each in EXAMPLES_OF_SQL]
)
def test_each_example_gives_rows(tables: Path, example: SqlExample) -> None:
    found = ask(tables, example.sql)
    assert found
    assert any(value not in (None, 0, 0.0) for row in found for value in row[1:])


def test_a_revert_says_what_it_takes_back(tables: Path) -> None:
    sql = "select b.subject from commits a join commits b on a.reverts = b.commit"
    assert ask(tables, sql) == [("Note review round 7",)]


def test_the_columns_are_those_of_the_schema(tables: Path) -> None:
    for table in TABLES.values():
        found = [row[:2] for row in ask(tables, f"describe {table.name}")]
        assert found == [(each.name, each.type) for each in table.columns]


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_what_must_have_a_value_has_one_and_keys_name_one_row(
    tables: Path, table: EvidenceTable
) -> None:
    with open_tables(tables) as database:
        lacks = " or ".join(f'"{each.name}" is null' for each in table.columns if not each.may_lack)
        asked = f"select * from {table.name} where {lacks}"
        assert list(answer_sql(database, asked, tables).rows) == []
        key = ", ".join(f'"{name}"' for name in table.key)
        asked = f"select {key} from {table.name} group by all having count(*) > 1"
        assert list(answer_sql(database, asked, tables).rows) == []


WRITES = {
    "create": "create table t (i int)",
    "temporary": "create temp table t (i int)",
    "insert within": "with x as (insert into commits values (1) returning 1) select * from x",
    "copy": "copy commits to 'out.csv'",
    "copy within": "with x as (copy (select 1) to '{part}' (use_tmp_file false)) select 1",
    "copy deep within": "select (with x as (copy (select 1) to '{part}') select 1)",
    "copy by a text": "select * from query('with x as (copy (select 1) to ''{part}'') select 1')",
    "attach": "attach 'out.db'",
    "export": "export database 'out'",
    "drop": "drop view commits",
    "set": "set enable_external_access = true",
    "extension": "install httpfs",
    "load": "load httpfs",
    "commit": "commit",
    "analyze": "explain analyze copy commits to 'out.csv'",
}
READS = {
    "a text": "select * from read_text('{other}')",
    "bytes": "select * from read_blob('{other}')",
    "a name": "select * from '{other}'",
    "a listing": "select * from glob('{other}*')",
    "a table": "select * from read_parquet('{other}')",
    "a guess": "select * from sniff_csv('{other}')",
    "the network": "select * from read_text('https://example.org/')",
}


@pytest.mark.sampled
@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in WRITES.items()])
def test_what_writes_is_refused_and_nothing_changes(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = {path: path.read_bytes() for path in tables.rglob("*.parquet")}
    part = next(path for path in parts if path.parent.parent.name == "commits")
    with pytest.raises(InvalidInput) as refused:
        ask(tables, sql.format(part=part))
    assert refused.value.exit_code == 4
    assert "only reads" in refused.value.fix
    assert list(tmp_path.iterdir()) == []
    assert {path: path.read_bytes() for path in tables.rglob("*.parquet")} == parts


@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in READS.items()])
def test_no_other_file_is_read(tables: Path, tmp_path: Path, sql: str) -> None:
    other = tmp_path / "other.csv"
    other.write_text("secret\n1\n")
    with pytest.raises(InvalidInput):
        ask(tables, sql.format(other=other))


def test_variables_of_the_program_are_no_tables(tables: Path) -> None:
    with pytest.raises(InvalidInput, match="TABLES"):
        ask(tables, "select * from TABLES")


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        pytest.param("selec 1", 'near "selec"\nLINE 1: selec 1\n        ^', id="no word"),
        pytest.param("select\n foo from edits", "LINE 2:  foo from edits\n", id="no column"),
        pytest.param("select * from edit", 'Did you mean "edits"', id="no table"),
        pytest.param("select 'a'::int", "Could not convert", id="no number"),
        pytest.param("select agent::int from edits", "Could not convert", id="no number in a row"),
        pytest.param("", "asks nothing", id="nothing"),
        pytest.param("-- only a remark", "asks nothing", id="a remark"),
        pytest.param("select 1; select 2", "holds 2 statements", id="two"),
        pytest.param("select ?", "Values were not provided", id="a parameter"),
    ],
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


def test_a_signal_ends_a_question_that_takes_long(tables: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask(tables, "select count(*) from range(1000000000000) as t where t.range % 7 = 3")
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_the_forms_of_an_answer(tables: Path) -> None:
    sql = (
        "select null as a, 'x,\"\x1b' as b, [1, 2] as c, 1.50::decimal(4,2) as d, true as e, 1 as a"
    )
    asked = ("sql", "--tables", tables, sql)
    rows = list(csv.reader(io.StringIO(run(*asked, "--format", "csv", cwd=tables).out)))
    assert rows == [
        ["a", "b", "c", "d", "e", "a_2"],
        ["", 'x,"\x1b', "[1, 2]", "1.50", "true", "1"],
    ]
    (row,) = run(*asked, "--format", "json", cwd=tables).json()["rows"]
    assert row == {"a": None, "b": 'x,"\x1b', "c": [1, 2], "d": "1.50", "e": True, "a_2": 1}
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
    assert said.out.count(";\n") == len(EXAMPLES_OF_SQL)


def test_wrong_sql_ends_with_4_and_a_document(tables: Path) -> None:
    said = run("sql", "--tables", tables, "--json", "drop table commits", cwd=tables)
    assert said.code == 4
    assert json.loads(said.out)["error"]["what"] == "is no question, it is DROP"
