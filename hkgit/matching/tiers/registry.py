"""registry.py: every tier by name, from the strictest reading of an edit to the most forgiving."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place

STRICT = ("exact", "whitespace", "unicode", "elided")
"""Tiers that want all of the old text."""

LOOSE = ("fuzzy", "line-block")
"""Tiers that want most of it."""

LADDER = (*STRICT, *LOOSE)


def find_places(tier: str, view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find the places that a tier sees. Its module is loaded when it is asked for."""
    module = import_module(f"hkgit.matching.tiers.{'fuzzy' if tier in LOOSE else tier}")
    return cast(tuple[Place, ...], getattr(module, tier.replace("-", "_"))(view, wanted))
