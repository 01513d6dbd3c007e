"""New text that nobody means a file to have: marks of a notation, fences, remarks, numbers."""

import json

import pytest

from hkgit import apply_edits, range_hash
from hkgit.edits import WriteFile
from tests.support.cases import cases
from tests.support.planning import in_sequence, refusal, result

CODE = b"a = 1\nb = 2\nc = 3\n"


@cases(
    {
        "a marker below a new file": ("new.py", "a = 1\n>>>>>>> REPLACE\n", "'>>>>>>> REPLACE'"),
        "a fence around one": ("new.py", "```python\na = 1\n```\n", "in a fence"),
        "a marker in place of a file": ("old.py", "\n*** End Patch\n", "'*** End Patch'"),
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
    assert said in refusal(in_sequence({"old.py": CODE}, WriteFile(path, text)))


BLOCK = "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n"


@cases(
    {
        "prose that is one fence": ("new.md", "```\na = 1\n```\n"),
        "a text about markers": ("new.md", f"So:\n{BLOCK}Thus.\n"),
        "a new table with numbers": ("new.tsv", "1\ta\n2\tb\n"),
        "a remark below": ("old.py", f"{CODE.decode()}# existing code stays as it is\n"),
    },
)
def test_a_text_that_only_looks_so_is_written(path: str, text: str) -> None:
    assert result(in_sequence({"old.py": CODE}, WriteFile(path, text))) == {path: text.encode()}


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
    assert apply_edits(text, {"f": TEXT}).outcomes[0].status == "invalid"
    there = {"f": f"{mark}\na\n"}
    assert apply_edits(text, there).files == {"f": f"{mark}\nx\n{mark}\n"}


def test_a_new_file_may_be_about_marks_but_not_end_with_one() -> None:
    lines = "+So:\n+*** Begin Patch\n+Thus.\n"
    text = f"*** Begin Patch\n*** Add File: n.md\n{lines}*** End Patch\n"
    assert apply_edits(text, {}).files == {"n.md": "So:\n*** Begin Patch\nThus.\n"}
    [outcome] = apply_edits(text.replace("+Thus.\n", ""), {}).outcomes
    assert outcome.status == "invalid"


def test_no_correction_makes_text_of_a_mark() -> None:
    text = BLOCK.replace("\na\n", "\nalpha beta gama\n").replace(
        "=\n>", "=\n:start_line:5\n-------\nx\n>"
    )
    [outcome] = apply_edits(f"f.py\n{text}", {"f.py": "alpha beta gamma\nb\n"}).outcomes
    assert outcome.status == "no_match"
    assert outcome.corrected is None
