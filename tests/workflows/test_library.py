"""hkgit as a library (contract, section 11)."""

import pydoc
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import hkgit
from hkgit import Edit, apply_edits, parse_edits, range_hash, read_range
from hkgit.edits import CreateFile, DeleteFile, InsertAfter, RenameFile, ReplaceRange
from hkgit.errors import InvalidInput
from tests.support.cases import cases

GOOD = Edit(path="a.py", old_text="x = 1", new_text="x = 2", expected_hash=None)
BAD = Edit(path="a.py", old_text="nowhere at all", new_text="x")


@cases(
    {
        "text": ({"a.py": "x = 1\n"}, [GOOD], {"a.py": "x = 2\n"}),
        "bytes": ({"a.py": b"x = 1\n"}, [GOOD], {"a.py": b"x = 2\n"}),
        "each its own": ({"a.py": "x = 1\n", "b": b""}, [GOOD], {"a.py": "x = 2\n"}),
        "changed paths only": ({"a.py": "x = 1\n", "b": "y"}, [GOOD], {"a.py": "x = 2\n"}),
        "odd bytes": ({"a.py": b"x = 1\n\xff"}, [GOOD], {"a.py": b"x = 2\n\xff"}),
        "a new file": ({}, [CreateFile("b", "y")], {"b": "y"}),
        "among bytes": ({"a": b""}, [CreateFile("b", "y")], {"b": b"y"}),
        "among both": ({"a": "", "c": b""}, [CreateFile("b", "y")], {"b": "y"}),
        "a deleted file": ({"a": "x"}, [DeleteFile("a")], {"a": None}),
        "a renamed file keeps its type": (
            {"a": b"x", "c": ""},
            [RenameFile("a", "b")],
            {"a": None, "b": b"x"},
        ),
        "line numbers speak of what was given": (
            {"a": "1\n2\n"},
            [InsertAfter("a", 1, ("x",)), ReplaceRange("a", 2, 2, ())],
            {"a": "1\nx\n"},
        ),
        "texts of what the edit before left": (
            {"a": "1\n"},
            [Edit("a", "1", "2"), Edit("a", "2", "3")],
            {"a": "3\n"},
        ),
        "no edits": ({"a": "1"}, [], {}),
    },
)
def test_a_mapping_gives_the_changed_files_in_its_own_type_and_is_never_changed(
    root: Mapping[str, str | bytes],
    edits: list[hkgit.edits.AnyEdit],
    files: dict[str, str | bytes | None],
) -> None:
    before = dict(root)
    result = apply_edits(edits, root)
    assert result.ok is True
    assert result.files == files
    assert root == before


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\n")
    return tmp_path


@pytest.mark.parametrize("kind", [Path, str])
def test_a_directory_is_written_unless_it_is_a_dry_run(
    directory: Path, kind: type[Path] | type[str]
) -> None:
    edits = (Edit(f"{directory}/a.py", "x = 1", "x = 2"), CreateFile("d/b", "y"))
    for dry_run, text in ((True, b"x = 1\r\n"), (False, b"x = 2\r\n")):
        result = apply_edits(edits, kind(directory), dry_run=dry_run)
        assert (directory / "a.py").read_bytes() == text
        assert (directory / "d/b").exists() is not dry_run
        assert result.files == {"a.py": b"x = 2\r\n", "d/b": b"y"}


def test_one_refusal_and_nothing_is_written(directory: Path) -> None:
    result = apply_edits([GOOD, BAD], directory)
    assert (directory / "a.py").read_bytes() == b"x = 1\r\n"
    assert (result.ok, result.files) == (False, {})
    assert [outcome.status for outcome in result.outcomes] == ["applied", "no_match"]
    said = result.for_model()
    assert said.startswith("Nothing was applied.\nedit 2: a.py: the old text is not in the file")


def test_the_outcome_of_an_edit() -> None:
    result = apply_edits([GOOD], {"a.py": "x = 1\n"})
    [outcome] = result.outcomes
    assert outcome.tier == "exact"
    assert outcome.similarity == 1.0
    assert outcome.matched_text == "x = 1"
    assert outcome.hint == ""
    assert outcome.diff.endswith("@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n")
    assert result.for_model() == ""


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", ".git/config", "way-out/x", ".hkgit/x"])
def test_no_path_leads_out_of_the_directory(directory: Path, path: str) -> None:
    (directory / "way-out").symlink_to("..")
    [outcome] = apply_edits([CreateFile(path, "x")], directory).outcomes
    assert outcome.status == "invalid"


@pytest.mark.parametrize(("threshold", "status"), [(0.8, "applied"), (1, "no_match")])
def test_the_threshold_bounds_what_a_fuzzy_match_may_be(threshold: float, status: str) -> None:
    loop = "    for item in items:\n        total += item\n    return total\n"
    old = loop.replace("in items", "in itens")
    edit = Edit("a", old, old.replace("return total", "return -total"))
    [outcome] = apply_edits([edit], {"a": loop}, threshold=threshold).outcomes
    assert outcome.status == status


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_from_0_to_1(threshold: float) -> None:
    with pytest.raises(InvalidInput, match="threshold"):
        apply_edits([], {}, threshold=threshold)


def test_a_spec_is_parsed_to_edits_or_applied_as_it_is() -> None:
    text = '{"file": "a.py", "old_text": "x = 1", "new_text": "x = 2"}'
    assert parse_edits(text) == [Edit("a.py", "x = 1", "x = 2")]
    assert apply_edits(text, {"a.py": "x = 1\n"}, "harnesskit").files == {"a.py": "x = 2\n"}
    with pytest.raises(InvalidInput):
        parse_edits("{not json", format="harnesskit")


@cases(
    {
        "all": ("a\nb\n", 1, None, ("a", "b")),
        "one of bytes": (b"a\r\nb", 2, 2, ("b",)),
        "clamped": ("a\nb\n", 2, 9, ("b",)),
        "of nothing": ("", 1, None, ()),
    },
)
def test_lines_are_read_with_their_hash(
    content: str | bytes, start: int, end: int | None, lines: tuple[str, ...]
) -> None:
    found = read_range(content, start, end)
    text = "".join(f"{line}\n" for line in lines)
    assert found.range_lines == lines
    assert found.range_hash == range_hash(text)


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    assert read_range(tmp_path / "a", 1, 1) == read_range("one\ntwo\n", 1, 1)


def test_text_and_its_bytes_have_one_hash() -> None:
    assert range_hash("é\nb\n", 1, 1) == range_hash("é\r\nb".encode(), 1, 1)


def test_a_read_that_begins_past_the_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the file has 1 line"):
        read_range("a\n", 3)


WITHOUT = """
import sys
sys.modules["click"] = sys.modules["pygit2"] = None
import hkgit
edit = hkgit.Edit(path="a", old_text="x", new_text="y")
result = hkgit.apply_edits([edit], {"a": "x\\n"})
assert result.files == {"a": "y\\n"}, result
spec = '{"file": "a", "old_text": "x", "new_text": "y"}'
assert hkgit.parse_edits(spec) == [edit]
"""


def test_the_library_needs_neither_click_nor_pygit2() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_all_that_is_public_is_listed_and_there() -> None:
    assert {*hkgit.__all__} <= {*dir(hkgit)}
    assert [name for name in hkgit.__all__ if getattr(hkgit, name, None) is None] == []
    said = pydoc.plain(pydoc.render_doc(hkgit))
    edits = ("Edit", "ReplaceRange", "InsertAfter", "TagEdit", "CreateFile", "WriteFile")
    more = ("DeleteFile", "RenameFile", "SetMode", "EditResult", "ReflectionResult", "Stale")
    for name in (*edits, *more, "HkgitError", "Ambiguous"):
        assert isinstance(getattr(hkgit, name), type)
        assert f"class {name}" in said
    assert all(name in said for name in ("apply_edits", "line_hash"))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hkgit.nothing


def test_what_a_spec_says_of_its_order_is_kept() -> None:
    edits = parse_edits("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    assert edits.sequential is False
    assert edits.dialect == "unified-diff"


@cases(
    {
        "a dict": ([{"file": "a"}], {}, "edit 1: expected an edit, found dict"),
        "alone": ({"file": "a"}, {}, "edits: expected a text, a Spec or a list"),
        "no list": (GOOD, {}, "expected a list of edits, found Edit"),
        "a path as new text": (
            [Edit("a", "x", Path("b"))],  # type: ignore[arg-type]
            {},
            "new_text: expected a string",
        ),
        "a path as content": ([GOOD], {"a.py": Path("a.py")}, "expected the content of a file"),
        "no root": ([GOOD], None, "root: expected a directory or a mapping"),
    },
)
def test_what_is_given_by_mistake_is_named(edits: Any, root: Any, said: str) -> None:
    with pytest.raises(hkgit.WrongArgument) as refusal:
        apply_edits(edits, root)
    assert said in str(refusal.value)
    assert isinstance(refusal.value, TypeError | InvalidInput)


def test_a_directory_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no such directory"):
        apply_edits([CreateFile("b", "y")], tmp_path / "gone")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("call", [read_range, parse_edits])
def test_the_name_of_a_file_is_not_its_content(
    directory: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[str], object]
) -> None:
    monkeypatch.chdir(directory)
    with pytest.raises(hkgit.WrongArgument, match=r"found str 'a\.py'"):
        call("a.py")
    with pytest.raises(hkgit.WrongArgument):
        range_hash(Path("a.py"))  # type: ignore[arg-type]


def test_the_options_of_the_command_line_are_keywords() -> None:
    with pytest.raises(TypeError, match="Options are keywords"):
        apply_edits([GOOD], {}, 0.9)
    stale = apply_edits([GOOD], {"a.py": "x = 1\n"}, expect=[f"a.py={'0' * 64}"])
    assert stale.outcomes[0].status == "stale"
