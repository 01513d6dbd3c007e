"""Properties: whatever applies is derived and recomputed from its entry alone."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.applying.outcome import files_after
from hkgit.applying.planner import plan
from hkgit.edits import (
    EXECUTABLE,
    AnyEdit,
    CreateFile,
    DeleteFile,
    File,
    MappingSnapshot,
    RenameFile,
    ReplaceRange,
    SetMode,
    Spec,
    WriteFile,
)
from hkgit.evidence.derivation import derive
from hkgit.evidence.recomputation import recompute
from hkgit.text.document import BOM, Document
from tests.support.entries import recorded
from tests.support.notations import write
from tests.support.planning import hash_of
from tests.support.properties import examples

TEXT = st.lists(st.sampled_from(["a", "b", "", " c", "\r"]), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files_and_edits(draw: st.DrawFn) -> tuple[bytes, list[AnyEdit]]:
    """A file, and edits of its lines that mostly apply."""
    text = "".join(line + draw(ENDS) for line in draw(TEXT))
    data = (text[:-1] if draw(st.booleans()) else text).encode()
    data = BOM + data if draw(st.booleans()) else data
    count = Document(data).line_count
    edits: list[AnyEdit] = []
    for line in range(1, count + 1):
        if draw(st.booleans()):
            edits.append(ReplaceRange("f", line, line, tuple(draw(TEXT)[:2])))
    whole: list[AnyEdit] = [
        CreateFile("g", draw(ENDS).join(draw(TEXT))),
        DeleteFile("f"),
        RenameFile("f", "h"),
        SetMode("f", EXECUTABLE),
        WriteFile("f", draw(ENDS).join(draw(TEXT))),
    ]
    return data, edits + draw(st.lists(st.sampled_from(whole), max_size=2))


@examples(200)
@given(files_and_edits())
def test_whatever_applies_is_derived_again_from_its_entry(
    drawn: tuple[bytes, list[AnyEdit]],
) -> None:
    data, edits = drawn
    files = MappingSnapshot({"f": File(data)})
    spec = Spec("protocol", tuple(edits), sequential=False)
    made = plan(spec, files)
    assume(made.ok and made.files)
    derived = derive(recorded(spec, made), files)
    assert derived.files == files_after(made)
    assert derived.findings == []


@examples(100)
@given(files_and_edits(), st.booleans())
def test_whatever_the_protocol_says_is_recomputed_from_its_entry(
    drawn: tuple[bytes, list[AnyEdit]], with_hashes: bool
) -> None:
    data, edits = drawn
    document = Document(data)
    said = [
        replace(each, expected_hash=hash_of(data, each.start_line, each.end_line))
        if isinstance(each, ReplaceRange) and with_hashes and document.line_count
        else each
        for each in edits
        if isinstance(each, ReplaceRange | DeleteFile | RenameFile)
    ]
    assume(said)
    spec = dialects.parse(write("protocol", said))
    files = MappingSnapshot({"f": File(data)})
    made = plan(spec, files)
    assume(made.ok and made.files)
    assert recompute(recorded(spec, made), files, lambda entry: None) == []


def test_a_file_is_split_into_lines_as_often_however_many_edits_speak_of_it() -> None:
    """Five hundred edits of one large file are no more than a push may hold."""

    class Counting(MappingSnapshot):
        asked = 0

        def get(self, path: str) -> File | None:
            Counting.asked += 1
            return super().get(path)

    data = "".join(f"{number}\n" for number in range(1, 41)).encode()
    counts = []
    for lines in (range(1, 3), range(1, 40)):
        hashes = ((n, Document(data).range_hash(n, n)) for n in lines)
        edits = tuple(ReplaceRange("f", n, n, ("x",), digest) for n, digest in hashes)
        spec = Spec("protocol", edits, sequential=False)
        files = Counting({"f": File(data)})
        entry = recorded(spec, plan(spec, files))
        Counting.asked = 0
        assert derive(entry, files).findings == []
        counts.append(Counting.asked)
    assert counts[0] == counts[1]
