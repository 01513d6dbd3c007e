"""in_calls.py: search/replace blocks and diffs in the arguments of a tool call, beside a path."""

from __future__ import annotations

import re

from hkgit.dialects import calls
from hkgit.dialects.blocks import search_marks as marks
from hkgit.dialects.blocks.headings import render_heading
from hkgit.dialects.patches import diff_names, patch_json
from hkgit.errors import InvalidInput
from hkgit.text.json_nodes import Node
from hkgit.values import late_pattern

_PATHS = ("path", "file_path", "filePath", "uri", "target_file")
_TEXTS = ("diff", "search_replace_blocks")

_SIDES = late_pattern(r"^--- (.*)\n\+\+\+ (.*)\n", re.MULTILINE)


def unwrap(text: str) -> str:
    """Return the blocks or diffs of calls, each with the path of its call; else the text itself.

    Raises InvalidInput for a call whose path and diff name different files.
    """
    keys = calls.collect_keys(text)
    if keys.isdisjoint(_TEXTS) or keys.isdisjoint(_PATHS) or patch_json.detects(text):
        return text
    return "\n".join(_edits_of(node) for node in calls.parse_arguments(text))


def _edits_of(node: Node) -> str:
    members = calls.members_of(node)
    paths = [members[key].name("a path") for key in _PATHS if key in members]
    texts = [members[key] for key in _TEXTS if key in members]
    if len(paths) != 1 or len(texts) != 1:
        what = f"expected one path and one diff, found {len(paths)} and {len(texts)}"
        raise InvalidInput(node.path, what, "Send the diffs of a spec alone.")
    if marks.SEEN.search(texts[0].text()) is None:
        return _name_diff(texts[0], paths[0])
    heading = render_heading(paths[0])
    if heading is None:
        raise InvalidInput(node.path, "a path that cannot stand on a line of its own")
    return f"{heading}\n{texts[0].text()}\n"


def _name_diff(node: Node, path: str) -> str:
    """Return a diff of one file with the path of the call in the place of a shorter name."""
    text = node.text()
    sides = list(_SIDES.finditer(text))
    hunks = text.find("\n@@") + 1
    if len(sides) > 1 or (not sides and not text.startswith("@@") and not hunks):
        raise InvalidInput(node.path, "no diff of one file", "Send it without the call around it.")
    head = f"--- {diff_names.write_name('a/', path)}\n+++ {diff_names.write_name('b/', path)}\n"
    if not sides:
        return head + text[hunks:] + "\n"
    old, new = (diff_names.parse_side(side) for side in sides[0].groups())
    named = diff_names.agree_on_name(old, new, node.path)
    if named == path:
        return text + "\n"
    if diff_names.DEV_NULL in (old, new) or not f"/{path}".endswith(f"/{named}"):
        raise InvalidInput(
            node.path, f"the call names {path}, its diff {named}", "Name one file in both."
        )
    return head + text[sides[0].end() :] + "\n"
