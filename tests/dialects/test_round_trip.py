"""What is written in a dialect is read again, edit for edit; so is the written form of each."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.edits import (
    END_OF_FILE,
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.errors import InvalidInput
from hkgit.text.edit_json import parse_edit, write_edit
from hkgit.text.strict_json import Node
from tests.support.notations import write
from tests.support.properties import examples

TRICKY = [
    "",
    " ",
    "a",
    "  b",
    "\tc",
    "d\r",
    "é",
    "\udcff",
    "=======",
    "=====",
    "\\=======",
    "...",
    "<<<<<<< SEARCH",
    ">>>>>>> REPLACE",
    "------- SEARCH",
    "-------",
    ":start_line:3",
    "```",
    ":empty_search:append",
    "+++++++ REPLACE",
    "--- a/x",
    "+++ b/x",
    "@@ -1 +1 @@",
    "@@",
    "*** End Patch",
    "*** End of File",
    "*** Update File: x",
    "\\ No newline at end of file",
    "</old>",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "diff --git a/x b/x",
    "-x",
    "+x",
    "-- a/y",
    "++ b/y",
    "-- ",
    "2.40",
    '{"op": 1}',
]
LINES = st.lists(st.sampled_from(TRICKY), max_size=6)
NEW_LINES = LINES.map(tuple).filter(lambda lines: "d\r" not in lines)
HASHES = st.none() | st.just("0123456789ab")
PATHS = st.sampled_from(["a.py", "src/my file.txt", "Makefile", "x-y", "ü/#1.md", "a:b=c"])


@st.composite
def text_edits(draw: st.DrawFn) -> list[AnyEdit]:
    """Edits of whole lines, as the difference of two texts gives them."""
    old, new, path = draw(LINES), draw(LINES), draw(PATHS)
    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        Edit(path, _text(old[a:b]), _text(new[c:d]))
        for kind, a, b, c, d in changes
        if kind != "equal"
    ]


def diff_edits() -> st.SearchStrategy[AnyEdit]:
    """Edits of whole files, and what else a diff says."""
    text = st.builds(lambda lines, tail: _text(lines) + tail, LINES, st.sampled_from(["", "x"]))
    lines = st.builds(_text, LINES.filter(bool))
    hints, ends = st.none() | st.integers(1, 99), st.sampled_from([None, True, False])
    return st.one_of(
        st.builds(CreateFile, PATHS, text, st.sampled_from([REGULAR, EXECUTABLE])),
        st.builds(DeleteFile, PATHS, old_text=st.none() | text.filter(bool)),
        st.builds(RenameFile, PATHS, PATHS),
        st.builds(SetMode, PATHS, st.sampled_from([REGULAR, EXECUTABLE])),
        st.builds(
            Edit,
            PATHS,
            lines,
            lines,
            line_hint=hints,
            final_newline=ends,
            heading=st.sampled_from(["", "def f():", "a @@ b", "-x,2 +y,2"]),
        ),
    )


def patch_edits() -> st.SearchStrategy[AnyEdit]:
    """Edits of whole files, and what else an apply-patch text says."""
    lines = st.builds(_text, LINES.filter(bool))
    hints = st.none() | st.integers(1, 99) | st.just(END_OF_FILE)
    anchors = st.lists(st.sampled_from(["def f():", "@@ x", "é }", "-1"]), max_size=2).map(tuple)
    return st.one_of(
        st.builds(CreateFile, PATHS, st.builds(_text, LINES)),
        st.builds(DeleteFile, PATHS),
        st.builds(RenameFile, PATHS, PATHS),
        st.builds(
            Edit,
            PATHS,
            lines,
            lines,
            line_hint=hints,
            anchors=anchors,
            heading=st.sampled_from(["", "def f():"]),
        ).filter(lambda edit: edit.line_hint != END_OF_FILE or not edit.heading),
        st.builds(Edit, PATHS, st.just(""), lines, anchors=anchors),
    )


def call_edits() -> st.SearchStrategy[AnyEdit]:
    """What the calls of edit tools say beside writing and inserting."""
    text = st.builds(lambda lines, tail: _text(lines) + tail, LINES, st.sampled_from(["", "x"]))
    count = st.none() | st.integers(1, 9)
    return st.one_of(
        st.builds(CreateFile, PATHS, text),
        st.builds(Edit, PATHS, text, text, HASHES),
        st.builds(Edit, PATHS, text, text, replace_all=st.just(True), expected_count=count),
    )


def appends() -> st.SearchStrategy[AnyEdit]:
    return st.builds(Edit, PATHS, st.just(""), st.builds(_text, LINES), at_end=st.just(True))


def writes() -> st.SearchStrategy[AnyEdit]:
    return st.builds(WriteFile, PATHS, st.builds(_text, LINES), HASHES)


def insertions() -> st.SearchStrategy[AnyEdit]:
    return st.builds(InsertAfter, PATHS, st.integers(0, 99), NEW_LINES, HASHES)


def tag_edits() -> st.SearchStrategy[AnyEdit]:
    tags, offsets = st.sampled_from(["a3", "Zz", "00"]), st.none() | st.integers(1, 99)
    lines = NEW_LINES.filter(bool)
    return st.one_of(
        st.builds(TagEdit, PATHS, tags, st.none(), lines, offsets, HASHES),
        st.builds(TagEdit, PATHS, tags, tags, st.none() | lines, offsets, HASHES),
        st.builds(TagEdit, PATHS, tags, st.none(), st.none(), offsets, HASHES),
    )


@st.composite
def range_edits(draw: st.DrawFn) -> list[AnyEdit]:
    """Edits of line ranges, as the difference of two texts gives them."""
    old, new, path = draw(LINES), draw(LINES), draw(PATHS)
    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        InsertAfter(path, a, tuple(new[c:d]))
        if kind == "insert"
        else ReplaceRange(path, a + 1, b, tuple(new[c:d]))
        for kind, a, b, c, d in changes
        if kind != "equal"
    ]


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _is_unicode(edits: list[AnyEdit]) -> bool:
    return "\udcff" not in repr(edits).replace("\\udcff", "\udcff")


SAYABLE: dict[str, Callable[[], st.SearchStrategy[list[AnyEdit]]]] = {
    "protocol": lambda: range_edits().filter(_is_unicode),
    "harnesskit": lambda: text_edits().filter(_is_unicode),
    "search-replace": lambda: st.one_of(text_edits(), st.lists(appends())),
    "unified-diff": lambda: st.one_of(text_edits(), st.lists(diff_edits())),
    "text-editor": lambda: st.one_of(
        text_edits(), st.lists(st.one_of(call_edits(), writes(), insertions()))
    ).filter(_is_unicode),
    "hashline": lambda: st.lists(st.one_of(tag_edits(), writes())).filter(_is_unicode),
    "apply-patch": lambda: st.one_of(text_edits(), st.lists(patch_edits())),
}


@pytest.mark.parametrize("name", SAYABLE)
@given(data=st.data())
@examples(50)
def test_what_is_written_reads_as_the_same_edits(name: str, data: st.DataObject) -> None:
    edits = data.draw(SAYABLE[name]().filter(bool))
    spec = dialects.parse(write(name, edits), name)
    assert spec.edits == tuple(edits)


@pytest.mark.sampled
@pytest.mark.parametrize("name", SAYABLE)
@given(data=st.data())
@examples(30)
def test_the_dialect_of_an_edit_is_seen_from_its_text(name: str, data: st.DataObject) -> None:
    [edit] = data.draw(SAYABLE[name]().filter(bool).map(lambda edits: edits[:1]))
    assert dialects.detect(write(name, [edit])) == name


@pytest.mark.sampled
@pytest.mark.parametrize("name", SAYABLE)
@given(data=st.data())
@examples(50)
def test_a_damaged_text_is_read_or_refused(name: str, data: st.DataObject) -> None:
    text = write(name, data.draw(SAYABLE[name]().filter(bool)))
    pieces = re.split(r"(?<=[\n,{}\[\]])", text)
    picked = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=3))
    for index in picked:
        pieces[index] = data.draw(st.sampled_from(["", "x", pieces[index] * 2, pieces[-1]]))
    check_read_or_refused("".join(pieces), name)


@pytest.mark.parametrize("name", dialects.DIALECTS)
@given(lines=st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=8)), max_size=12))
@examples(50)
def test_any_text_is_read_or_refused(name: str, lines: list[str]) -> None:
    check_read_or_refused("\n".join(lines), name)


def check_read_or_refused(text: str, name: str) -> None:
    """Parsing raises nothing but InvalidInput, and what it gives is written and read alike."""
    try:
        spec = dialects.parse(text, name)
    except InvalidInput:
        return
    written = [json.loads(json.dumps(write_edit(edit))) for edit in spec.edits]
    assert [repr(parse_edit(Node("edit", each))) for each in written] == [*map(repr, spec.edits)]
