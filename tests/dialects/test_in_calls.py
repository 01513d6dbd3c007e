"""Blocks and diffs inside the arguments of tool calls, and inside the tags of older tools."""

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
HINTED = Edit("src/x.py", "a\n", "b\n", line_hint=1)


def read(text: object) -> tuple[AnyEdit, ...]:
    return dialects.parse(text if isinstance(text, str) else json.dumps(text)).edits


@cases(
    "call, edit",
    {
        "diff": ({"path": "src/x.py", "diff": BLOCK}, CHANGE),
        "replace_in_file": (
            {"name": "replace_in_file", "input": {"path": "src/x.py", "diff": BLOCK}},
            CHANGE,
        ),
        "replace_in_file in tags": (
            "<replace_in_file>\n<path>src/x.py</path>\n<diff>\n------- SEARCH\na\n=======\nb\n"
            "+++++++ REPLACE\n</diff>\n</replace_in_file>",
            CHANGE,
        ),
        "input": ({"name": "apply_diff", "input": {"path": "src/x.py", "diff": BLOCK}}, CHANGE),
        "line ends that are not escaped": (
            {"function": {"name": "f", "arguments": f'{{"uri": "src/x.py", "diff": "{BLOCK}"}}'}}
            | {"id": "1"},
            None,
        ),
        "arguments in a string": (
            {
                "name": "edit_file",
                "arguments": json.dumps({"uri": "src/x.py", "search_replace_blocks": BLOCK}),
            },
            CHANGE,
        ),
        "hunks alone": ({"path": "src/x.py", "diff": HUNK}, HINTED),
        "a basename": ({"path": "src/x.py", "diff": f"--- a/x.py\n+++ b/x.py\n{HUNK}"}, HINTED),
        "the same name": (
            {"path": "src/x.py", "diff": f"--- a/src/x.py\n+++ b/src/x.py\n{HUNK}"},
            HINTED,
        ),
        "a command": ({"command": "str_replace", "path": "src/x.py", "diff": HUNK}, HINTED),
    },
)
def test_the_path_of_a_call_is_that_of_its_blocks(call: object, edit: Edit | None) -> None:
    if edit is None:
        with pytest.raises(InvalidInput):
            read(call)
    else:
        assert read(call) == (edit,)


def test_several_calls_are_one_spec() -> None:
    calls = [{"path": "src/x.py", "diff": BLOCK}, {"path": "src/x.py", "diff": BLOCK}]
    assert read(calls) == (CHANGE, CHANGE)


@cases(
    "call, message",
    {
        "two files": (
            {"path": "src/x.py", "diff": f"--- a/y.py\n+++ b/y.py\n{HUNK}"},
            "the call names src/x.py, its diff y.py",
        ),
        "two diffs": (
            {"path": "src/x.py", "diff": f"--- a/x.py\n+++ b/x.py\n{HUNK}" * 2},
            "not a diff of one file",
        ),
        "prose": ({"path": "src/x.py", "diff": "a lot"}, "not a diff of one file"),
        "another call": (
            [{"path": "x", "diff": BLOCK}, {"path": "x", "content": "a"}],
            "expected one path and one diff",
        ),
        "a sketch": ({"target_file": "x", "code_edit": "a\n"}, "this is a sketch"),
        "a cell": ({"notebook_path": "x", "new_source": "a"}, "notebook's cell"),
        "a pattern": ({"path": "x", "search": "a", "use_regex": True}, "pattern"),
        "quoted": ({"version": "1", "operations": "[]"}, "Remove the quotes around it"),
    },
)
def test_a_call_that_says_no_one_edit_is_refused(call: object, message: str) -> None:
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
