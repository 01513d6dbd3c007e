"""Questions in SQL: those that hkgit knows, wrong ones, and those that would do something."""

import csv
import io
import os
import signal
from pathlib import Path
from threading import Timer

import pytest

from hkgit.audit.tables.columns import TABLES
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


def test_each_of_twenty_examples_gives_rows(tables: Path) -> None:
    assert len({*EXAMPLES.values()}) >= 20
    for words, sql in EXAMPLES.items():
        found = ask(tables, sql)
        assert any(value not in (None, 0, 0.0) for row in found for value in row[1:]), words


def test_a_revert_says_what_it_takes_back(tables: Path) -> None:
    sql = "select b.subject from commits a join commits b on a.reverts = b.commit"
    assert ask(tables, sql) == [("Note review round 7",)]


def test_a_question_has_its_text_as_the_tables_have_theirs(tables: Path) -> None:
    assert ask(tables, "select 'caf\udce9'") == [("caf\ufffd",)]


def test_the_columns_are_those_of_the_schema_and_keys_name_one_row(tables: Path) -> None:
    for name, table in TABLES.items():
        found = ask(tables, f"select name from pragma_table_info('{name}')")
        assert found == [(each.name,) for each in table.columns]
        lacks = " or ".join(f"{each.name} is null" for each in table.columns if not each.may_lack)
        assert ask(tables, f"select * from {name} where {lacks}") == []
        key = ", ".join(table.key)
        assert ask(tables, f"select {key} from {name} group by {key} having count(*) > 1") == []


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
READS = (
    "select readfile('{other}')",
    "select * from '{other}'",
    "select * from fsdir('{other}')",
    "select * from csv('{other}')",
)


def test_what_writes_is_refused_and_nothing_changes(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()}
    for name, sql in WRITES.items():
        with pytest.raises(InvalidInput) as refused:
            ask(tables, sql)
        assert (refused.value.exit_code, "only reads" in refused.value.fix) == (4, True), name
    assert list(tmp_path.iterdir()) == []
    assert {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()} == files


def test_no_other_file_is_read(tables: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("secret\n1\n")
    for sql in READS:
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
    assert said["columns"] == ["n", "name"]


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


def test_no_text_in_a_cell_is_a_formula(tables: Path) -> None:
    """A commit's subject is whoever's; who opens the table in a spreadsheet should not run it."""
    texts = ("=1+1", "+x", "-x", "@x", "\tx", "\rx", "\uff1dx")
    asked = ", ".join((*(f"'{text}'" for text in texts), "-1", "-1.5"))
    done = run("sql", "--tables", tables, f"select {asked}", "--format", "csv", cwd=tables)
    [_, row] = csv.reader(io.StringIO(done.out, newline=""))
    assert row == [*(f"'{text}" for text in texts), "-1", "-1.5"]
