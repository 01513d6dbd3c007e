"""specs.py: specs as agents write them, for the file that most tests of this folder edit."""

import json

from tests.support.running import Bench

SOURCE = "src/errors.py"
"""hkgit's own errors.py."""

OLD = "class Ambiguous(HkgitError):"
NEW = "class Ambiguous(HkgitError):  # more than one place"
"""A line that is once in it, and what it becomes."""


CREATE: dict[str, object] = {"op": "create_file", "path": "new/file.py", "new_text": "ours\n"}


def protocol(*operations: dict[str, object], **about: str) -> str:
    return json.dumps({"version": "1", **about, "operations": list(operations)})


def replace_range(
    path: str, start: int, end: int, expected: str | None, new_text: str
) -> dict[str, object]:
    said: dict[str, object] = {
        "op": "replace_range",
        "path": path,
        "start_line": start,
        "end_line": end,
        "new_text": new_text,
    }
    return said if expected is None else said | {"expected_hash": expected}


def edit(old: str = OLD, new: str = NEW, path: str = SOURCE, **more: object) -> dict[str, object]:
    return {"file": path, "old_text": old, "new_text": new, **more}


def harnesskit(*edits: dict[str, object]) -> str:
    return json.dumps(edits[0] if len(edits) == 1 else {"edits": list(edits)})


def search_replace(old: str = OLD, new: str = NEW, path: str = SOURCE) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def line_of(bench: Bench, text: str) -> int:
    """The number of the first line of the source that holds a text."""
    lines = bench.repo.show("HEAD", SOURCE).decode().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def first_line(bench: Bench, new_text: str = "new", **about: str) -> str:
    """A spec that replaces line 1 of the source and quotes its hash."""
    return protocol(replace_range(SOURCE, 1, 1, bench.hash(SOURCE, 1, 1), new_text), **about)
