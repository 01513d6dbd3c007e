"""What `diff -u` and `git diff` write, and what models make of it.

Each hunk becomes an edit of the text that its context and removed lines quote, wherever its
numbers say that it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.dialects import file_names
from hkgit.dialects.dialect import ParseResult, refuse_line, refuse_unsupported
from hkgit.dialects.file_names import DEV_NULL
from hkgit.dialects.headings import name_fences
from hkgit.dialects.patch_hunk import (
    PatchHunk,
    begins_sides,
    join_lines,
    read_hunk,
    render_body,
    render_head,
    split_ended_lines,
)
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    RenameFile,
    SetMode,
)
from hkgit.errors import InvalidInput
from hkgit.text.paths import quote_path
from hkgit.values import dataclass, field

NAME = "unified-diff"
SEQUENTIAL = False
JSON = False
BLOCK = r"(?m)^@@.*(?:\n(?:[ +\\-].*)?)*"

NO_NEWLINE = "\\ No newline at end of file"

_FENCED = r"(?m)^[ \t]*(?:`{3,}|~{3,})(?:diff|patch)[ \t\r]*$"
_SEEN = r"(?m)^(?:diff --git \S|--- \S.*\n\+\+\+ \S)"
_MODE = r"(?P<kind>old|new|new file|deleted file) mode (?P<mode>[0-7]{6})\s*"
_MOVE = r"(?P<kind>rename|copy) (?P<side>from|to) (?P<name>.+)"
_BINARY = r"GIT binary patch|Binary files .* differ"
_OTHER_HEADER = r"index [0-9a-f]|(?:dis)?similarity index "


@dataclass(slots=True)
class _Section:
    """What the headers and hunks of one file say."""

    where: str
    sides: tuple[str, str] | None = None
    modes: dict[str, int] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    hunks: list[PatchHunk] = field(default_factory=list)

    def is_of_other_file(self, sides: tuple[str, str]) -> bool:
        """Whether `---` and `+++` name a file that the headers above them do not."""
        known = {file_names.strip_prefix(side) for side in self.sides or sides} | set(
            self.moves.values()
        )
        return not {file_names.strip_prefix(side) for side in sides if side != DEV_NULL} <= known


def detects(text: str) -> bool:
    if re.search(_SEEN, text) is not None:
        return True
    return re.search(_FENCED, text) is not None and "\n+++ " in "\n".join(name_fences(text))


def parse(text: str) -> ParseResult:
    lines = name_fences(text.removesuffix("\n"))
    found: list[tuple[AnyEdit, bool]] = []
    index = 0
    while index < len(lines):
        if lines[index].startswith("diff --git ") or begins_sides(lines, index):
            section, index = _section(lines, index)
            found += _edits(section)
            continue
        if lines[index].startswith("@@"):
            fix = "Write --- a/PATH and +++ b/PATH above it."
            raise refuse_line(index, "a hunk of no file", fix)
        index += 1
    miscounted = frozenset(at for at, (_, is_miscounted) in enumerate(found, 1) if is_miscounted)
    return ParseResult(tuple(edit for edit, _ in found), miscounted=miscounted)


def render(edits: Sequence[AnyEdit]) -> str:
    return "".join(map(_render, edits))


def _section(lines: Sequence[str], index: int) -> tuple[_Section, int]:
    section = _Section(f"line {index + 1}")
    if lines[index].startswith("diff --git "):
        section.sides = file_names.parse_git_pair(lines[index][len("diff --git ") :])
        index += 1
        while index < len(lines) and _takes_header(section, lines, index):
            index += 1
    if index < len(lines) and begins_sides(lines, index):
        sides = file_names.parse_side(lines[index][4:]), file_names.parse_side(lines[index + 1][4:])
        if not section.is_of_other_file(sides):
            section.sides = sides
            index += 2
    if section.sides and _begins_body(lines, index):
        hunk, index = read_hunk(lines, index - 1)
        section.hunks.append(hunk)
    while index < len(lines) and lines[index].startswith("@@"):
        hunk, index = read_hunk(lines, index)
        section.hunks.append(hunk)
    return section, index


def _begins_body(lines: Sequence[str], index: int) -> bool:
    """Whether a hunk without its `@@` follows the names of the two sides."""
    is_below = lines[index - 1].startswith("+++ ")
    return is_below and any(line[:1] in " +-" for line in lines[index : index + 1] if line.strip())


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
            raise refuse_line(
                index, "a copy of a file", "Give the new file as one that is created."
            )
        section.moves[move["side"]] = file_names.unquote_name(move["name"])
        return True
    return re.match(_OTHER_HEADER, line) is not None


def _edits(section: _Section) -> list[tuple[AnyEdit, bool]]:
    """The edits that a section's headers and hunks mean, and whether a hunk is miscounted."""
    old, new = section.sides or ("", "")
    path = section.moves.get("from") or file_names.agree_on_name(old, new, section.where)
    if path == "" or len(section.moves) == 1:
        fix = "Write --- a/PATH and +++ b/PATH, or `rename from` and `rename to`."
        raise InvalidInput(section.where, "a file without a name", fix)
    is_miscounted = any(hunk.is_miscounted for hunk in section.hunks)
    if old == DEV_NULL or "new file" in section.modes:
        return [(_parse_creation(section, path), is_miscounted)]
    if new == DEV_NULL or "deleted file" in section.modes:
        return [(_parse_deletion(section, path), is_miscounted)]
    edits: list[tuple[AnyEdit, bool]] = []
    if "to" in section.moves:
        edits.append((RenameFile(path, section.moves["to"]), False))
    if "new" in section.modes:
        edits.append((SetMode(path, section.modes["new"]), False))
    edits += [(hunk.edit(path), hunk.is_miscounted) for hunk in section.hunks]
    if not edits:
        raise InvalidInput(section.where, "a file without a change", "Give it hunks.")
    return edits


def _parse_creation(section: _Section, path: str) -> CreateFile:
    if any(line.strip() for hunk in section.hunks for line in hunk.old):
        what = "a new file with context or removed lines"
        raise InvalidInput(section.where, what, "Begin each of its lines with +.")
    text = join_lines([line for hunk in section.hunks for line in hunk.new])
    if section.hunks and section.hunks[-1].final_newline is False:
        text = text[:-1]
    return CreateFile(path, text, section.modes.get("new file", REGULAR))


def _parse_deletion(section: _Section, path: str) -> DeleteFile:
    if any(line.strip() for hunk in section.hunks for line in hunk.new):
        what = "a removed file with context or added lines"
        raise InvalidInput(section.where, what, "Begin each of its lines with -.")
    if not section.hunks:
        return DeleteFile(path)
    text = join_lines([line for hunk in section.hunks for line in hunk.old])
    is_open = section.hunks[-1].final_newline is True
    return DeleteFile(path, old_text=text[:-1] if is_open else text)


def _render(edit: AnyEdit) -> str:
    match edit:
        case CreateFile(path, text, mode):
            head = [f"diff --git {_pair(path, path)}", f"new file mode {mode:o}"]
            sides = [f"--- {DEV_NULL}", f"+++ {file_names.write_name('b/', path)}"] if text else []
            return join_lines([*head, *sides, *_whole("+", text)])
        case DeleteFile(path, None, old_text) if old_text != "":
            head = [f"diff --git {_pair(path, path)}", f"deleted file mode {REGULAR:o}"]
            sides = (
                [f"--- {file_names.write_name('a/', path)}", f"+++ {DEV_NULL}"] if old_text else []
            )
            return join_lines([*head, *sides, *_whole("-", old_text or "")])
        case RenameFile(path, new_path, None):
            names = [f"rename from {quote_path(path)}", f"rename to {quote_path(new_path)}"]
            return join_lines([f"diff --git {_pair(path, new_path)}", *names])
        case SetMode(path, mode):
            return join_lines([f"diff --git {_pair(path, path)}", f"new mode {mode:o}"])
        case Edit():
            return _render_hunk(edit)
    raise refuse_unsupported(NAME, edit)


def _render_hunk(edit: Edit) -> str:
    path, hint, end = edit.path, edit.line_hint, edit.final_newline
    plain = Edit(
        path=path,
        old_text=edit.old_text,
        new_text=edit.new_text,
        line_hint=hint,
        final_newline=end,
        heading=edit.heading,
    )
    old, new = (
        split_ended_lines(NAME, edit, edit.old_text),
        split_ended_lines(NAME, edit, edit.new_text),
    )
    carrier = {True: old, False: new, None: old or new}[end]
    if edit != plain or not carrier or (hint is not None and hint < 1):
        raise refuse_unsupported(NAME, edit)
    body = render_body(old, new, changes_end=end is not None)
    if end is not None:
        last = max(i for i, line in enumerate(body) if line[0] == ("-" if end else "+"))
        body.insert(last + 1, NO_NEWLINE)
    sides = [f"--- {file_names.write_name('a/', path)}", f"+++ {file_names.write_name('b/', path)}"]
    sides.insert(0, f"diff --git {_pair(path, path)}")
    return join_lines([*sides, render_head(edit, old, new), *body])


def _whole(prefix: str, text: str) -> list[str]:
    """The one hunk of a file that comes or goes."""
    if text == "":
        return []
    lines = text.removesuffix("\n").split("\n")
    head = f"-0,0 +1,{len(lines)}" if prefix == "+" else f"-1,{len(lines)} +0,0"
    tail = [] if text.endswith("\n") else [NO_NEWLINE]
    return [f"@@ {head} @@", *(prefix + line for line in lines), *tail]


def _pair(path: str, new_path: str) -> str:
    return f"{quote_path('a/' + path)} {quote_path('b/' + new_path)}"
