"""The dialect is seen from the text, or the text is refused; it is never guessed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.dialects.dialect import APPEARANCES
from hkgit.edits import Edit
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.notations import refusal_of
from tests.support.properties import examples

BLOCK = "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
DIFF = "--- a/x\n+++ b/x\n@@ @@\n-a\n+b\n"
EDIT = '{"file": "a", "old_text": "b", "new_text": "c"}'
OPERATIONS = '{"version": "1", "operations": [{"op": "delete_file", "path": "a"}]}'


@cases(
    {
        "protocol": (OPERATIONS, "protocol"),
        "protocol, cut off": ('{"operations": [{"op": ', "protocol"),
        "protocol, empty": ('{"version": "1", "operations": []}', "protocol"),
        "protocol with texts": (
            OPERATIONS.replace("delete_file", "replace_text")[:-3]
            + ', "old_text": "a", "new_text": "b"}]}',
            "protocol",
        ),
        "protocol in a fence": (f"Here:\n```json\n{OPERATIONS}\n```\n", "protocol"),
        "harnesskit": (EDIT, "harnesskit"),
        "a list": (f"[{EDIT}]", "harnesskit"),
        "edits": (f'{{"edits": [{EDIT}]}}', "harnesskit"),
        "search-replace": (BLOCK, "search-replace"),
        "with dashes": (BLOCK.replace("<<<<<<<", "-------"), "search-replace"),
        "JSON content": (BLOCK.replace("\na\n", f"\n{EDIT}\n"), "search-replace"),
        "a diff in content": (BLOCK.replace("\na\n", f"\n{DIFF}"), "search-replace"),
        "unified-diff": (DIFF, "unified-diff"),
        "git's header": ("diff --git a/x b/x\nnew mode 100755\n", "unified-diff"),
        "JSON in a diff": (DIFF + " {\n" + "+" + EDIT, "unified-diff"),
    },
)
def test_a_dialect_is_seen_from_its_text(text: str, name: str) -> None:
    assert dialects.detect(text) == name


@cases(
    {
        "a call and a block": (f"{EDIT}\n{BLOCK}", "harnesskit or search-replace"),
        "a diff and a block": (f"{DIFF}\n{BLOCK}", "search-replace or unified-diff"),
        "and the other way": (f"{BLOCK}\n{DIFF}", "search-replace or unified-diff"),
    },
)
def test_a_text_in_two_dialects_is_refused(text: str, message: str) -> None:
    assert message in refusal_of(text)


@cases(
    {
        "empty": ("", ": it is empty"),
        "blank": (" \n\n", ": it is empty"),
        "prose": ("\nfix it\n", ": it begins with 'fix it'"),
        "keys of nobody": ('{"target": "f.c", "put": "x"}', ": JSON with the keys put, target"),
        "a list of what nobody knows": ('{"edits": [{"from": "a", "to": "x"}]}', "harnesskit"),
        "Python's quotes": ("{'file': 'f.c', 'old_text': 'a'}", "not JSON"),
        "words without marks": ("SEARCH\na\nREPLACE\nb\n", "<<<<<<< SEARCH"),
        "conflict": ("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "nearest is search-replace"),
        "a patch ill spelt": ("*** Update f.c\n-a\n+b\n", "*** Update File: PATH"),
        "a hunk without a file": ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file"),
    },
)
def test_an_unknown_notation_is_answered_with_the_nearest(text: str, said: str) -> None:
    refusal = refusal_of(text)
    assert "unknown dialect" in refusal
    assert said in refusal
    known = f"Known dialects: {', '.join(dialects.DIALECTS)}. `hkgit prompt DIALECT` shows each."
    assert refusal.endswith(known)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match='--format: unknown dialect "xml"\nKnown'):
        dialects.parse(EDIT, "xml")


def test_a_byte_order_mark_is_skipped() -> None:
    assert dialects.parse(b"\xef\xbb\xbf" + EDIT.encode()).dialect == "harnesskit"


def test_json_must_be_utf8() -> None:
    with pytest.raises(InvalidInput, match="line 2: text that is not UTF-8"):
        dialects.parse(b'{"file": "a", "old_text":\n"\xff", "new_text": ""}')


@pytest.mark.parametrize("text", ["a\n\ud800", EDIT + "\n\udc00"])
def test_a_string_that_stands_for_no_bytes_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="line 2: a lone surrogate"):
        dialects.parse(text)


def test_paths_of_every_edit_become_relative_to_the_root() -> None:
    text = BLOCK.replace("a.py", "/r/a.py") + "\n" + BLOCK.replace("a.py", "./b.py")
    spec = dialects.parse(text, root="/r")
    assert [edit.path for edit in spec.edits] == ["a.py", "b.py"]


FRAGMENTS = (
    "<edit path=",
    "<edits><edit path=",
    "<<<<<<< SEARCH",
    "<<<<search",
    "----- SEARCH",
    "<<<<< ORIGINAL",
    "diff --git a b",
    "--- a",
    "+++ b",
    "```diff",
    "~~~patch",
    "`a.py`:",
    "@@ -1 +1 @@",
    "*** Begin Patch",
    "*** Update File: a",
    "apply_patch *** Begin Patch",
    "*** End Patch",
    '{"path": "a", "content": "b"}',
    '[{"hash_start": "ab"}]',
    '{"operations": 1, "op": 2}',
    '{"file_path": 1, "content": 2, "old_text": 3}',
    "{",
    "[",
    "x",
    '{"input": "*** Begin Patch"}',
    '{"file": 1, "edits": 2}',
    '{"command": 1, "path": 2}',
)


@examples(100)
@given(st.lists(st.tuples(st.sampled_from(FRAGMENTS), st.sampled_from("\n \t")), max_size=6))
def test_a_dialect_without_a_sign_in_the_text_does_not_detect_it(
    parts: list[tuple[str, str]],
) -> None:
    text = "".join(fragment + end for fragment, end in parts)
    loaded = [each for each in dialects.DIALECTS if dialects.find_dialect(each).detects(text)]
    assert [*dialects._list_detecting(text)] == loaded


def test_every_dialect_has_an_appearance() -> None:
    assert {*APPEARANCES} == {*dialects.DIALECTS}


CONTENT = '{"content": 1, "path": 2, "hash_start": "aa", "version": 3, "op": 4}'


@cases(
    {
        "input": ("input", {"path": "x", "old_str": CONTENT}, {"name": "e"}),
        "edits": ("edits", [{"oldText": CONTENT, "newText": ""}], {"path": "x"}),
        "file": ("edits", [{"old_text": CONTENT, "new_text": ""}], {"file": "x"}),
    },
)
@pytest.mark.parametrize("is_quoted", [False, True])
def test_keys_of_content_say_nothing_of_the_dialect(
    key: str, value: object, more: dict[str, str], is_quoted: bool
) -> None:
    sent = json.dumps(value, indent=1) if is_quoted else value
    assert dialects.parse(json.dumps({**more, key: sent})).edits == (Edit("x", CONTENT, ""),)
