"""apply_patch.py: `*** Begin Patch`, sections by file, hunks that name no line numbers (V4A).

The known implementations disagree about the corners. Here a line without a prefix is refused,
an anchor must be found, new lines alone need an anchor, and the sections of one file compose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hkgit.dialects import diff_names, patch_json
from hkgit.dialects.diff_hunks import begins_sides
from hkgit.dialects.headings import is_fence
from hkgit.dialects.hunks import Body, body_of, ended_lines, text_of
from hkgit.dialects.reading import Reading, cannot_say, wrong_line
from hkgit.dialects.shells import here_words, unquoted
from hkgit.edits import END_OF_FILE, AnyEdit, CreateFile, DeleteFile, Edit, RenameFile
from hkgit.errors import InvalidInput

NAME = "apply-patch"
SEQUENTIAL = True
JSON = False
BLOCK = re.compile(
    r"^(?:.*\bapply_patch\s*[\"']?)?\*\*\* (?:Begin Patch|(?:Add|Delete|Update) [Ff]ile: ?.*)\s*$"
    r"(?s:.*?)(?:^\*\*\* End Patch[\"']?\s*$|\Z)",
    re.MULTILINE,
)

_BEGIN = re.compile(r"(?:.*\bapply_patch\s*(?P<quote>[\"']?))?\*\*\* Begin Patch\s*")
_END = re.compile(r"\*\*\* End Patch[\"']?\s*")
_SECTION = re.compile(r"\*\*\* (?P<verb>Add|Delete|Update) [Ff]ile: ?(?P<path>.*\S)\s*")
_MOVE = re.compile(r"\*\*\* Move to: (?P<path>.*\S)\s*")
_LAST = re.compile(r"\*\*\* End of File\s*")
_NUMBERS = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?\s*")


@dataclass(slots=True)
class _Hunk:
    """A hunk under way: its first line, where it is said to stand, and its two sides."""

    index: int
    anchors: list[str] = field(default_factory=list)
    line_hint: int | None = None
    body: Body = field(default_factory=Body)

    def note_place(self, line: str) -> None:
        """Take what stands behind `@@`: an anchor, line numbers, or nothing."""
        numbers = _NUMBERS.fullmatch(line)
        if numbers is not None:
            self.line_hint = int(numbers[1]) or None
        else:
            self.anchors += _anchors(line)

    def edit(self, path: str) -> Edit:
        old_text, new_text = text_of(self.body.old), text_of(self.body.new)
        hint, anchors = self.line_hint, tuple(self.anchors)
        return Edit(path, old_text, new_text, line_hint=hint, anchors=anchors)


def detects(text: str) -> bool:
    return BLOCK.search(text) is not None or patch_json.detects(text)


def parse(text: str) -> Reading:
    if not patch_json.detects(text):
        return Reading(tuple(_edits(text)))
    edits: list[AnyEdit] = []
    for path, patch in patch_json.patches(text):
        try:
            edits += _edits(patch)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, {error.where}", error.what, error.fix) from error
    return Reading(tuple(edits))


def render(edits: Sequence[AnyEdit]) -> str:
    sections = [line for edit in edits for line in _said(edit)]
    return text_of(["*** Begin Patch", *sections, "*** End Patch"])


def _edits(text: str) -> Iterator[AnyEdit]:
    """The edits of every patch in a text, whatever stands around them."""
    lines = text.removesuffix("\n").split("\n")
    index = 0
    while index < len(lines):
        begin = _BEGIN.fullmatch(lines[index])
        if begin is None and not _SECTION.fullmatch(lines[index]):
            if lines[index].startswith("@@"):
                raise wrong_line(index, "a hunk outside of a patch", "Put it before *** End Patch.")
            index += 1
            continue
        end = _end(lines, index)
        above, quote = lines[max(index - 1, 0) : index], begin["quote"] if begin else None
        lines[index + 1 : end] = unquoted(lines[index + 1 : end], above, quote)
        yield from _sections(lines, index if begin is None else index + 1, end)
        index = end + 1


def _end(lines: Sequence[str], begin: int) -> int:
    """The line that ends a patch: its marker, else the end of what it is wrapped in."""
    index = begin
    for index in range(begin + 1, len(lines)):
        if _END.fullmatch(lines[index]):
            return index
    words = here_words(lines[max(begin - 2, 0) : begin])
    for index in range(begin + 1, len(lines)):
        if is_fence(lines[index]) or lines[index].rstrip("\"' \r") in words:
            if any(line.startswith(("@@", "*** ", "+", "-")) for line in lines[index + 1 :]):
                raise wrong_line(index, "a patch without its end", "End it with *** End Patch.")
            return index
    return len(lines)


def _sections(lines: Sequence[str], index: int, end: int) -> Iterator[AnyEdit]:
    while index < end:
        head = _SECTION.fullmatch(lines[index])
        stop = next((i for i in range(index + 1, end) if _begins_section(lines[i])), end)
        if head is not None:
            yield from _section(lines, head["verb"], head["path"].strip(), range(index + 1, stop))
        elif lines[index].strip():
            what = f"expected *** Add File, Update File or Delete File, found {lines[index][:40]!r}"
            raise wrong_line(index, what, "Begin the section of each file with such a line.")
        index = stop if head is not None else index + 1


def _begins_section(line: str) -> bool:
    return line.startswith("*** ") and not _LAST.fullmatch(line) and not _MOVE.fullmatch(line)


def _section(lines: Sequence[str], verb: str, path: str, body: range) -> Iterator[AnyEdit]:
    if verb == "Add":
        yield CreateFile(path, _added(lines, body))
        return
    if verb == "Delete":
        _refuse_text(lines, body)
        yield DeleteFile(path)
        return
    head = body.start - 1
    move = _MOVE.fullmatch(lines[body.start]) if body else None
    body = body[1:] if move else body
    hunks = _hunks(lines, body[2:] if _is_headed(lines, body, path) else body)
    if move is None and not hunks:
        raise wrong_line(head, "a file without a change", "Give it a hunk.")
    yield from (hunk.edit(path) for hunk in hunks)
    if move is not None:
        yield RenameFile(path, move["path"].strip())


def _is_headed(lines: Sequence[str], body: range, path: str) -> bool:
    """Whether a section begins with the two sides of a unified diff of its file."""
    if not body or not begins_sides(lines, body.start):
        return False
    sides = {diff_names.bare(lines[index][4:].strip()) for index in body[:2]}
    return sides == {diff_names.bare(path)}


def _added(lines: Sequence[str], body: range) -> str:
    """The text of a new file."""
    text = Body()
    for index in body:
        if not text.take(lines[index]) or text.last not in ("", "+"):
            raise _unprefixed(lines, index, "Begin each line of a new file with +.")
    return text_of(text.new)


def _refuse_text(lines: Sequence[str], body: range) -> None:
    for index in body:
        if lines[index].strip():
            raise _unprefixed(lines, index, "A file that is removed has no lines.")


def _hunks(lines: Sequence[str], body: range) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    is_open = False
    for index in body:
        line = lines[index]
        if _LAST.fullmatch(line) and is_open:
            hunks[-1].line_hint = END_OF_FILE
            is_open = False
            continue
        begins = line.startswith("@@") and not (is_open and hunks[-1].body.is_empty)
        if begins or (not is_open and line.strip()):
            hunks.append(_Hunk(index))
            is_open = True
        if line.startswith("@@"):
            hunks[-1].note_place(line)
            hunks[-1].body.blanks.clear()
        elif is_open and not hunks[-1].body.take(line):
            raise _unprefixed(lines, index, "Begin each line of a hunk with a blank, + or -.")
    for hunk in hunks:
        if hunk.body.is_empty:
            raise wrong_line(hunk.index, "a hunk without lines", "Give its lines, or leave it out.")
    return hunks


def _anchors(line: str) -> list[str]:
    """The texts behind `@@`, one or several on a line, without an `@@` that closes them."""
    text = line[2:].strip().removesuffix("@@")
    return [anchor.strip() for anchor in re.split(r"\s@@\s", text) if anchor.strip()]


def _said(edit: AnyEdit) -> list[str]:
    head = _SECTION.fullmatch(f"*** Add File: {edit.path}")
    if head is None or head["path"].strip() != edit.path:
        raise cannot_say(NAME, edit, "its path cannot stand on a line")
    match edit:
        case CreateFile(path, text) if edit == CreateFile(path, text):
            lines = ended_lines(NAME, edit, text or "\n") if text else []
            return [f"*** Add File: {path}", *(f"+{line}" for line in lines)]
        case DeleteFile(path) if edit == DeleteFile(path):
            return [f"*** Delete File: {path}"]
        case RenameFile(path, new_path) if edit == RenameFile(path, new_path):
            move = _MOVE.fullmatch(f"*** Move to: {new_path}")
            if move is not None and move["path"].strip() == new_path:
                return [f"*** Update File: {path}", f"*** Move to: {new_path}"]
        case Edit():
            return [f"*** Update File: {edit.path}", *_hunk_said(edit)]
    raise cannot_say(NAME, edit)


def _hunk_said(edit: Edit) -> list[str]:
    hint, anchors = edit.line_hint, edit.anchors
    plain = Edit(edit.path, edit.old_text, edit.new_text, line_hint=hint, anchors=anchors)
    old, new = ended_lines(NAME, edit, edit.old_text), ended_lines(NAME, edit, edit.new_text)
    hunk = _Hunk(0)
    places = [f"@@ {anchor}" for anchor in anchors]
    if hint is not None and hint != END_OF_FILE:
        places.append(f"@@ -{hint},{len(old)} +{hint},{len(new)} @@")
    for place in places:
        hunk.note_place(place)
    said = hunk.anchors, hunk.line_hint or (hint if hint == END_OF_FILE else None)
    if edit != plain or not (old or new) or said != (list(anchors), hint):
        raise cannot_say(NAME, edit)
    tail = ["*** End of File"] if hint == END_OF_FILE else []
    return [*(places or ["@@"]), *body_of(old, new), *tail]


def _unprefixed(lines: Sequence[str], index: int, fix: str) -> InvalidInput:
    return wrong_line(index, f"a line without its prefix: {lines[index][:40]!r}", fix)
