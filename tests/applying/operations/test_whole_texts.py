"""Files given as one text: made, written over; and text that nobody means: marks, numbers."""

from __future__ import annotations

import json

import pytest

from hkgit import apply_edits, range_hash
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, ReplaceRange, WriteFile
from hkgit.text.document import BOM
from tests.support.cases import cases
from tests.support.planning import hash_of, in_sequence, on_base, refusal, result

TWO = b"1\n2\n"
HASH = hash_of(TWO, 1, 2)
CODE = b"a = 1\nb = 2\nc = 3\n"


@cases(
    "path, text, said",
    {
        "a marker below a new file": (
            "new.py",
            "a = 1\n>>>>>>> REPLACE\n",
            "the marker '>>>>>>> REPLACE'",
        ),
        "a fence around one": ("new.py", "```python\na = 1\n```\n", "in a fence"),
        "a marker in place of a file": (
            "old.py",
            "\n*** End Patch\n",
            "the marker '*** End Patch'",
        ),
        "a remark in place of lines": (
            "old.py",
            "a = 2\n# ... rest of the code unchanged ...\n",
            "instead of",
        ),
        "line numbers": ("old.py", "1\ta = 1\n2\tb = 3\n", "a line number"),
    },
)
def test_a_text_that_nobody_means_a_file_to_have_is_refused(
    path: str, text: str, said: str
) -> None:
    made = in_sequence({"old.py": CODE}, WriteFile(path, text))
    assert said in refusal(made)


@cases(
    "path, text",
    {
        "prose that is one fence": ("new.md", "```\na = 1\n```\n"),
        "a text about markers": (
            "new.md",
            "So:\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\nThus.\n",
        ),
        "a new table with numbers": ("new.tsv", "1\ta\n2\tb\n"),
        "a remark where no line goes": (
            "old.py",
            "a = 1\nb = 2\nc = 3\n# existing code stays as it is\n",
        ),
    },
)
def test_a_text_that_only_looks_so_is_written(path: str, text: str) -> None:
    made = in_sequence({"old.py": CODE}, WriteFile(path, text))
    assert result(made) == {path: text.encode()}


@cases(
    "before, text, after",
    {
        "as it is given": (b"1\n", "x\ny", b"x\ny"),
        "in a CRLF file with CRLF": (b"1\r\n2\r\n", "x\ny\n", b"x\r\ny\r\n"),
        "unless it has its own": (b"1\r\n2\r\n", "x\r\ny\n", b"x\r\ny\n"),
        "in a mixed file as it is": (b"1\r\n2\n", "x\n", b"x\n"),
        "behind the byte order mark": (BOM + b"1\n", "x\n", BOM + b"x\n"),
        "which is not doubled": (BOM + b"1\n", "\ufeffx\n", BOM + b"x\n"),
        "with a new byte order mark": (b"1\n", "\ufeffx\n", BOM + b"x\n"),
        "emptied": (b"1\n", "", b""),
        "filled": (b"", "x\n", b"x\n"),
    },
)
def test_a_file_is_written_over(before: bytes, text: str, after: bytes) -> None:
    assert result(in_sequence({"f": before}, WriteFile("f", text))) == {"f": after}


@cases(
    "edits, said",
    {
        "then edited": (
            [WriteFile("f", "x"), ReplaceRange("f", 1, 1, ("y",))],
            "invalid: f: overlaps",
        ),
        "then added to": (
            [WriteFile("f", "x"), InsertAfter("f", 2, ("y",))],
            "invalid: f: overlaps",
        ),
        "after it was added to": (
            [InsertAfter("f", 0, ("y",)), WriteFile("f", "x")],
            "invalid: f: overlaps",
        ),
        "twice": ([WriteFile("f", "x"), WriteFile("f", "y")], "invalid: f: overlaps"),
    },
)
def test_a_file_written_over_has_no_lines_of_the_base_to_edit(
    edits: list[AnyEdit], said: str
) -> None:
    assert refusal(on_base({"f": TWO}, *edits)).startswith(said)


@cases(
    "edit",
    {
        "written": WriteFile("f", "x\n"),
        "by an empty old text": Edit("f", "", "x\n"),
        "created": CreateFile("f", "x\n"),
    },
)
def test_an_absent_file_is_made(edit: AnyEdit) -> None:
    assert result(in_sequence({}, edit)) == {"f": b"x\n"}


@cases(
    "edit",
    {"written": WriteFile("f", "x\n", HASH), "by an empty old text": Edit("f", "", "x\n", HASH)},
)
def test_an_absent_file_of_which_a_hash_was_expected_is_stale(edit: AnyEdit) -> None:
    assert refusal(in_sequence({}, edit)).startswith("stale: f: there is no such file")


def test_an_empty_old_text_fills_an_empty_file() -> None:
    assert result(in_sequence({"f": b""}, Edit("f", "", "x\ny"))) == {"f": b"x\ny"}


def test_an_empty_old_text_is_refused_in_a_file_with_text() -> None:
    said = refusal(in_sequence({"f": TWO}, Edit("f", "", "x\n")))
    assert said.startswith("invalid: f: the old text is empty, but the file exists")


def test_the_refusal_of_an_empty_search_names_the_option_that_appends() -> None:
    block = "f.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
    refused = apply_edits(block, {"f.py": "a\n"})
    assert "--empty-search append" in refused.for_model()
    assert apply_edits(block, {"f.py": "a\n"}, empty_search="append").files == {"f.py": "a\nx\n"}
    other = apply_edits([Edit("f.py", "", "x\n")], {"f.py": "a\n"})
    assert "--empty-search" not in other.for_model()


MARKS = [
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
    "+++++++ REPLACE",
    "<<<<<<< HEAD",
    "*** Begin Patch",
    "*** End Patch",
    "@@ -1 +1 @@",
]
TEXT = "a\nb\n"


@pytest.mark.parametrize("mark", MARKS)
def test_the_protocol_writes_any_text(mark: str) -> None:
    operation = {
        "op": "replace_range",
        "path": "f",
        "start_line": 1,
        "end_line": 1,
        "expected_hash": range_hash("a\n"),
        "new_text": f"{mark}\n",
    }
    text = json.dumps({"version": "1", "operations": [operation]})
    assert apply_edits(text, {"f": TEXT}).files == {"f": f"{mark}\nb\n"}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("keys", [("old_text", "new_text"), ("old_string", "new_string")])
def test_other_json_writes_them_within_a_text(mark: str, keys: tuple[str, str]) -> None:
    name = "file" if keys[0] == "old_text" else "file_path"
    edit = {name: "f", keys[0]: "a\n", keys[1]: f"x\n{mark}\ny\n"}
    result = apply_edits(json.dumps(edit), {"f": TEXT})
    assert result.files == {"f": f"x\n{mark}\ny\nb\n"}, result.for_model()


@pytest.mark.parametrize("mark", [*MARKS[:3], "*** End Patch"])
def test_what_leaks_at_its_end_is_refused(mark: str) -> None:
    edit = {"file": "f", "old_text": "a\n", "new_text": f"x\n{mark}\n"}
    [outcome] = apply_edits(json.dumps(edit), {"f": TEXT}).outcomes
    assert outcome.status == "invalid"
    assert mark in str(outcome.error)


@pytest.mark.parametrize("mark", ["*** Update File: g", "*** End of File", "@@ -1,2 +1,2 @@"])
def test_a_patch_writes_none_of_its_own(mark: str) -> None:
    text = f"*** Begin Patch\n*** Update File: f\n@@\n-a\n+x\n+{mark}\n*** End Patch\n"
    [outcome] = apply_edits(text, {"f": TEXT}).outcomes
    assert outcome.status == "invalid"
    there = {"f": f"{mark}\na\n"}
    assert apply_edits(text, there).files == {"f": f"{mark}\nx\n{mark}\n"}


def test_a_new_file_may_be_about_marks_but_not_end_with_one() -> None:
    lines = "+So:\n+*** Begin Patch\n+Thus.\n"
    text = f"*** Begin Patch\n*** Add File: n.md\n{lines}*** End Patch\n"
    assert apply_edits(text, {}).files == {"n.md": "So:\n*** Begin Patch\nThus.\n"}
    [outcome] = apply_edits(text.replace("+Thus.\n", ""), {}).outcomes
    assert outcome.status == "invalid"


HINTED = "f.py\n<<<<<<< SEARCH\na\n=======\n:start_line:5\n-------\nx\n>>>>>>> REPLACE\n"


def test_no_correction_makes_text_of_a_mark() -> None:
    misquoted = HINTED.replace("\na\n", "\nalpha beta gama\n")
    [outcome] = apply_edits(misquoted, {"f.py": "alpha beta gamma\nb\n"}).outcomes
    assert outcome.status == "no_match"
    assert outcome.corrected is None
