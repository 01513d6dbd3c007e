"""What was read of files follows the edits of one's own: moved, written anew, or gone."""

from __future__ import annotations

from hkgit.applying.carry import follow_reads, renew_reads
from hkgit.edits import Read
from hkgit.text.document import Document, range_hash
from tests.support.cases import cases
from tests.support.planning import Operation, planned, replace_range

TEXT = b"one\ntwo\nthree\nfour\nfive\n"
TWO = replace_range("a.txt", TEXT, 2, 2, "zwei\nzwei b")


def read(start: int | None, end: int | None, path: str = "a.txt") -> Read:
    return Read(path, start, end, range_hash(TEXT, start, end))


@cases(
    "before, lines",
    {
        "the whole file": (read(None, None), [(1, 6)]),
        "all lines": (read(1, 5), [(1, 6)]),
        "lines below move": (read(4, 5), [(2, 3), (5, 6)]),
        "lines above stay": (read(1, 1), [(1, 3)]),
        "a hash of the lines that the edit replaced": (
            Read("a.txt", None, None, range_hash(TEXT, 2, 2)),
            [(2, 3)],
        ),
    },
)
def test_a_read_follows_an_edit(before: Read, lines: list[tuple[int, int]]) -> None:
    made = planned({"a.txt": TEXT}, TWO, reads=[before])
    [change] = made.files
    assert change.after is not None
    after = Document(change.after.data)
    assert follow_reads([before], made) == tuple(
        Read("a.txt", *each, after.range_hash(*each)) for each in lines
    )


RENAMED: Operation = {
    "op": "rename_file",
    "path": "a.txt",
    "new_path": "b.txt",
    "expected_hash": range_hash(TEXT),
}
DELETED: Operation = {"op": "delete_file", "path": "a.txt", "expected_hash": range_hash(TEXT)}


@cases(
    "operation, left",
    {
        "a file that was moved": (RENAMED, (read(1, 5, "b.txt"),)),
        "a file that is gone": (DELETED, ()),
    },
)
def test_a_read_follows_its_file(operation: Operation, left: tuple[Read, ...]) -> None:
    assert follow_reads([read(None, None)], planned({"a.txt": TEXT}, operation)) == left


def test_reads_of_other_files_stay_as_they_are() -> None:
    other = Read("b.txt", 1, 1, "0" * 64, "receipt")
    assert follow_reads([other], planned({"a.txt": TEXT}, TWO)) == (other,)


def test_a_receipt_stays_a_receipt() -> None:
    receipt = Read("a.txt", 4, 5, range_hash(TEXT, 4, 5), "receipt")
    left = follow_reads([receipt], planned({"a.txt": TEXT}, TWO))
    assert {each.kind for each in left} == {"receipt"}


def test_newer_reads_stand_for_all_older_ones_of_their_file() -> None:
    old, new, other = read(1, 1), read(2, 2), read(1, 1, "b.txt")
    assert renew_reads([old, other], [new]) == (other, new)
