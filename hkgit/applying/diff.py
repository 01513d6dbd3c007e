"""diff.py: hunks as a unified diff for people, made from what is known, not searched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.hunks import Hunk
from hkgit.document import Document, split_raw, terminated
from hkgit.edits import decoded

CONTEXT = 3


def unified_diff(
    old_path: str | None, new_path: str | None, base: bytes, hunks: Sequence[Hunk]
) -> str:
    """A diff of one file; None as a path stands for /dev/null."""
    if not hunks and old_path == new_path:
        return ""
    document = terminated(Document(base))
    head = [
        "--- " + ("/dev/null" if old_path is None else f"a/{old_path}"),
        "+++ " + ("/dev/null" if new_path is None else f"b/{new_path}"),
    ]
    return "\n".join([*head, *_body(document, hunks)]) + "\n"


def _body(document: Document, hunks: Sequence[Hunk]) -> Iterator[str]:
    shift = 0
    for group in _grouped(hunks):
        first = max(group[0].start_line - CONTEXT, 1)
        last = min(group[-1].end_line + CONTEXT, document.line_count)
        grown = sum(_growth(hunk) for hunk in group)
        yield f"@@ -{_range(first, last)} +{_range(first + shift, last + shift + grown)} @@"
        shift += grown
        at = first
        for hunk in group:
            yield from (f" {_shown(document.raw_line(n))}" for n in range(at, hunk.start_line))
            old = range(hunk.start_line, hunk.end_line + 1)
            yield from (f"-{_shown(document.raw_line(n))}" for n in old)
            yield from (f"+{_shown(raw)}" for raw in split_raw(hunk.new))
            at = hunk.end_line + 1
        yield from (f" {_shown(document.raw_line(n))}" for n in range(at, last + 1))


def _grouped(hunks: Sequence[Hunk]) -> list[list[Hunk]]:
    """Hunks whose contexts meet are shown together."""
    groups: list[list[Hunk]] = []
    for hunk in hunks:
        if groups and hunk.start_line - groups[-1][-1].end_line <= 2 * CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _growth(hunk: Hunk) -> int:
    return len(split_raw(hunk.new)) - (hunk.end_line - hunk.start_line + 1)


def _range(first: int, last: int) -> str:
    count = last - first + 1
    return f"{first if count else first - 1},{count}"


def _shown(raw: bytes) -> str:
    return decoded(raw.removesuffix(b"\n"))
