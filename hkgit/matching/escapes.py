"""escapes.py: refuse new text in which escapes stand for tabs and line ends."""

from __future__ import annotations

from hkgit.errors import InvalidInput
from hkgit.matching.lines import EditLines, FileLines, is_telling, make_key


def check_escapes(view: FileLines, wanted: EditLines, path: str) -> None:
    """Raise InvalidInput where only the new text has escapes in the place of tabs and line ends."""
    lines = wanted.new.replace(b"\\r\\n", b"\n").replace(b"\\n", b"\n").strip().split(b"\n")
    known = {line.strip() for line in wanted.old_lines}
    ends = {line.strip() for line in (lines[0], lines[-1]) if is_telling(make_key(line))}
    if b"\n" not in wanted.new.strip() and len(lines) > 1 < len(known) and ends & known:
        what, fix = "\\n in the place of line ends", "Write line ends; in JSON a line end is \\n."
    elif _escapes_tabs(view, wanted):
        what, fix = "\\t in the place of a tab", "Write tabs; in JSON a tab is \\t."
    else:
        return
    raise InvalidInput(path, f"the new text says {what}", fix)


def _escapes_tabs(view: FileLines, wanted: EditLines) -> bool:
    """Whether an added line begins with `\\t` where lines begin with tabs, and none with `\\`."""
    added = (wanted.new_lines[i].lstrip() for i in wanted.added)
    if not any(line.startswith(b"\\t") for line in added):
        return False
    is_indented = any(line.startswith(b"\t") for line in view.lines)
    return is_indented and not any(line.lstrip().startswith(b"\\") for line in view.lines)
