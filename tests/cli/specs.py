"""specs.py: specs as agents write them, for the file that most tests of this folder edit."""

from __future__ import annotations

import json

SOURCE = "src/errors.py"
"""hkgit's own errors.py."""

OLD = "class Ambiguous(HkgitError):"
NEW = "class Ambiguous(HkgitError):  # more than one place"
"""A line that stands once in it, and what it becomes."""

TWICE = "    exit_code = 3\n"
"""A line that stands more than once in it."""


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
