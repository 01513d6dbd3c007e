"""Cut-off output is refused with what is missing; a hunk that only counts wrongly is whole."""

from __future__ import annotations

import json

import pytest

from hkgit import apply_edits, parse_edits
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
        "inside the head of a block",
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
    with pytest.raises(InvalidInput) as refusal:
        parse_edits(text)
    assert missing in refusal.value.what
    assert refusal.value.exit_code == 4
    assert refusal.value.fix.startswith("Send all of it again")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{BLOCK}>>>>>>> REPLACE\n", id="a block"),
        pytest.param(f"{BLOCK}=======\n", id="a divider instead of the tail"),
        pytest.param(f"{PATCH}*** End Patch\n", id="a patch"),
        pytest.param(DIFF.replace("-1,3 +1,3", "-1 +1"), id="a hunk"),
        pytest.param(DIFF.replace("-1,3 +1,3", "..."), id="a hunk without numbers"),
        pytest.param(JSON, id="JSON"),
    ],
)
def test_what_is_whole_has_no_such_repair(text: str) -> None:
    result = apply_edits(text, {"f.c": "a\n"})
    assert result.files == {"f.c": "b\n"}
    assert result.outcomes[0].repairs == ()


MANY = "--- a/f.c\n+++ b/f.c\n@@ -1,9 +1,7 @@ a\n a\n-b\n+c\n"
FENCED = f"The change:\n\n```diff\n{MANY}```\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FENCED, id="a closed fence"),
        pytest.param(f"{FENCED}\nThat was all.\n", id="a closed fence and prose"),
        pytest.param(f"{MANY}\nThat was all.\nAnd more of it\n", id="prose"),
        pytest.param(f"{MANY}@@ -9 +9 @@\n-x\n+y\n", id="another hunk"),
        pytest.param(f"{MANY}--- a/g.c\n+++ b/g.c\n@@ -1 +1 @@\n-x\n+y\n", id="another file"),
        pytest.param(f"{MANY}diff --git a/g.c b/h.c\nrename from g.c\nrename to h.c\n", id="git"),
        pytest.param(f"{MANY}-- \n2.39.5\n", id="the signature of a mail"),
        pytest.param(FENCED.replace("-1,9 +1,7", "-1 +1"), id="too few are counted"),
        pytest.param(FENCED.replace("-1,9 +1,7", "-1,3 +1,3"), id="one too many in a fence"),
        pytest.param(
            MANY.replace("-1,9 +1,7", "-1,3 +1,3") + "--- a/g.c\n+++ b/g.c\n@@ -1 +1 @@\n-x\n+y\n",
            id="one too many before another file",
        ),
    ],
)
def test_a_hunk_that_only_counts_wrongly_lands_and_says_so(text: str) -> None:
    files = {"f.c": "a\nb\nx\n", "g.c": "x\n"}
    result = apply_edits(text, files)
    assert result.ok, result.for_model()
    assert str(result.files["f.c"]).startswith("a\nc\n")
    assert result.outcomes[0].repairs == ("counts",)
    assert not any(each.repairs for each in result.outcomes[1:])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MANY, id="the end of the text"),
        pytest.param(f"{MANY}\n \n\n", id="blank lines at the end"),
        pytest.param(f"```diff\n{MANY}", id="a fence that is never closed"),
        pytest.param(f"{MANY}return b\n", id="a line that has lost its prefix"),
        pytest.param(f"{MANY}\nIt is so.\n+d\n", id="more of the hunk below a sentence"),
        pytest.param(
            f"{MANY}+It was so.\n\nIt is so.\n", id="a sentence below a hunk that has some"
        ),
    ],
)
def test_a_hunk_that_may_go_on_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_edits(text)


def test_a_new_file_may_be_miscounted_too() -> None:
    result = apply_edits("```diff\n--- /dev/null\n+++ b/f.c\n@@ -0,0 +1,5 @@\n+a\n```\n", {})
    assert result.files == {"f.c": "a\n"}
    assert result.outcomes[0].repairs == ("counts",)


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("Changes\n=======\n", id="of the length of the divider"),
        pytest.param("Changes in 2.0\n=======\n", id="whose underline is cut off"),
    ],
)
def test_a_title_that_ends_the_text_is_underlined_and_the_block_cut_off(title: str) -> None:
    with pytest.raises(InvalidInput, match="before >>>>>>> REPLACE"):
        parse_edits(f"{BLOCK}\n{title}")


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
        parse_edits(text)


def test_json_that_is_wrong_is_not_called_short() -> None:
    with pytest.raises(InvalidInput, match="not JSON") as refusal:
        parse_edits("{'file': 'f.c', 'old_text': 'a', 'new_text': 'b'}", "harnesskit")
    assert "Send all" not in refusal.value.fix
