"""Blocks and diffs inside the tags of older tools are read, and inside JSON refused."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import AnyEdit, Edit
from hkgit.errors import InvalidInput
from tests.support.cases import cases

BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
CHANGE = Edit("src/x.py", "a\n", "b\n")
HUNK = "@@ -1 +1 @@\n-a\n+b\n"


def read(text: object) -> tuple[AnyEdit, ...]:
    return dialects.parse(text if isinstance(text, str) else json.dumps(text)).edits


@cases(
    "call, message",
    {
        "a block": ({"path": "src/x.py", "diff": BLOCK}, "this is a text within a call: send it"),
        "a block of Void": (
            {"uri": "x.py", "search_replace_blocks": BLOCK},
            "a text within a call",
        ),
        "in arguments": (
            {"name": "apply_diff", "input": {"path": "x.py", "diff": HUNK}},
            "a text within a call",
        ),
        "a sketch": ({"target_file": "x", "code_edit": "a\n"}, "this is a sketch"),
        "a cell": ({"notebook_path": "x", "new_source": "a"}, "notebook's cell"),
        "a pattern": ({"path": "x", "search": "a", "use_regex": True}, "pattern"),
        "quoted": ({"version": "1", "operations": "[]"}, "Remove the quotes around it"),
    },
)
def test_a_call_that_no_dialect_says_is_refused(call: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(call)
    assert message in str(refusal.value)


def test_what_looks_like_such_a_call_may_be_content() -> None:
    call = '{"path": "y", "diff": "1"}\n'
    assert read(f"x.json\n<<<<<<< SEARCH\na\n=======\n{call}>>>>>>> REPLACE\n") == (
        Edit("x.json", "a\n", call),
    )
    patch = f"*** Begin Patch\n*** Update File: x.json\n@@\n-a\n+{call}*** End Patch\n"
    assert read(patch) == (Edit("x.json", "a\n", call),)


@cases(
    "text",
    {
        "replace_in_file": (
            "<replace_in_file>\n<path>src/x.py</path>\n<diff>\n------- SEARCH\na\n=======\nb\n"
            "+++++++ REPLACE\n</diff>\n</replace_in_file>"
        ),
        "a path in a tag": (
            f"<apply_diff>\n<path>src/x.py</path>\n<diff>\n{BLOCK}\n</diff>\n</apply_diff>\n"
        ),
        "in CDATA": (
            f"<file>\n<path>src/x.py</path>\n<diff>\n<content><![CDATA[\n{BLOCK}\n]]></content>\n"
        ),
    },
)
def test_tags_around_a_block_name_its_file(text: str) -> None:
    assert read(text) == (CHANGE,)
