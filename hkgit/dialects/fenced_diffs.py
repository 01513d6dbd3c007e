"""fenced_diffs.py: fences of `diff` whose file is named above them, not by `---` and `+++`."""

from __future__ import annotations

from hkgit.dialects.blocks.headings import closes, find_name_above
from hkgit.values import late_pattern

_FENCE = late_pattern(r"[ \t]*(?:`{3,}|~{3,})(?:diff|patch)[ \t\r]*")
_SAYS_ITSELF = ("--- ", "+++ ", "diff --git ", "Index: ", "*** ", "<<<<", "------- ")


def name_fences(text: str) -> list[str]:
    """Split a text into lines, and give each diff in a fence the two file names that it leaves out.

    The names replace the line above the fence and the fence itself, so that all other lines keep
    their numbers.
    """
    lines = text.split("\n")
    first = index = 0
    while index < len(lines):
        if index == 0 or _FENCE.fullmatch(lines[index]) is None:
            index += 1
            continue
        end = _end(lines, index)
        body = [line for line in lines[index + 1 : end] if line.strip()]
        name = find_name_above(lines, first, index)
        is_bare = bool(body) and body[0][:1] in "@ +-" and not body[0].startswith(_SAYS_ITSELF)
        if name is not None and is_bare:
            lines[index - 1 : index + 1] = [f"--- a/{name}", f"+++ b/{name}"]
        first = index = end
    return lines


def _end(lines: list[str], opening: int) -> int:
    """The line that closes a fence, else the end of the text."""
    after = range(opening + 1, len(lines))
    return next((i for i in after if closes(lines[i], lines[opening])), len(lines))
