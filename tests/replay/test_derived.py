"""Properties: whatever applies is derived and recomputed from its entry alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hkgit import dialects
from hkgit.applying.outcome import changed_files
from hkgit.applying.planner import plan
from hkgit.document import BOM, Document
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
from hkgit.ledger.reading import read_entry
from hkgit.replay.derive import derive
from hkgit.replay.recompute import recompute
from tests.applying.planning import hash_of
from tests.replay.commits import recorded

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
        CreateFile("g", draw(ENDS).join(draw(TEXT))), DeleteFile("f"), RenameFile("f", "h"),
        SetMode("f", EXECUTABLE), WriteFile("f", draw(ENDS).join(draw(TEXT))),
    ]  # fmt: skip
    return data, edits + draw(st.lists(st.sampled_from(whole), max_size=2))


@settings(max_examples=200)
@given(files_and_edits())
def test_whatever_applies_is_derived_again_from_its_entry(
    drawn: tuple[bytes, list[AnyEdit]]
) -> None:
    data, edits = drawn
    files = MappingSnapshot({"f": File(data)})
    spec = Spec("protocol", tuple(edits), ("",) * len(edits), sequential=False)
    made = plan(spec, files)
    assume(made.ok and made.files)
    changed, findings = derive(read_entry(recorded(spec, made)), files)
    assert (changed, findings) == (changed_files(made), [])


@settings(max_examples=100)
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
    spec = dialects.parse(dialects.DIALECTS["protocol"].render(said))
    files = MappingSnapshot({"f": File(data)})
    made = plan(spec, files)
    assume(made.ok and made.files)
    assert recompute(read_entry(recorded(spec, made)), files, None) == []
