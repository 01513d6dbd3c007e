"""What `diff -u` and `git diff` write, and what models make of it.

Each hunk becomes an edit of the text that its context and removed lines quote, wherever its
numbers say that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.dialects import file_names
from hkgit.dialects.dialect import Exists, refuse_line
from hkgit.dialects.file_names import DEV_NULL
from hkgit.dialects.patch_hunk import PatchHunk, begins_sides, join_lines, read_hunk
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    RenameFile,
    SetMode,
    Spec,
)
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field

NAME = "unified-diff"
JSON = False
BLOCK = r"(?m)^@@.*(?:\n(?:[ +\\-].*)?)*"

_SEEN = r"(?m)^(?:diff --git \S|--- \S.*\n\+\+\+ \S)"
_MODE = r"(?P<kind>old|new|new file|deleted file) mode (?P<mode>[0-7]{6})\s*"
_MOVE = r"(?P<kind>rename|copy) (?P<side>from|to) (?P<name>.+)"
_BARE = r"[+-]| \s*\S"
_BINARY = r"GIT binary patch|Binary files .* differ"
_EPOCH = r"\s19(?:69-12-31|70-01-01) \d\d:\d\d:00(?:\.0+)? [-+]\d{4}\s*$"
_OTHER_HEADER = r"index [0-9a-f]|(?:dis)?similarity index "


@dataclass
class _Section:
    """What the headers and hunks of one file say.

    `pair` are the names behind `diff --git`, `sides` those of `---` and `+++`, if these are there.
    `is_undated` says that the time of the new side is the one that GNU diff gives to no file.
    """

    where: str
    pair: tuple[str, str] | None = None
    sides: tuple[str, str] | None = None
    is_undated: bool = False
    modes: dict[str, int] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    hunks: list[PatchHunk] = field(default_factory=list)

    def is_of_other_file(self, sides: tuple[str, str]) -> bool:
        """Whether `---` and `+++` name a file that the headers above them do not."""
        known = {*map(file_names.strip_prefix, self.sides or sides), *self.moves.values()}
        return not {file_names.strip_prefix(side) for side in sides if side != DEV_NULL} <= known


def detects(text: str) -> bool:
    return re.search(_SEEN, text) is not None


def parse(text: str, exists: Exists) -> Spec:
    lines = text.removesuffix("\n").split("\n")
    found: list[tuple[AnyEdit, bool]] = []
    index = 0
    while index < len(lines):
        if lines[index].startswith("diff --git ") or begins_sides(lines, index):
            section, index = _read_section(lines, index)
            found += _convert(section)
            continue
        if lines[index].startswith("@@"):
            fix = "Write --- a/PATH and +++ b/PATH above it."
            raise refuse_line(index, "a hunk without a file", fix)
        index += 1
    miscounted = frozenset(at for at, (_, is_miscounted) in enumerate(found, 1) if is_miscounted)
    return Spec.of(NAME, [edit for edit, _ in found], miscounted=miscounted)


def _read_section(lines: Sequence[str], index: int) -> tuple[_Section, int]:
    section = _Section(f"line {index + 1}")
    if lines[index].startswith("diff --git "):
        section.pair = file_names.parse_git_pair(lines[index][len("diff --git ") :])
        section.sides = section.pair
        index += 1
        while index < len(lines) and _takes_header(section, lines, index):
            index += 1
    if index < len(lines) and begins_sides(lines, index):
        sides = file_names.parse_side(lines[index][4:]), file_names.parse_side(lines[index + 1][4:])
        if not section.is_of_other_file(sides):
            section.sides = sides
            section.is_undated = re.search(_EPOCH, lines[index + 1]) is not None
            index += 2
    # Below the names of the two sides a hunk may lack its `@@`.
    is_below = section.sides is not None and lines[index - 1].startswith("+++ ")
    is_bare = is_below and index < len(lines) and re.match(_BARE, lines[index]) is not None
    while index < len(lines) and (lines[index].startswith("@@") or is_bare):
        hunk, index = read_hunk(lines, index - 1 if is_bare else index)
        section.hunks.append(hunk)
        is_bare = False
    return section, index


def _takes_header(section: _Section, lines: Sequence[str], index: int) -> bool:
    """Note what one of git's own header lines says; False for a line that is none."""
    line = lines[index].rstrip("\r")
    if re.match(_BINARY, line):
        raise refuse_line(index, "a binary patch", "Only text can be edited this way.")
    if (mode := re.fullmatch(_MODE, line)) is not None:
        section.modes[mode["kind"]] = int(mode["mode"], 8)
        if section.modes[mode["kind"]] not in (REGULAR, EXECUTABLE):
            raise refuse_line(index, f"mode {mode['mode']}", "Only regular files can be edited.")
        return True
    if (move := re.fullmatch(_MOVE, line)) is not None:
        if move["kind"] == "copy":
            fix = "Give the new file as one that is created."
            raise refuse_line(index, "a copy of a file", fix)
        section.moves[move["side"]] = file_names.unquote_name(move["name"])
        return True
    return re.match(_OTHER_HEADER, line) is not None


def _convert(section: _Section) -> Iterator[tuple[AnyEdit, bool]]:
    """Yield the edits of headers and hunks, each with whether its hunk is miscounted."""
    old, new = names = section.sides or ("", "")
    pair = section.pair or names
    # Beside /dev/null only git's own line shows what is a prefix.
    if names.count(DEV_NULL) == 1 and len({*map(file_names.strip_prefix, pair)}) == 1:
        names = pair
    path = section.moves.get("from") or file_names.agree_on_name(*names, section.where)
    if path == "" or len(section.moves) == 1:
        fix = "Write --- a/PATH and +++ b/PATH, or `rename from` and `rename to`."
        raise InvalidInput(section.where, "a file without a name", fix)
    is_miscounted = any(hunk.is_miscounted for hunk in section.hunks)
    if old == DEV_NULL or "new file" in section.modes:
        mode = section.modes.get("new file", REGULAR)
        yield CreateFile(path, _join_side(section, is_new=True), mode), is_miscounted
        return
    if new == DEV_NULL or "deleted file" in section.modes or _is_gone(section):
        text = _join_side(section, is_new=False)
        yield DeleteFile(path, old_text=text if section.hunks else None), is_miscounted
        return
    if "to" in section.moves:
        yield RenameFile(path, section.moves["to"]), False
    if "new" in section.modes:
        yield SetMode(path, section.modes["new"]), False
    yield from ((hunk.edit(path), hunk.is_miscounted) for hunk in section.hunks)
    if not (section.moves or "new" in section.modes or section.hunks):
        raise InvalidInput(section.where, "a file without a change", "Give it hunks.")


def _is_gone(section: _Section) -> bool:
    """Whether GNU diff, which never names /dev/null, says that a file is not there any more."""
    is_plain = section.is_undated and not section.moves and not section.modes
    return is_plain and [(hunk.new, hunk.line_hint) for hunk in section.hunks] == [([], 1)]


def _join_side(section: _Section, *, is_new: bool) -> str:
    """Join the lines of a file that comes or goes: its hunks have no others."""
    others = [line for hunk in section.hunks for line in (hunk.old if is_new else hunk.new)]
    if any(line.strip() for line in others):
        what, other, mark = ("new", "removed", "+") if is_new else ("removed", "added", "-")
        what = f"a {what} file with context or {other} lines"
        raise InvalidInput(section.where, what, f"Begin each of its lines with {mark}.")
    text = join_lines([x for hunk in section.hunks for x in (hunk.new if is_new else hunk.old)])
    is_open = bool(section.hunks) and section.hunks[-1].final_newline is (not is_new)
    return text[:-1] if is_open else text
