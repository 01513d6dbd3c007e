"""Evidence as tables for any engine, and questions to it in SQL."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from hkgit.audit.tables.database import open_directory, read_queries
from hkgit.audit.tables.export_tables import open_repository_rows, write_tables
from hkgit.audit.tables.query import SqlAnswer, answer_sql, lock_tables
from hkgit.cli.answer import Answer
from hkgit.cli.history import POLICY, REVISION, open_history, watch_judging
from hkgit.cli.options import argument, declare, format_option, option
from hkgit.cli.output import read_input
from hkgit.cli.terminal_rows import UNBOUNDED, fit, measure, measure_terminal, pad
from hkgit.text.escape import count_noun, visible


@declare
def export(
    *,
    commits: str = REVISION,
    directory: str = option("The directory of tables.", "--to", metavar="DIR", required=True),
    policy: str | None = POLICY,
) -> Answer:
    """Write the evidence of commits as tables of SQLite, and as Parquet with hkgit[tables].

    The tables then have all commits that lead to REV, and others are removed. A..B only adds.
    Commits are judged again if the policy, hkgit or git has changed, or if a signature may have
    been added.
    """
    history = open_history(commits, policy)
    result = write_tables(history, commits, Path(directory), watch_judging)
    document = {
        "repository": result.identity.name,
        "url": result.identity.url,
        "roots": list(result.identity.roots),
        "judged": result.judged,
        "removed": result.removed,
    }
    judged = f"{count_noun(result.judged, 'commit')} judged, {result.removed} removed"
    lines = [f"{visible(result.identity.name)}: {judged}", f"the tables: {visible(directory)}"]
    return Answer(document, lines, is_info=True)


_WIDEST = 60
"""Columns that a value takes in a table on a terminal; files and pipes get it whole."""


@declare
def sql(
    *,
    query: str | None = argument(),
    revision: str | None = argument("[REV | A..B]"),
    tables: str | None = option("Query the tables that hkgit export wrote.", metavar="DIR"),
    form: str = format_option(("table", "csv", "json"), "The format of the rows."),
    examples: bool = option("Print useful queries."),
) -> Answer:
    """Query the evidence in SQL: QUERY, or `-` for standard input.

    The tables are repositories, commits, edits, files, findings, refusals and reads, of what
    leads to HEAD or REV, or of --tables. SQLite answers; it can write nothing and read no other
    file.
    """
    if examples:
        useful = read_queries("examples.sql")
        return Answer(useful, (f"-- {words}\n{sql};\n" for words, sql in useful.items()))
    if query is None:
        raise click.UsageError("Give a query: hkgit sql QUERY, or see hkgit sql --examples.")
    if tables is not None and revision is not None:
        raise click.UsageError("--tables has what was exported: give it without a revision.")
    asked = read_input().decode("utf-8", "replace") if query == "-" else query
    place = tables or "this repository"
    if tables is not None:
        opened = open_directory(Path(tables))
    else:  # made for this one question
        words = revision or "HEAD"
        opened = open_repository_rows(open_history(words), words, watch_judging)
    database = click.get_current_context().with_resource(opened)
    lock_tables(database)
    answer = answer_sql(database, asked, place)
    is_csv = form == "csv"
    lines = _render_csv(answer) if is_csv else _render_table(answer)
    return Answer(lambda: answer_json(answer), lines, is_long=not is_csv)


def answer_json(answer: SqlAnswer) -> dict[str, object]:
    """Write an answer as one JSON object."""
    rows = (dict(zip(answer.names, map(_plain, row), strict=True)) for row in answer.rows)
    return {"columns": [*answer.names], "rows": [*rows]}


def _plain(value: object) -> object:
    """A value as JSON has it, which has no number without end, and no bytes."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value.hex() if isinstance(value, bytes) else value


def _render_csv(answer: SqlAnswer) -> Iterator[str]:
    is_shown = sys.stdout.isatty()
    yield _csv_line(answer.names, is_shown)
    for values in answer.rows:
        yield _csv_line(map(_cell, values), is_shown)


_FORMULA = re.compile(r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
"""How a cell begins that a spreadsheet computes, in wide letters too."""


def _cell(value: object) -> str:
    """A value in a cell; text that a spreadsheet would compute gets a mark that it is text."""
    is_formula = isinstance(value, str) and _FORMULA.match(value) is not None
    return f"'{value}" if is_formula else _text(value)


def _csv_line(row: Iterable[str], is_shown: bool) -> str:
    """A line of CSV; on a terminal nothing in it drives that."""
    out = io.StringIO(newline="")
    # The writer quotes what holds a part of its line end: a lone carriage return is a row to some.
    csv.writer(out).writerow(map(visible, row) if is_shown else row)
    return out.getvalue().removesuffix("\r\n")


def _text(value: object) -> str:
    """A value in a cell; nothing represents NULL."""
    value = _plain(value)
    if value is None:
        return ""
    if isinstance(value, bool | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _render_table(answer: SqlAnswer) -> Iterator[str]:
    """Aligned columns, numbers to the right."""
    found = list(answer.rows)
    rows = [[visible(_text(value)) for value in row] for row in found]
    limit = measure_terminal()
    most = _WIDEST if limit < UNBOUNDED else limit
    cells = [[fit(word, most) for word in row] for row in ([*answer.names], *rows)]
    widths = [max(map(measure, column)) for column in zip(*cells, strict=True)]
    types = ({type(row[at]) for row in found} - {type(None)} for at in range(len(widths)))
    are_numbers = [bool(each) and each <= {int, float} for each in types]
    cells.insert(1, ["-" * width for width in widths])
    for row in cells:
        shown = (
            " " * (width - measure(word)) + word if is_number else pad(word, width)
            for word, width, is_number in zip(row, widths, are_numbers, strict=True)
        )
        yield "  ".join(shown).rstrip()
