"""notations.py: edits written in each dialect, as its users write them, to be read again."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

import pytest

from hkgit import dialects
from hkgit.dialects import protocol
from hkgit.dialects.file_names import DEV_NULL
from hkgit.dialects.patch_hunk import join_lines
from hkgit.dialects.search_replace import write_block
from hkgit.edits import (
    END_OF_FILE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.errors import InvalidInput
from hkgit.text.paths import quote_path

NO_NEWLINE = "\\ No newline at end of file"


class UnsayableEdit(Exception):
    """A dialect has no words for an edit."""


def write(dialect: str, edits: Sequence[AnyEdit]) -> str:
    """Write edits in a dialect; raises UnsayableEdit for those that are not read from it again."""
    text = _WRITERS[dialect](edits)
    try:
        is_sayable = dialects.parse(text, dialect).edits == tuple(edits)
    except InvalidInput as error:
        raise UnsayableEdit from error
    if not is_sayable:
        raise UnsayableEdit
    return text


def refusal_of(text: str, format: str = "auto") -> str:
    """What the author of a text that cannot be read is told."""
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(text, format)
    return str(refusal.value)


def _calls(
    write_one: Callable[[AnyEdit], dict[str, object]],
) -> Callable[[Sequence[AnyEdit]], str]:
    def write_all(edits: Sequence[AnyEdit]) -> str:
        calls = [
            {key: value for key, value in write_one(edit).items() if value is not None}
            for edit in edits
        ]
        return json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False)

    return write_all


def _harnesskit(edit: AnyEdit) -> dict[str, object]:
    match edit:
        case Edit(path, old, new, expected):
            return {"file": path, "old_text": old, "new_text": new, "expected_hash": expected}
    raise UnsayableEdit


def _hashline(edit: AnyEdit) -> dict[str, object]:
    match edit:
        case WriteFile(path, text, expected):
            return {"path": path, "content": text, "expected_hash": expected}
        case TagEdit(path, start, stop, lines, offset, expected, is_exclusive):
            fields = {"path": path, "hash_start": start, "hash_stop": stop, "offset": offset}
            content = None if lines is None else join_lines(lines)
            ends = {"inclusive": False} if is_exclusive else {}
            return {**fields, "content": content, "expected_hash": expected, **ends}
    raise UnsayableEdit


def _text_editor(edit: AnyEdit) -> dict[str, object]:
    match edit:
        case CreateFile(path, text):
            return {"command": "create", "path": path, "file_text": text}
        case WriteFile(path, text, expected):
            return {"file_path": path, "content": text, "expected_hash": expected}
        case Edit(path, "", text, at_end=True):
            return {"command": "append", "path": path, "new_str": text}
        case InsertAfter(path, after, lines, expected):
            text = join_lines(lines)
            fields = {"command": "insert", "path": path, "insert_line": after, "insert_text": text}
            return {**fields, "expected_hash": expected}
        case Edit(path, old, new, expected, _, is_all, count):
            fields = {"file_path": path, "old_string": old, "new_string": new}
            flags = {"replace_all": True} if is_all else {}
            return {**fields, **flags, "expected_replacements": count, "expected_hash": expected}
    raise UnsayableEdit


def _search_replace(edits: Sequence[AnyEdit]) -> str:
    blocks = [write_block(edit) if isinstance(edit, Edit) else None for edit in edits]
    return "\n".join(filter(None, blocks))


def _unified_diff(edits: Sequence[AnyEdit]) -> str:
    return join_lines([line for edit in edits for line in _section(edit)])


def _name_side(name: str) -> str:
    """Write a name as git does behind `--- ` or `+++ `."""
    quoted = quote_path(name)
    return f"{quoted}\t" if " " in quoted and not quoted.startswith('"') else quoted


def _section(edit: AnyEdit) -> list[str]:
    a, b = (_name_side(prefix + edit.path) for prefix in ("a/", "b/"))
    match edit:
        case CreateFile(path, text, mode):
            sides = [f"--- {DEV_NULL}", f"+++ {b}"] if text else []
            return [_git(path), f"new file mode {mode:o}", *sides, *_whole("+", text)]
        case DeleteFile(path, _, text):
            sides = [f"--- {a}", f"+++ {DEV_NULL}"] if text else []
            return [_git(path), f"deleted file mode {REGULAR:o}", *sides, *_whole("-", text or "")]
        case RenameFile(path, new_path):
            names = [f"rename from {quote_path(path)}", f"rename to {quote_path(new_path)}"]
            return [_git(path, new_path), *names]
        case SetMode(path, mode):
            return [_git(path), f"new mode {mode:o}"]
        case Edit():
            return [_git(edit.path), f"--- {a}", f"+++ {b}", *_hunk(edit)]
    raise UnsayableEdit


def _git(path: str, new_path: str | None = None) -> str:
    return f"diff --git {quote_path('a/' + path)} {quote_path('b/' + (new_path or path))}"


def _whole(prefix: str, text: str) -> list[str]:
    """The one hunk of a file that comes or goes."""
    if text == "":
        return []
    lines = text.removesuffix("\n").split("\n")
    head = f"-0,0 +1,{len(lines)}" if prefix == "+" else f"-1,{len(lines)} +0,0"
    tail = [] if text.endswith("\n") else [NO_NEWLINE]
    return [f"@@ {head} @@", *(prefix + line for line in lines), *tail]


def _hunk(edit: Edit) -> list[str]:
    end = edit.final_newline
    body = _body(edit, changes_end=end is not None)
    if end is not None:
        last = [i for i, line in enumerate(body) if line[0] == ("-" if end else "+")]
        body.insert(last[-1] + 1 if last else 0, NO_NEWLINE)
    return [_head(edit), *body]


def _head(edit: Edit) -> str:
    hint, old, new = edit.line_hint or 0, *map(_lines, (edit.old_text, edit.new_text))
    return f"@@ -{hint},{len(old)} +{hint},{len(new)} @@ {edit.heading}".rstrip()


def _lines(text: str) -> list[str]:
    return text.split("\n")[:-1]


def _body(edit: Edit, *, changes_end: bool = False) -> list[str]:
    """The prefixed lines; equal ones at both ends are context, but for a last one that changes."""
    old, new = _lines(edit.old_text), _lines(edit.new_text)
    spare = min(len(old), len(new))
    spare = max(spare - 1, 0) if changes_end else spare
    before = _common(old[:spare], new[:spare])
    behind = 0 if changes_end else _common(old[before:][::-1], new[before:][::-1])
    return [
        *(f" {line}" for line in old[:before]),
        *(f"-{line}" for line in old[before : len(old) - behind]),
        *(f"+{line}" for line in new[before : len(new) - behind]),
        *(f" {line}" for line in old[len(old) - behind :]),
    ]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))))


def _apply_patch(edits: Sequence[AnyEdit]) -> str:
    sections = [line for edit in edits for line in _patch_section(edit)]
    return join_lines(["*** Begin Patch", *sections, "*** End Patch"])


def _patch_section(edit: AnyEdit) -> list[str]:
    match edit:
        case CreateFile(path, text):
            return [f"*** Add File: {path}", *(f"+{line}" for line in _lines(text))]
        case DeleteFile(path):
            return [f"*** Delete File: {path}"]
        case RenameFile(path, new_path):
            return [f"*** Update File: {path}", f"*** Move to: {new_path}"]
        case Edit(path, line_hint=hint):
            places = [f"@@ {anchor}" for anchor in edit.anchors]
            if hint not in (None, END_OF_FILE) or edit.heading:
                places.append(_head(edit))
            is_last = hint == END_OF_FILE or edit.at_end
            ends = ["*** End of File"] if is_last else []
            return [f"*** Update File: {path}", *(places or ["@@"]), *_body(edit), *ends]
    raise UnsayableEdit


_WRITERS: Mapping[str, Callable[[Sequence[AnyEdit]], str]] = {
    "protocol": protocol.write,
    "harnesskit": _calls(_harnesskit),
    "search-replace": _search_replace,
    "unified-diff": _unified_diff,
    "apply-patch": _apply_patch,
    "hashline": _calls(_hashline),
    "text-editor": _calls(_text_editor),
}
