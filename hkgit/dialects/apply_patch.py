"""`*** Begin Patch`, sections by file, hunks that name no line numbers (V4A).

The known implementations disagree about the corners. Here a line without a prefix is refused,
an anchor must be found, new lines alone need an anchor, and the sections of one file compose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.dialects import calls, file_names
from hkgit.dialects.dialect import Exists, refuse_line
from hkgit.dialects.file_names import find_here_words, unquote_lines
from hkgit.dialects.headings import is_fence
from hkgit.dialects.patch_hunk import (
    END_MARK,
    PatchHunk,
    begins_sides,
    join_lines,
    parse_hunks,
    refuse_unprefixed,
)
from hkgit.edits import AnyEdit, CreateFile, DeleteFile, RenameFile, Spec
from hkgit.errors import SEND_AGAIN, InvalidInput

NAME = "apply-patch"
JSON = False
BLOCK = (
    r"(?m)^(?:.*\bapply_patch\s*[\"']?)?"
    r"\*\*\* (?:Begin Patch|(?:Add|Delete|Update) [Ff]ile: ?.*)\s*$"
    r"(?s:.*?)(?:^\*\*\* End Patch[\"']?\s*$|\Z)"
)

_BEGIN = r"(?:.*\bapply_patch\s*(?P<quote>[\"']?))?\*\*\* Begin Patch\s*"
_END = r"\*\*\* +End Patch[\"']?\s*"
_PADDED_END = r"\s+\*\*\* +End Patch[\"']?\s*"

_SECTION = r"\*\*\* +(?P<verb>Add|Delete|Update) [Ff]ile: ?(?P<path>.*\S)\s*"
_MOVE = r"\*\*\* +Move to: ?(?P<path>.*\S)\s*"
_QUOTED = r'@?"([^"]+)"'


def detects(text: str) -> bool:
    return re.search(BLOCK, text) is not None or calls.wraps_patch(text)


def parse(text: str, exists: Exists) -> Spec:
    if not calls.wraps_patch(text):
        return Spec.of(NAME, _parse_edits(text))
    edits: list[AnyEdit] = []
    for path, patch in calls.parse_patches(text):
        try:
            edits += _parse_edits(patch)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, {error.where}", error.what, error.fix) from error
    return Spec.of(NAME, edits)


def _parse_edits(text: str) -> Iterator[AnyEdit]:
    """Parse every patch in a text, whatever is around them."""
    lines = text.removesuffix("\n").split("\n")
    index = 0
    while index < len(lines):
        begin = re.fullmatch(_BEGIN, lines[index])
        if begin is None and not re.fullmatch(_SECTION, lines[index]):
            if lines[index].startswith("@@"):
                raise refuse_line(index, "a hunk outside a patch", "Put it before *** End Patch.")
            index += 1
            continue
        end = _find_end(lines, index)
        above, quote = lines[max(index - 1, 0) : index], begin["quote"] if begin else None
        lines[index + 1 : end] = unquote_lines(lines[index + 1 : end], above, quote)
        yield from _parse_sections(lines, index if begin is None else index + 1, end)
        index = end + 1


def _find_end(lines: Sequence[str], begin: int) -> int:
    """Find the line that ends a patch: its marker, else the end of what it is wrapped in."""
    for index in range(begin + 1, len(lines)):
        is_padded = re.fullmatch(_PADDED_END, lines[index]) and _is_behind(lines, index)
        if is_padded or re.fullmatch(_END, lines[index]):
            return index
    words = find_here_words(lines[max(begin - 2, 0) : begin])
    for index in range(begin + 1, len(lines)):
        if is_fence(lines[index]) or lines[index].rstrip("\"' \r") in words:
            if any(line.startswith(("@@", "*** ", "+", "-")) for line in lines[index + 1 :]):
                raise refuse_line(index, "a patch without an end", "End it with *** End Patch.")
            break
    what = "a patch without an end: the text ends before *** End Patch"
    raise refuse_line(begin, what, SEND_AGAIN)


def _is_behind(lines: Sequence[str], index: int) -> bool:
    """Whether nothing of a patch follows a line: context lines too begin with a space."""
    rest = [line for line in lines[index + 1 :] if line.strip()]
    return not rest or not rest[0].startswith(("@@", "***", " ", "+", "-"))


def _read_path(path: str) -> str:
    """Read the path in the head of a section, without quotes around it."""
    quoted = re.fullmatch(_QUOTED, path.strip())
    return path.strip() if quoted is None else quoted[1]


def _match_padded(lines: Sequence[str], index: int) -> re.Match[str] | None:
    """Match a section's head behind whitespace, where no open hunk could hold the line."""
    return re.fullmatch(_SECTION, lines[index].lstrip()) if lines[index][:1].isspace() else None


def _parse_sections(lines: Sequence[str], index: int, end: int) -> Iterator[AnyEdit]:
    while index < end:
        head = re.fullmatch(_SECTION, lines[index]) or _match_padded(lines, index)
        has_hunks = head is None or head["verb"] == "Update"
        stop = next(
            (
                i
                for i in range(index + 1, end)
                if _begins_section(lines[i]) or (not has_hunks and _match_padded(lines, i))
            ),
            end,
        )
        if head is not None:
            yield from _parse_section(
                lines, head["verb"], _read_path(head["path"]), range(index + 1, stop)
            )
        elif lines[index].strip():
            what = f"expected *** Add File, Update File or Delete File, found {lines[index][:40]!r}"
            raise refuse_line(
                index, what, "Begin the section of each file with one of these lines."
            )
        index = stop if head is not None else index + 1


def _begins_section(line: str) -> bool:
    return (
        line.startswith("*** ")
        and not re.fullmatch(END_MARK, line)
        and not re.fullmatch(_MOVE, line)
    )


def _parse_section(lines: Sequence[str], verb: str, path: str, body: range) -> Iterator[AnyEdit]:
    if verb == "Add":
        yield CreateFile(path, _read_new_text(lines, body))
        return
    if verb == "Delete":
        for index in body:
            if lines[index].strip():
                raise refuse_unprefixed(lines, index, "A deleted file has no lines.")
        yield DeleteFile(path)
        return
    head = body.start - 1
    move = re.fullmatch(_MOVE, lines[body.start].lstrip()) if body else None
    body = body[1:] if move else body
    hunks = parse_hunks(lines, body[2:] if _is_headed(lines, body, path) else body)
    if move is None and not hunks:
        raise refuse_line(head, "a file without a change", "Give it a hunk.")
    yield from (hunk.edit(path) for hunk in hunks)
    if move is not None:
        yield RenameFile(path, _read_path(move["path"]))


def _is_headed(lines: Sequence[str], body: range, path: str) -> bool:
    """Whether a section begins with the two sides of a unified diff of its file."""
    if not body or not begins_sides(lines, body.start):
        return False
    sides = {file_names.strip_prefix(lines[index][4:].strip()) for index in body[:2]}
    return sides == {file_names.strip_prefix(path)}


def _read_new_text(lines: Sequence[str], body: range) -> str:
    """Read the text of a new file."""
    text = PatchHunk(body.start)
    for index in body:
        if not text.take(lines[index]) or text.last not in ("", "+"):
            raise refuse_unprefixed(lines, index, "Begin each line of a new file with +.")
    return join_lines(text.new)
