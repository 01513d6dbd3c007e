"""shells.py: extract a patch from a shell command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.values import late_pattern

_SHELL = late_pattern(r".*\b(?:ba|z)?sh -l?c (?P<quote>[\"'])")
_HERE_DOCUMENT = late_pattern(r".*<<-?\s*['\"]?(?P<word>\w+)")


def find_here_words(lines: Sequence[str]) -> list[str]:
    """List the words that end the here-documents which these lines begin."""
    return [found["word"] for found in map(_HERE_DOCUMENT.match, lines) if found]


def unquote_lines(lines: Sequence[str], above: Sequence[str], own: str | None) -> list[str]:
    """Remove the backslashes that a quoted argument of a shell needs.

    Such an argument begins `above`, or with the quote of the patch's `own` first line. A bare
    quote inside shows that the author put none there.
    """
    quotes = [found["quote"] for found in map(_SHELL.match, above) if found]
    quotes += [own] if own else []
    text = "\n".join(lines)
    if quotes == ['"'] and not re.search(r'(?<!\\)(?:\\\\)*"', text):
        return re.sub(r'\\(["$`\\])', r"\1", text).split("\n")
    if quotes == ["'"] and "'" not in text.replace("'\\''", ""):
        return text.replace("'\\''", "'").split("\n")
    return list(lines)
