"""Cut-off output is refused with what is missing; a hunk that only counts wrongly is whole."""

import json

import pytest

from hkgit import apply_edits, parse_edits
from hkgit.errors import InvalidInput
from tests.support.cases import cases

BLOCK = "f.c\n<<<<<<< SEARCH\na\n=======\nb\n"
PATCH = "*** Begin Patch\n*** Update File: f.c\n@@\n-a\n+b\n"
DIFF = "--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@\n-a\n+b\n"
JSON = '{"file": "f.c", "old_text": "a", "new_text": "b"}'
XML = '<edit file="f.c">\n<old>a</old>\n<new>b'

CUT = {
    "a block without its tail": (BLOCK, "before >>>>>>> REPLACE"),
    "nor its line end": (BLOCK[:-1], "before >>>>>>> REPLACE"),
    "within the tail": (f"{BLOCK}>>>>>>> REP", "before >>>>>>> REPLACE"),
    "a block in a closed fence": (
        BLOCK.replace("f.c\n", "f.c\n```\n") + "```\n",
        ">>>>>>> REPLACE",
    ),
    "within the next head": (
        f"{BLOCK}>>>>>>> REPLACE\nf.c\n<<<<<<< SEA",
        "inside the head of a block",
    ),
    "a patch": (PATCH, "before *** End Patch"),
    "within its end": (f"{PATCH}*** End Pa", "before *** End Patch"),
    "a patch in a fence": (f"```\n{PATCH}```\n", "before *** End Patch"),
    "a here-document": (f"apply_patch <<'EOF'\n{PATCH}EOF\n", "*** End Patch"),
    "a patch in JSON": (json.dumps({"input": PATCH}), "before *** End Patch"),
    "a hunk": (DIFF, "shorter than its header says: 3 old and 3 new lines, found 1 and 1"),
    "JSON without its bracket": (JSON[:-1], "} is missing"),
    "JSON within a string": (JSON[:-2], '"} is missing'),
    "a list in JSON": ('{"edits": [' + JSON, "]} is missing"),
    "JSON in a fence": (f"```json\n{JSON[:-1]}\n```\n", "} is missing"),
    "XML within the text": (XML, "</new></edit> is missing"),
    "XML within a tag": (f"{XML}</ne", "</new></edit> is missing"),
    "XML without its last tag": (f"{XML}</new>", "</edit> is missing"),
    "a list in XML": (f"<edits>\n{XML}</new></edit>\n", "</edits> is missing"),
    "the next tag": (f"{XML}</new></edit>\n<edit fi", "in the tag of an edit"),
}


@cases(CUT)
def test_what_is_cut_off_is_refused_with_what_is_missing(text: str, missing: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_edits(text)
    assert missing in refusal.value.what
    assert refusal.value.exit_code == 4
    assert refusal.value.fix.startswith("Send all of it again")


@cases(
    {
        "a block": f"{BLOCK}>>>>>>> REPLACE\n",
        "a divider instead of the tail": f"{BLOCK}=======\n",
        "a patch": f"{PATCH}*** End Patch\n",
        "a hunk": DIFF.replace("-1,3 +1,3", "-1 +1"),
        "a hunk without numbers": DIFF.replace("-1,3 +1,3", "..."),
        "JSON": JSON,
    },
)
def test_what_is_whole_has_no_such_repair(text: str) -> None:
    result = apply_edits(text, {"f.c": "a\n"})
    assert result.files == {"f.c": "b\n"}
    assert result.outcomes[0].repairs == ()


MANY = "--- a/f.c\n+++ b/f.c\n@@ -1,9 +1,7 @@ a\n a\n-b\n+c\n"
FENCED = f"The change:\n\n```diff\n{MANY}```\n"


@cases(
    {
        "a closed fence": FENCED,
        "a closed fence and prose": f"{FENCED}\nThat was all.\n",
        "prose": f"{MANY}\nThat was all.\nAnd more of it\n",
        "another hunk": f"{MANY}@@ -9 +9 @@\n-x\n+y\n",
        "another file": f"{MANY}--- a/g.c\n+++ b/g.c\n@@ -1 +1 @@\n-x\n+y\n",
        "git": f"{MANY}diff --git a/g.c b/h.c\nrename from g.c\nrename to h.c\n",
        "the signature of a mail": f"{MANY}-- \n2.39.5\n",
        "too few are counted": FENCED.replace("-1,9 +1,7", "-1 +1"),
        "one too many in a fence": FENCED.replace("-1,9 +1,7", "-1,3 +1,3"),
        "one too many before another file": MANY.replace("-1,9 +1,7", "-1,3 +1,3")
        + "--- a/g.c\n+++ b/g.c\n@@ -1 +1 @@\n-x\n+y\n",
    },
)
def test_a_hunk_that_only_counts_wrongly_lands_and_says_so(text: str) -> None:
    files = {"f.c": "a\nb\nx\n", "g.c": "x\n"}
    result = apply_edits(text, files)
    assert result.ok, result.for_model()
    assert str(result.files["f.c"]).startswith("a\nc\n")
    assert result.outcomes[0].repairs == ("counts",)
    assert not any(each.repairs for each in result.outcomes[1:])


@cases(
    {
        "the end of the text": MANY,
        "blank lines at the end": f"{MANY}\n \n\n",
        "a fence that is never closed": f"```diff\n{MANY}",
        "a line that has lost its prefix": f"{MANY}return b\n",
        "more of the hunk below a sentence": f"{MANY}\nIt is so.\n+d\n",
        "a sentence below a hunk that has some": f"{MANY}+It was so.\n\nIt is so.\n",
    },
)
def test_a_hunk_that_may_go_on_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_edits(text)


def test_a_new_file_may_be_miscounted_too() -> None:
    result = apply_edits("```diff\n--- /dev/null\n+++ b/f.c\n@@ -0,0 +1,5 @@\n+a\n```\n", {})
    assert result.files == {"f.c": "a\n"}
    assert result.outcomes[0].repairs == ("counts",)


@cases(
    {
        "of the length of the divider": "Changes\n=======\n",
        "whose underline is cut off": "Changes in 2.0\n=======\n",
    },
)
def test_a_title_that_ends_the_text_is_underlined_and_the_block_cut_off(title: str) -> None:
    with pytest.raises(InvalidInput, match="before >>>>>>> REPLACE"):
        parse_edits(f"{BLOCK}\n{title}")


@cases(
    {
        "a block before its divider": "f.c\n<<<<<<< SEARCH\na\n",
        "XML before its new text": '<edit file="f.c">\n<old>a',
        "the next edit in JSON": '{"edits": [' + JSON + ', {"file": "g", "old',
        "JSON before its new text": '{"file": "f.c", "old_text": "a", "new_te',
    },
)
def test_half_of_an_edit_is_never_taken(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_edits(text)


def test_json_that_is_wrong_is_not_called_short() -> None:
    with pytest.raises(InvalidInput, match="not JSON") as refusal:
        parse_edits("{'file': 'f.c', 'old_text': 'a', 'new_text': 'b'}", "harnesskit")
    assert "Send all" not in refusal.value.fix
