"""notation.py: an edit written as the diffs that some engines take."""

from __future__ import annotations

from difflib import SequenceMatcher, unified_diff


def unified(old: str, new: str, context: int) -> str:
    """A unified diff of a file named `file`; its line numbers count from the old text."""
    sides = [[line + "\n" for line in _lines(text)] for text in (old, new)]
    return "".join(unified_diff(sides[0], sides[1], "a/file", "b/file", n=context))


def v4a(old: str, new: str) -> str:
    """The lines of one hunk in the notation of apply_patch, with all context of the edit."""
    before, after = _lines(old), _lines(new)
    rows: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [" " + line for line in before[i1:i2]]
        else:
            rows += ["-" + line for line in before[i1:i2]]
            rows += ["+" + line for line in after[j1:j2]]
    return "\n".join(["@@", *rows]) + "\n"


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []
