"""What calls of one answer of the model read is known from its next answer on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import File
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.knowledge import NOTHING, FileKnowledge, merge_knowledge
from hkgit.text.hashes import sha256
from hkgit.values import replace
from tests.sessions.committing import replacing
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.sessions import TextSession


def _edit(desk: TextSession, turn: str, old: str, new: str) -> str:
    """Make an edit as an agent's own tool does, in an answer; return its evidence."""
    session = replace(desk, turn=turn)
    place = desk.root / "a.py"
    before = place.read_bytes()
    place.write_bytes(before.replace(old.encode(), new.encode()))
    answer = session.adopt(session.parse(replacing(old, new)), {"a.py": File(before)})
    assert answer.ok
    return answer.outcomes[0].evidence.kind


@cases(
    {
        "the same answer": ("1", "quote"),
        "a later one": ("2", "receipt"),
        "nobody says which": ("", "receipt"),
    },
)
def test_a_reading_is_evidence_for_the_edits_of_later_answers(
    turn: str, kind: str, desk: TextSession
) -> None:
    replace(desk, turn="1").read("a.py")
    assert _edit(desk, turn, "line 5\n", "five\n") == kind


def test_what_was_known_before_stays_known_beside_a_reading(desk: TextSession) -> None:
    desk.read("a.py", 1, 10)
    replace(desk, turn="1").read("a.py", 11, 20)
    assert _edit(desk, "1", "line 5\n", "five\n") == "receipt"
    assert _edit(desk, "1", "line 15\n", "fifteen\n") == "quote"


def test_what_an_answer_read_moves_with_its_own_edits(desk: TextSession) -> None:
    desk.read("a.py", 5, 5)
    replace(desk, turn="1").read("a.py")
    assert _edit(desk, "1", "line 5\n", "five\nand\nmore\n") == "receipt"
    assert _edit(desk, "2", "line 25\n", "twenty-five\n") == "receipt"
    assert _edit(desk, "2", "and\n", "or\n") == "receipt"


def test_a_call_of_the_server_knows_what_the_agents_tools_have_read(desk: TextSession) -> None:
    replace(desk, turn="1").read("a.py")
    answer = desk.edit(replacing("line 5\n", "five\n"))
    assert answer.outcomes[0].evidence.kind == "receipt"


def test_the_status_lists_what_was_read_last(desk: TextSession) -> None:
    replace(desk, turn="1").read("a.py", 3, 4)
    [receipt] = desk.status().receipts
    assert (receipt.start_line, receipt.end_line) == (3, 4)


def test_a_session_that_is_shortened_keeps_it(desk: TextSession) -> None:
    """As a commit does, and the oldest calls of a long session."""
    replace(desk, turn="1").read("a.py")
    journal = SessionJournal(desk.journal.folder)
    journal.load()
    journal.forget(())
    assert _edit(desk, "1", "line 5\n", "five\n") == "quote"
    assert _edit(desk, "2", "line 6\n", "six\n") == "receipt"


_DATA = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=8).map(
    lambda lines: b"".join(each + b"\n" for each in lines)
)


@given(_DATA, _DATA, st.data())
@examples(50)
def test_lines_of_a_later_version_join_those_that_it_still_has(
    old: bytes, new: bytes, data: st.DataObject
) -> None:
    """Nothing is known that neither had, and nothing that was fresh is lost."""
    counts = [len(each.splitlines()) for each in (old, new)]
    known, fresh = (
        FileKnowledge.of(text, [(n, n) for n in data.draw(st.sets(st.integers(1, count)))])
        if count
        else NOTHING
        for text, count in zip((old, new), counts, strict=True)
    )
    kept = {sha256(each).hexdigest(): each for each in (old, new)}
    merged = merge_knowledge(known, fresh, kept.get)
    assert _lines(fresh) <= _lines(merged)
    if not fresh.lines:
        assert merged == known


def _lines(known: FileKnowledge) -> set[int]:
    return {n for first, last in known.lines for n in range(first, last + 1)}
