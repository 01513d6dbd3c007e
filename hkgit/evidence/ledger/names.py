"""names.py: where entries stand in a tree, and what git is told of them."""

from __future__ import annotations

LEDGER = ".hkgit/ledger"
ATTRIBUTES_PATH = ".hkgit/.gitattributes"
ATTRIBUTES = b"ledger/** -text -filter -diff -merge linguist-generated\n"


def entry_path(entry_id: str) -> str:
    """Return the path of an entry in a tree."""
    return f"{LEDGER}/{entry_id[:2]}/{entry_id[2:]}.json"


def entry_name(path: str) -> str:
    """Return the name of the entry that stands at a path; the inverse of `entry_path`."""
    return path.removeprefix(f"{LEDGER}/").removesuffix(".json").replace("/", "")
