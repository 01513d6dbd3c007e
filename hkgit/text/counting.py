"""counting.py: write a number with its noun."""

from __future__ import annotations


def count_noun(count: int, noun: str, plural: str | None = None) -> str:
    """`1 edit`, `2 edits`; with a plural of its own `2 entries`."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"
