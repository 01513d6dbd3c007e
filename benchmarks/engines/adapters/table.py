"""table.py: every engine by the name that a table calls it."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.engines.adapters import Session, local

ENGINES: dict[str, Callable[[], Session]] = {
    "exact-unique": local.exact_unique,
    "hkgit-matching": local.hkgit_matching,
}
