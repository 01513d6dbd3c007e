"""Cut-off output is refused with what is missing; who takes it knowingly finds it recorded."""

from __future__ import annotations

import json

import pytest

from hkgit import Truncated, apply_edits, dialects, parse_edits
from hkgit.errors import InvalidInput

BLOCK = "f.c\n<<<<<<< SEARCH\na\n=======\nb\n"
PATCH = "*** Begin Patch\n*** Update File: f.c\n@@\n-a\n+b\n"
DIFF = "--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@\n-a\n+b\n"
JSON = '{"file": "f.c", "old_text": "a", "new_text": "b"}'
XML = '<edit file="f.c">\n<old>a</old>\n<new>b'

CUT = [
    pytest.param(BLOCK, "before >>>>>>> REPLACE", id="a block without its tail"),
    pytest.param(BLOCK[:-1], "before >>>>>>> REPLACE", id="nor its line end"),
    pytest.param(f"{BLOCK}>>>>>>> REP", "before >>>>>>> REPLACE", id="within the tail"),
    pytest.param(
        BLOCK.replace("f.c\n", "f.c\n```\n") + "```\n",
        ">>>>>>> REPLACE",
        id="a block in a closed fence",
    ),
    pytest.param(
        f"{BLOCK}>>>>>>> REPLACE\nf.c\n<<<<<<< SEA",
        "in the head of a block",
        id="within the next head",
    ),
    pytest.param(PATCH, "before *** End Patch", id="a patch"),
    pytest.param(f"{PATCH}*** End Pa", "before *** End Patch", id="within its end"),
    pytest.param(f"```\n{PATCH}```\n", "before *** End Patch", id="a patch in a fence"),
    pytest.param(f"apply_patch <<'EOF'\n{PATCH}EOF\n", "*** End Patch", id="a here-document"),
    pytest.param(json.dumps({"input": PATCH}), "before *** End Patch", id="a patch in JSON"),
    pytest.param(
        DIFF, "shorter than its header says: 3 old and 3 new lines, found 1 and 1", id="a hunk"
    ),
    pytest.param(JSON[:-1], "} is missing", id="JSON without its bracket"),
    pytest.param(JSON[:-2], '"} is missing', id="JSON within a string"),
    pytest.param('{"edits": [' + JSON, "]} is missing", id="a list in JSON"),
    pytest.param(f"```json\n{JSON[:-1]}\n```\n", "} is missing", id="JSON in a fence"),
    pytest.param(XML, "</new></edit> is missing", id="XML within the text"),
    pytest.param(f"{XML}</ne", "</new></edit> is missing", id="XML within a tag"),
    pytest.param(f"{XML}</new>", "</edit> is missing", id="XML without its last tag"),
    pytest.param(f"<edits>\n{XML}</new></edit>\n", "</edits> is missing", id="a list in XML"),
    pytest.param(f"{XML}</new></edit>\n<edit fi", "in the tag of an edit", id="the next tag"),
]


@pytest.mark.parametrize(("text", "missing"), CUT)
def test_what_is_cut_off_is_refused_with_what_is_missing(text: str, missing: str) -> None:
    with pytest.raises(Truncated) as refusal:
        parse_edits(text)
    assert missing in refusal.value.what
    assert refusal.value.exit_code == 4
    assert "--accept-truncated" in refusal.value.fix


@pytest.mark.parametrize(("text", "missing"), CUT)
def test_who_takes_it_gets_what_is_there_and_a_repair(text: str, missing: str) -> None:
    result = apply_edits(text, {"f.c": "a\n"}, accept_truncated=True)
    assert result.files == {"f.c": "b\n"}, result.for_model()
    assert result.outcomes[-1].repairs[-1] == "truncated"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{BLOCK}>>>>>>> REPLACE\n", id="a block"),
        pytest.param(f"{BLOCK}=======\n", id="a divider in the place of the tail"),
        pytest.param(f"{PATCH}*** End Patch\n", id="a patch"),
        pytest.param(DIFF.replace("-1,3 +1,3", "-1 +1"), id="a hunk"),
        pytest.param(DIFF.replace("-1,3 +1,3", "..."), id="a hunk without numbers"),
        pytest.param(JSON, id="JSON"),
    ],
)
def test_what_is_whole_has_no_such_repair(text: str) -> None:
    result = apply_edits(text, {"f.c": "a\n"}, accept_truncated=True)
    assert result.files == {"f.c": "b\n"}
    assert result.outcomes[0].repairs == ()


def test_a_hunk_in_the_middle_may_be_miscounted() -> None:
    text = f"{DIFF}@@ -9 +9 @@\n-c\n+d\n"
    assert len(parse_edits(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("f.c\n<<<<<<< SEARCH\na\n", id="a block before its divider"),
        pytest.param('<edit file="f.c">\n<old>a', id="XML before its new text"),
        pytest.param('{"edits": [' + JSON + ', {"file": "g", "old', id="the next edit in JSON"),
        pytest.param('{"file": "f.c", "old_text": "a", "new_te', id="JSON before its new text"),
    ],
)
def test_half_of_an_edit_is_never_taken(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_edits(text, accept_truncated=True)


def test_json_that_is_wrong_is_not_called_short() -> None:
    with pytest.raises(InvalidInput, match="not JSON") as refusal:
        parse_edits("{'file': 'f.c', 'old_text': 'a', 'new_text': 'b'}", "harnesskit")
    assert not isinstance(refusal.value, Truncated)


def test_blocks_of_a_spec_that_was_cut_off_are_whole() -> None:
    spec = dialects.parse(PATCH, accept_truncated=True)
    assert spec.truncated == {1}
    assert dialects.parse(spec.blocks[0], spec.dialect).edits == spec.edits
