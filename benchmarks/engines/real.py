"""real.py: edits that a coding agent really made, as cases; the file lies outside this project.

`HKGIT_REAL_EDITS` names it: JSON Lines, plain or packed with xz. A line of the kind `file` has
the `text` of a file by its `id`; one of the kind `edit` says `path`, `old`, `new`, `replace_all`
and, as ids, the file `before` and `after`. The agent's own tool landed each of them.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.engines.cases import Case
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Truth

VARIABLE = "HKGIT_REAL_EDITS"


class NoRealEditsError(Exception):
    """There are no real edits here, and why."""


def real_file() -> Path:
    """The file that the environment names. Raises NoRealEditsError."""
    name = os.environ.get(VARIABLE)
    if not name:
        raise NoRealEditsError(f"{VARIABLE} names no file of real edits")
    if not Path(name).is_file():
        raise NoRealEditsError(f"{VARIABLE} names {name}, which is no file")
    return Path(name)


def real_cases(path: Path) -> list[Case]:
    """Every real edit of a file as a case that must land; labelled by how many places it means."""
    return list(_cases(path))


def half_of(cases: Sequence[Case], half: str) -> list[Case]:
    """Every other case: what `tune` has is tuned on, what `report` has never is."""
    return list(cases[("tune", "report").index(half) :: 2])


def _cases(path: Path) -> Iterator[Case]:
    texts: dict[str, bytes] = {}
    for number, line in enumerate(_lines(path), 1):
        record = json.loads(line)
        if record["kind"] == "file":
            texts[record["id"]] = record["text"].encode()
            continue
        before, after = texts[record["before"]], texts[record["after"]]
        yield Case(
            label="every place" if record["replace_all"] else "one place",
            name=f"{record['path']}:{number}",
            before=before,
            old=record["old"],
            new=record["new"],
            truth=Truth(Verdict.LAND, before, after),
            path=record["path"],
            replace_all=record["replace_all"],
        )


def _lines(path: Path) -> list[str]:
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    return data.decode().split("\n")[:-1]
