"""Apply the hunks that a log holds of an edit, at their lines and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.errors import InvalidInput
from hkgit.values import replace
from hkgit.workflows.log_steps import LoggedHunk
from hkgit.workflows.log_texts import restore_tabs, show_tabs, show_text, with_ends


def apply_hunks(
    data: bytes | None, hunks: Sequence[LoggedHunk], words: bytes | None = None
) -> bytes:
    """Apply hunks to a file, with its own line ends. Raises InvalidInput where they do not fit.

    A log may show tabs as blanks (Claude Code does); `words` is what the words of the call make of
    the file, where they tell it.
    """
    text = show_text(data or b"")
    meant = None if words is None else show_text(words)
    shown = show_tabs(text)
    if any(each.has_tabs for each in hunks) or (shown == text and words is None):
        made = _apply(text, hunks)
    else:
        made = restore_tabs(_apply(shown, hunks), text, meant)
    return with_ends(made, data)


def _apply(text: bytes, hunks: Sequence[LoggedHunk]) -> bytes:
    """Apply hunks to a text.

    A log may show hunks without the indentation that all their lines share (OpenCode does); it is
    taken from the text then.
    """
    lines = text.split(b"\n")
    is_ended = lines[-1] == b""
    if is_ended:
        lines.pop()
    indent = _find_indent(lines, hunks)
    for each in reversed(hunks):
        hunk = _without_end(each, len(lines)) if is_ended else each
        start = _start(hunk)
        stop = start + len(hunk.old)
        if not _is_at(lines, hunk, indent):
            raise InvalidInput("the log", "its diff does not fit the file as it was")
        is_last = stop >= len(lines)
        lines[start:stop] = _new_lines(lines[start:stop], hunk, indent)
        is_told = is_last and hunk.is_ended is not None
        is_ended = bool(hunk.is_ended) if is_told else is_ended
    return b"\n".join(lines) + (b"\n" if lines and is_ended else b"")


def _without_end(hunk: LoggedHunk, count: int) -> LoggedHunk:
    """A hunk without the empty line that some programs (Copilot) see after the last end."""
    is_beyond = _start(hunk) + len(hunk.old) == count + 1 and hunk.old[-1:] == (b"",)
    if not is_beyond:
        return hunk
    is_ended = hunk.new[-1:] == (b"",)
    new = hunk.new[:-1] if is_ended else hunk.new
    return replace(hunk, old=hunk.old[:-1], new=new, is_ended=is_ended)


def do_hunks_fit(data: bytes | None, hunks: Sequence[LoggedHunk]) -> bool:
    """Whether a file has the old lines of all hunks at their numbers."""
    text = show_text(data or b"")
    try:
        _apply(text if any(each.has_tabs for each in hunks) else show_tabs(text), hunks)
    except InvalidInput:
        return False
    return True


def _start(hunk: LoggedHunk) -> int:
    """The index of its first line; a hunk that only adds names the line above."""
    return hunk.start_line if not hunk.old and hunk.start_line else max(hunk.start_line - 1, 0)


def _is_at(lines: Sequence[bytes], hunk: LoggedHunk, indent: bytes) -> bool:
    start = min(_start(hunk), len(lines))
    there = lines[start : start + len(hunk.old)]
    return len(there) == len(hunk.old) and all(
        _is_line(line, old, indent) for line, old in zip(there, hunk.old, strict=True)
    )


def _is_line(line: bytes, old: bytes, indent: bytes) -> bool:
    return line == indent + old or (not old.strip() and line[len(indent) :] == old)


def _find_indent(lines: Sequence[bytes], hunks: Sequence[LoggedHunk]) -> bytes:
    """Find the indentation that the lines of a file have more than those of the hunks."""
    for hunk in hunks:
        for line, old in zip(lines[_start(hunk) :], hunk.old, strict=False):
            if old.strip():
                extra = line[: len(line) - len(old)] if line.endswith(old) else b""
                return extra if not extra.strip() else b""
    return b""


def _new_lines(there: Sequence[bytes], hunk: LoggedHunk, indent: bytes) -> list[bytes]:
    """The lines that a hunk leaves; blank ones as the file had them, where it had them."""
    if not indent:
        return [*hunk.new]
    blank = {old: line for line, old in zip(there, hunk.old, strict=True) if not old.strip()}
    return [indent + new if new.strip() else blank.get(new, new) for new in hunk.new]
