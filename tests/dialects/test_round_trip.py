"""What is written in a dialect is read again, edit for edit, and applied gives the new file."""

import difflib
import json
import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.applying.planner import plan
from hkgit.edits import (
    END_OF_FILE,
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    MappingSnapshot,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.errors import InvalidInput
from hkgit.text.edit_json import parse_edit, write_edit
from hkgit.text.hashes import compute_tag, compute_tags
from hkgit.text.strict_json import Node
from tests.support.cases import cases
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
Lines = list[str]
LINES = st.lists(st.sampled_from(TRICKY), max_size=6)
NEW_LINES = LINES.map(tuple).filter(lambda lines: "d\r" not in lines)
HASHES = st.none() | st.just("0123456789ab")
PATHS = st.sampled_from(["a.py", "src/my file.txt", "Makefile", "x-y", "ü/#1.md", "a:b=c"])


def compare(old: Lines, new: Lines) -> list[tuple[str, int, int, int, int]]:
    """List the changes between two texts: their kind, and the lines of either side."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal"]


def quote(path: str, old: Lines, new: Lines) -> list[AnyEdit]:
    """Write a difference as edits of quoted lines."""
    return [Edit(path, join(old[a:b]), join(new[c:d])) for _, a, b, c, d in compare(old, new)]


def quote_hunks(path: str, old: Lines, new: Lines) -> list[AnyEdit]:
    """With three lines of context, as diffs have them."""
    groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3)
    return [
        Edit(path, join(old[group[0][1] : group[-1][2]]), join(new[group[0][3] : group[-1][4]]))
        for group in groups
    ]


def number(path: str, old: Lines, new: Lines) -> list[AnyEdit]:
    """Write a difference as edits of line ranges."""
    return [
        InsertAfter(path, a, tuple(new[c:d]))
        if kind == "insert"
        else ReplaceRange(path, a + 1, b, tuple(new[c:d]))
        for kind, a, b, c, d in compare(old, new)
    ]


def call(path: str, old: Lines, new: Lines) -> list[AnyEdit]:
    """From below upwards, because each call speaks of what the ones before it left."""
    return [
        InsertAfter(path, a, tuple(new[c:d]))
        if kind == "insert"
        else Edit(path, join(old[a:b]), join(new[c:d]))
        for kind, a, b, c, d in reversed(compare(old, new))
    ]


def tag(path: str, old: Lines, new: Lines) -> list[AnyEdit]:
    """Write a difference as edits of lines that are named by their tags."""
    names = [compute_tag(line.encode()) for line in old]
    return [
        TagEdit(path, names[a], names[b - 1], tuple(new[c:d]) or None)
        if kind != "insert"
        else TagEdit(path, names[a], None, tuple(new[c:d]))
        if a < len(old)
        else TagEdit(path, names[-1], names[-1], (old[-1], *new[c:d]))
        for kind, a, b, c, d in compare(old, new)
    ]


def join(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)


Writer = Callable[[str, Lines, Lines], list[AnyEdit]]


def differences(write: Writer) -> st.SearchStrategy[list[AnyEdit]]:
    return st.builds(write, PATHS, LINES, LINES)


def diff_edits() -> st.SearchStrategy[AnyEdit]:
    """Edits of whole files, and what else a diff says."""
    text = st.builds(lambda lines, tail: join(lines) + tail, LINES, st.sampled_from(["", "x"]))
    lines = st.builds(join, LINES.filter(bool))
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
    lines = st.builds(join, LINES.filter(bool))
    hints = st.none() | st.integers(1, 99) | st.just(END_OF_FILE)
    anchors = st.lists(st.sampled_from(["def f():", "@@ x", "é }", "-1"]), max_size=2).map(tuple)
    return st.one_of(
        st.builds(CreateFile, PATHS, st.builds(join, LINES)),
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
    text = st.builds(lambda lines, tail: join(lines) + tail, LINES, st.sampled_from(["", "x"]))
    count = st.none() | st.integers(1, 9)
    return st.one_of(
        st.builds(CreateFile, PATHS, text),
        st.builds(Edit, PATHS, text, text, HASHES),
        st.builds(Edit, PATHS, text, text, replace_all=st.just(True), expected_count=count),
    )


def appends() -> st.SearchStrategy[AnyEdit]:
    return st.builds(Edit, PATHS, st.just(""), st.builds(join, LINES), at_end=st.just(True))


def writes() -> st.SearchStrategy[AnyEdit]:
    return st.builds(WriteFile, PATHS, st.builds(join, LINES), HASHES)


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


def _is_unicode(edits: list[AnyEdit]) -> bool:
    return "\udcff" not in repr(edits).replace("\\udcff", "\udcff")


SAYABLE: dict[str, Callable[[], st.SearchStrategy[list[AnyEdit]]]] = {
    "protocol": lambda: differences(number).filter(_is_unicode),
    "harnesskit": lambda: differences(quote).filter(_is_unicode),
    "search-replace": lambda: st.one_of(differences(quote), st.lists(appends())),
    "unified-diff": lambda: st.one_of(differences(quote), st.lists(diff_edits())),
    "text-editor": lambda: st.one_of(
        differences(quote), st.lists(st.one_of(call_edits(), writes(), insertions()))
    ).filter(_is_unicode),
    "hashline": lambda: st.lists(st.one_of(tag_edits(), writes())).filter(_is_unicode),
    "apply-patch": lambda: st.one_of(differences(quote), st.lists(patch_edits())),
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
def test_the_dialect_of_an_edit_is_seen_from_itsjoin(name: str, data: st.DataObject) -> None:
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


NAMED = [f"    name_{i} = value_{i}({i * i})" for i in range(40)]
SHOWN = [
    line for line, name in zip(NAMED, compute_tags(map(str.encode, NAMED)), strict=True) if name
]
OLD, NEW = SHOWN[8:], SHOWN[:8]
PATH = "src/app.py"


@st.composite
def changes(draw: st.DrawFn) -> tuple[Lines, Lines]:
    """The lines of a file before and after."""
    old = draw(st.lists(st.sampled_from(OLD), min_size=1, max_size=20, unique=True))
    new, fresh = list(old), list(NEW)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(new)))
        end = draw(st.integers(start, min(start + 3, len(new))))
        count = draw(st.integers(0, 2))
        new[start:end], fresh = fresh[:count], fresh[count:]
    assume(new != old and new)
    return old, new


WRITERS: dict[str, Writer] = {
    "protocol": number,
    "unified-diff": quote_hunks,
    "apply-patch": quote_hunks,
    "text-editor": call,
    "hashline": tag,
}
"""Of dialects whose edits mean their place in one way, one is enough."""


@pytest.mark.parametrize("name", WRITERS)
@given(change=changes(), line_end=st.sampled_from(["\n", "\r\n"]), ends=st.booleans())
@examples(40)
def test_a_rendered_difference_gives_the_new_file(
    name: str, change: tuple[Lines, Lines], line_end: str, ends: bool
) -> None:
    # A file of one line without an end does not say which ends it would have.
    assume(ends or line_end == "\n" or len(change[0]) > 1)
    old, new = ((line_end.join(lines) + line_end * ends).encode() for lines in change)
    spec = dialects.parse(write(name, WRITERS[name](PATH, *change)))
    made = plan(spec, MappingSnapshot({PATH: File(old)}))
    assert [outcome.status for outcome in made.outcomes] == ["applied"] * len(spec.edits)
    assert [file.after and file.after.data for file in made.files] == [new]


@pytest.mark.sampled
@pytest.mark.parametrize("name", WRITERS)
@given(change=changes(), data=st.data())
@examples(40)
def test_in_a_file_with_mixed_line_ends_each_kept_line_has_its_own(
    name: str, change: tuple[Lines, Lines], data: st.DataObject
) -> None:
    count = len(change[0])
    drawn = st.lists(st.sampled_from(["\n", "\r\n"]), min_size=count, max_size=count)
    ends = dict(zip(change[0], data.draw(drawn, label="ends"), strict=True))
    old = "".join(map(str.__add__, ends, ends.values())).encode()
    spec = dialects.parse(write(name, WRITERS[name](PATH, *change)))
    [made] = plan(spec, MappingSnapshot({PATH: File(old)})).files
    assert made.after is not None
    raw = made.after.data.decode().splitlines(keepends=True)
    assert [line.rstrip("\r\n") for line in raw] == change[1]
    kept = [line for line in raw if line.rstrip("\r\n") in ends]
    assert kept == [text + ends[text] for text in change[1] if text in ends]


@pytest.mark.parametrize("name", ["protocol", "unified-diff", "apply-patch"])
def test_files_come_and_go(name: str) -> None:
    edits: list[AnyEdit] = [CreateFile("new.py", "a\n"), DeleteFile(PATH)]
    spec = dialects.parse(write(name, edits))
    made = plan(spec, MappingSnapshot({PATH: File(b"x\n")}))
    assert {file.name: file.after for file in made.files} == {PATH: None, "new.py": File(b"a\n")}


@cases({"added": (b"a\nb", b"a\nc\n", True), "taken away": (b"a\nb\n", b"a\nc", False)})
def test_a_diff_changes_the_end_of_the_last_line(
    old: bytes, new: bytes, final_newline: bool
) -> None:
    edit = Edit(PATH, "a\nb\n", "a\nc\n", final_newline=final_newline)
    spec = dialects.parse(write("unified-diff", [edit]))
    [file] = plan(spec, MappingSnapshot({PATH: File(old)})).files
    assert file.after == File(new)
