"""An entry whose files are not here is held to what its own edits say, and to nothing else."""

from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.applying.file_diff import render_diff
from hkgit.applying.planner import plan
from hkgit.dialects import parse
from hkgit.edits import MappingSnapshot, Spec, TagEdit, WriteFile
from hkgit.errors import HkgitError
from hkgit.evidence.anchors import HunkNotPlaced, anchor_hunks
from hkgit.evidence.derivation import derive
from hkgit.evidence.entry import Entry, RecordedHunk
from hkgit.evidence.recomputation import find_unrequested
from hkgit.text.document import Document, hash_lines
from hkgit.text.hashes import compute_tags
from hkgit.values import replace
from tests.support.entries import recorded
from tests.support.notations import write
from tests.support.planning import SOURCE, protocol, replace_range, snapshot
from tests.support.properties import examples

LINES = SOURCE.decode().splitlines()[:120]
NEW = ["pass", "    return True", "", "x = 1", "    raise ValueError(x)"]
F = "f.py"


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def quoting(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    old = "\n".join(home[first - 1 : last])
    written = "".join(f"{line}\n" for line in new)
    return parse(f"{F}\n<<<<<<< SEARCH\n{old}\n=======\n{written}>>>>>>> REPLACE\n")


def naming(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    return protocol(replace_range(F, text(home), first, last, "\n".join(new)))


def writing(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    whole = text([*home[: first - 1], *new, *home[last:]]).decode()
    return parse(write("hashline", [WriteFile(F, whole)]))


def patching(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    made = plan(naming(home, first, last, new), snapshot({F: text(home)}))
    return parse("".join(map(render_diff, made.files)))


def tagging(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    tags = compute_tags([line.encode() for line in home])
    start, stop = tags[first - 1], tags[last - 1]
    assume(start is not None and stop is not None)
    edit = TagEdit(F, start or "", stop, new_lines=tuple(new) or None, offset=first)
    return parse(write("hashline", [edit]))


def heading(home: list[str], first: int, last: int, new: list[str]) -> Spec:
    """A patch whose place is told by the line that opens its block, far above."""
    above = next((line for line in home[first - 2 :: -1] if line[:1].isalpha()), None)
    assume(above is not None and home.count(above) == 1)
    hunk = [*(f"-{line}" for line in home[first - 1 : last]), *(f"+{line}" for line in new)]
    body = "\n".join(hunk)
    return parse(f"*** Begin Patch\n*** Update File: {F}\n@@ {above}\n{body}\n*** End Patch\n")


WAYS = [quoting, naming, writing, patching, tagging, heading]


@st.composite
def entries(draw: st.DrawFn) -> tuple[Entry, bytes]:
    """An honest entry, and what its file has become meanwhile."""
    home = LINES[draw(st.integers(0, 20)) : draw(st.integers(70, 120))]
    first = draw(st.integers(8, len(home) - 24))
    last = draw(st.integers(first, first + 7))
    new = list(home[first - 1 : last])
    for at in draw(st.lists(st.integers(0, last - first), min_size=1, max_size=3)):
        new[at : at + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(NEW), max_size=2))
    say = draw(st.sampled_from(WAYS))
    try:
        spec = say(home, first, last, new)
    except HkgitError:
        assume(False)
        raise
    made = plan(spec, snapshot({F: text(home)}))
    assume(made.ok and made.files)
    entry = recorded(spec, made)
    moved = [*home]
    for at in draw(st.lists(st.integers(0, len(home) - 1), max_size=4)):
        if at not in range(first - 5, last + 4):
            moved[at] = "changed"
    above = ["# new"] * draw(st.integers(0, 4))
    below = ["# below"] * draw(st.integers(0, 3))
    return entry, text([*above, *moved, *below])


def here(data: bytes) -> MappingSnapshot:
    return snapshot({F: data})


@examples(300)
@given(entries())
def test_an_honest_entry_holds_wherever_its_hunks_do(made: tuple[Entry, bytes]) -> None:
    entry, data = made
    derived = derive(entry, here(data))
    assume(derived.has_moved and not derived.findings)
    assert find_unrequested(entry, here(data)) == []


def without_a_line(hunk: RecordedHunk) -> RecordedHunk:
    return replace(hunk, new_text="".join(hunk.new_text.splitlines(keepends=True)[:-1]))


def with_a_line_twice(hunk: RecordedHunk) -> RecordedHunk:
    lines = hunk.new_text.splitlines(keepends=True)
    return replace(hunk, new_text="".join([*lines[:1], *lines]))


def turned_round(hunk: RecordedHunk) -> RecordedHunk:
    return replace(hunk, new_text="".join(hunk.new_text.splitlines(keepends=True)[::-1]))


def one_line_longer(hunk: RecordedHunk) -> RecordedHunk:
    """It also takes away the line below."""
    return replace(hunk, end_line=hunk.end_line + 1, after=hunk.after[1:])


@examples(300)
@given(
    entries(),
    st.sampled_from([without_a_line, with_a_line_twice, turned_round, one_line_longer]),
    st.data(),
)
def test_a_hunk_that_does_another_thing_is_found(
    made: tuple[Entry, bytes],
    falsify: Callable[[RecordedHunk], RecordedHunk],
    data: st.DataObject,
) -> None:
    entry, now = made
    [file] = entry.files
    at = data.draw(st.integers(0, len(file.hunks) - 1))
    hunk = file.hunks[at]
    try:
        place = anchor_hunks(now, file.hunks)[at]
    except HunkNotPlaced:
        assume(False)
        raise
    forged = falsify(hunk)
    assume((forged.end_line, forged.new_text) != (hunk.end_line, hunk.new_text))
    lines = Document(now).lines[place.start_line - 1 :][: forged.end_line - forged.start_line + 1]
    new = Document(forged.new_text.encode()).lines
    forged = replace(forged, old_hash=hash_lines(lines), new_hash=hash_lines(new))
    hunks = (*file.hunks[:at], forged, *file.hunks[at + 1 :])
    false = replace(entry, files=(replace(file, hunks=hunks),))
    derived = derive(false, here(now))
    assume(derived.has_moved)
    assume(all(finding.rule == "coverage" for finding in derived.findings))
    assert [finding.rule for finding in find_unrequested(false, here(now))] == ["decoy"]
