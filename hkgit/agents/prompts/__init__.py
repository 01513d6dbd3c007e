"""Prompts: the shortest text that teaches a model one dialect and the protocol around it.

One text file a dialect, named as it. Every line that begins with `$` in one is a command, and what
follows is its answer, word for word: the tests run them.
"""

from __future__ import annotations

from importlib.resources import files


def prompt(dialect: str) -> str:
    """Read the instruction for one of `dialects.DIALECTS`."""
    return files(__name__).joinpath(f"{dialect}.txt").read_text("utf-8")
