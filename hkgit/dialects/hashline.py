"""Edits that name lines by the tags of a reading (`tags.py` says what a tag is).

`{path, hash_start?, hash_stop?, content?, offset?}`: no tag writes the whole file, one tag and
content insert before its line, two tags replace the range, and a tag without content deletes.
The range includes the line of `hash_stop`; with `"inclusive": false` that line stays, as in
other versions of such a tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hkgit.dialects import calls
from hkgit.dialects.dialect import NO_BLOCK, ParseResult, refuse_unsupported, split_lines
from hkgit.edits import AnyEdit, TagEdit, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text import strict_json
from hkgit.text.strict_json import Node, check_fields, read_expected_hash
from hkgit.text.tags import TAG

NAME = "hashline"
SEQUENTIAL = True
JSON = True
BLOCK = NO_BLOCK

# Notations with the same idea and other hashes: [path#1F3A] with verbs, and "12:a3" or "12#VK".
_VERBS = r"(?m)^\[[^\]\n]+#[0-9A-Za-z]{2,8}\]\s*\n(?:SWAP|DEL|INS|PUT)\b"
_NUMBERED = (
    r'"(?:pos|end|start|anchor|after|before|line|first|last|start_anchor|end_anchor|'
    r'hash_start|hash_stop)"\s*+:\s*+"\d{1,7}[:#][0-9A-Za-z]{2,4}(?:[:|][^"]*)?"'
)

_OPTIONAL = ("hash_stop", "content", "offset", "expected_hash", "inclusive")


def detects(text: str) -> bool:
    found = calls.collect_keys(text)
    names_tags = not found.isdisjoint({"hash_start", "hash_stop"})
    writes = found >= {"path", "content"} and found.isdisjoint({"file_path", "command"})
    return names_tags or writes or _is_relative(text)


def parse(text: str) -> ParseResult:
    if _is_relative(text):
        what = "line tags of another notation, whose hashes are not known here"
        fix = "Write the edit in the dialect `protocol`, or with tags of `hkgit read --hashline`."
        raise InvalidInput("the spec", what, fix)
    return ParseResult(tuple(map(_edit, calls.parse_arguments(text))))


def render(edits: Sequence[AnyEdit]) -> str:
    rendered = [_render(edit) for edit in edits]
    return strict_json.dumps(rendered[0] if len(rendered) == 1 else rendered)


def _is_relative(text: str) -> bool:
    return (re.search(_NUMBERED, text) or re.search(_VERBS, text)) is not None


def _edit(node: Node) -> AnyEdit:
    fields = calls.members_of(node)
    if "hash_start" not in fields:
        check_fields(node.path, fields, ("path", "content"), ("expected_hash",))
        path, content = fields["path"].name("a path"), fields["content"].text()
        return WriteFile(path, content, read_expected_hash(fields))
    check_fields(node.path, fields, ("path", "hash_start"), _OPTIONAL)
    lines = split_lines(fields["content"].text()) if "content" in fields else None
    if lines == () and "hash_stop" not in fields:
        raise fields["content"].wrong("lines to insert", 'To delete the line, leave "content" out.')
    return TagEdit(
        path=fields["path"].name("a path"),
        start_tag=_tag(fields["hash_start"]),
        stop_tag=_tag(fields["hash_stop"]) if "hash_stop" in fields else None,
        new_lines=lines or None,
        offset=fields["offset"].integer(1) if "offset" in fields else None,
        expected_hash=read_expected_hash(fields),
        is_exclusive="inclusive" in fields
        and not fields["inclusive"].boolean()
        and "hash_stop" in fields,
    )


def _tag(node: Node) -> str:
    if re.fullmatch(TAG, node.text()) is None:
        raise node.wrong("a tag of two letters or digits", "Take it from `hkgit read --hashline`.")
    return node.text()


def _render(edit: AnyEdit) -> dict[str, object]:
    match edit:
        case WriteFile(path, text, expected):
            fields: dict[str, object] = {"path": path, "content": text, "expected_hash": expected}
        case TagEdit(path, start, stop, lines, offset, expected, is_exclusive):
            content = None if lines is None else "".join(f"{line}\n" for line in lines)
            if content is not None and (split_lines(content) or None) != lines:
                raise refuse_unsupported(
                    NAME, edit, "no lines, or one that ends with a carriage return"
                )
            fields = {"path": path, "hash_start": start, "hash_stop": stop}
            fields |= {"content": content, "offset": offset, "expected_hash": expected}
            fields |= {"inclusive": False} if is_exclusive else {}
        case _:
            raise refuse_unsupported(NAME, edit)
    return {key: value for key, value in fields.items() if value is not None}
