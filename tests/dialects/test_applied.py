"""A real difference, rendered in a dialect, read again and applied, gives the new file."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.applying.planner import plan
from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    MappingSnapshot,
    ReplaceRange,
    TagEdit,
)
from hkgit.text.hashes import compute_tag, compute_tags
from tests.support.cases import cases
from tests.support.notations import write
from tests.support.properties import examples

LINES = [f"    name_{i} = value_{i}({i * i})" for i in range(40)]
SHOWN = [
    line for line, name in zip(LINES, compute_tags(map(str.encode, LINES)), strict=True) if name
]
OLD, NEW = SHOWN[8:], SHOWN[:8]
PATH = "src/app.py"

Lines = list[str]


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


def hunks(old: Lines, new: Lines) -> Iterator[AnyEdit]:
    """With three lines of context, as diffs have them."""
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        yield Edit(PATH, text(old[a:b]), text(new[c:d]))


def ranges(old: Lines, new: Lines) -> Iterator[AnyEdit]:
    for kind, a, b, c, d in opcodes(old, new):
        if kind == "insert":
            yield InsertAfter(PATH, a, tuple(new[c:d]))
        else:
            yield ReplaceRange(PATH, a + 1, b, tuple(new[c:d]))


def calls(old: Lines, new: Lines) -> Iterator[AnyEdit]:
    """From below upwards, because each call speaks of what the ones before it left."""
    for kind, a, b, c, d in reversed(opcodes(old, new)):
        if kind == "insert":
            yield InsertAfter(PATH, a, tuple(new[c:d]))
        else:
            yield Edit(PATH, text(old[a:b]), text(new[c:d]))


def tagged(old: Lines, new: Lines) -> Iterator[AnyEdit]:
    names = [compute_tag(line.encode()) for line in old]
    for kind, a, b, c, d in opcodes(old, new):
        if kind == "insert" and a == len(old):
            yield TagEdit(PATH, names[-1], names[-1], (old[-1], *new[c:d]))
        elif kind == "insert":
            yield TagEdit(PATH, names[a], None, tuple(new[c:d]))
        else:
            yield TagEdit(PATH, names[a], names[b - 1], tuple(new[c:d]) or None)


def opcodes(old: Lines, new: Lines) -> list[tuple[str, int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal"]


def text(lines: Lines) -> str:
    return "".join(f"{line}\n" for line in lines)


WRITERS: dict[str, Callable[[Lines, Lines], Iterator[AnyEdit]]] = {
    "protocol": ranges,
    "unified-diff": hunks,
    "apply-patch": hunks,
    "text-editor": calls,
    "hashline": tagged,
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
    spec = dialects.parse(write(name, list(WRITERS[name](*change))))
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
    spec = dialects.parse(write(name, list(WRITERS[name](*change))))
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


@cases(
    "old, new, final_newline",
    {"added": (b"a\nb", b"a\nc\n", True), "taken away": (b"a\nb\n", b"a\nc", False)},
)
def test_a_diff_changes_the_end_of_the_last_line(
    old: bytes, new: bytes, final_newline: bool
) -> None:
    edit = Edit(PATH, "a\nb\n", "a\nc\n", final_newline=final_newline)
    spec = dialects.parse(write("unified-diff", [edit]))
    [file] = plan(spec, MappingSnapshot({PATH: File(old)})).files
    assert file.after == File(new)
