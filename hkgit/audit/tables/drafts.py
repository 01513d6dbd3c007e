"""drafts.py: the rows of an export, sorted into files of lines before a table is replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from hkgit.audit.tables.columns import OF_COMMITS, TABLES
from hkgit.audit.tables.evidence_rows import Row, Rows
from hkgit.values import dataclass


def list_names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def flush_file(path: Path) -> None:
    """Have a file on the disk before anything counts on it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def open_lines(draft: Path) -> Iterator[dict[str, IO[str]]]:
    """Open a file of JSON lines for each table."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context((draft / f"{name}.jsonl").open("w", encoding="utf-8"))
            for name in TABLES
        }


def to_line(row: Row) -> str:
    return json.dumps(row) + "\n"


@dataclass(frozen=True, slots=True)
class SortedRows:
    """What became of the rows that came in; `claimed` are the refusals that entries claim."""

    added: int
    changed: tuple[str, ...]
    kept: int
    claimed: frozenset[str]


def sort_rows(
    rows: Iterable[Rows], known: Mapping[str, str], lines: Mapping[str, IO[str]]
) -> SortedRows:
    """Write the rows of commits that are new or of which something else is said."""
    done: set[str] = set()
    claimed: set[str] = set()
    added, kept, changed = 0, 0, []
    for each in rows:
        (commit,) = each["commits"]
        name = commit["commit"]
        if name in done:
            continue
        done.add(name)
        claimed.update(row["refusal"] for row in each["refusals"])
        if known.get(name) == commit["digest"]:
            kept += 1
            continue
        for table in OF_COMMITS:
            lines[table].writelines(map(to_line, each[table]))
        if name in known:
            changed.append(name)
        else:
            added += 1
    return SortedRows(added, tuple(changed), kept, frozenset(claimed))
