"""Files that are given as one text: what nobody means to write, what is written over or made."""

from __future__ import annotations

from hkgit import apply_edits
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
