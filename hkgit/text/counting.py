"""counting.py: write a number with its noun."""

from __future__ import annotations


def count_noun(count: int, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun: `1 edit`, `2 edits`, or `2 entries` with that `plural`."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"
