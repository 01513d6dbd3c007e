"""Sessions of Claude Code: what each call was made on, and what came of it."""

from __future__ import annotations

import pytest

from hkgit.agents.transcripts.replaying import UNKNOWN, End
from tests.agents.transcripts.conftest import ReplayText
from tests.support.logs import PATH, ROOT, Claude

FILE = 'def greet(name):\n    print("hi", name)\n\n\ndef part(name):\n    print("bye", name)\n'
OLD, NEW = '    print("hi", name)\n', '    print("hello", name)\n'
EDITED = FILE.replace(OLD, NEW)
MISQUOTED = 'def greet(names):\n    print("hi", name)\n'
MEANT = 'def greet(names):\n    print("hello", name)\n'


@pytest.mark.parametrize(
    ("session", "end"),
    [
        pytest.param(Claude().edit(FILE, OLD, NEW), End.SAME, id="the same comes of it"),
        pytest.param(
            Claude().edit(FILE, "    pass\n", NEW), End.LOST, id="nobody can see how it landed"
        ),
        pytest.param(
            Claude().edit(FILE, OLD, NEW, userModified=True), End.LANDED, id="a person changed it"
        ),
        pytest.param(Claude().read(FILE).lost_edit(MISQUOTED, MEANT), End.WON, id="hkgit lands it"),
        pytest.param(Claude().read(FILE).lost_edit("no\n", "x\n"), End.REFUSED, id="nobody does"),
        pytest.param(
            Claude().lost_edit(MISQUOTED, MEANT).read(FILE), End.WON, id="read afterwards"
        ),
        pytest.param(
            Claude().lost_edit(MISQUOTED, MEANT).edit(FILE, OLD, NEW),
            End.WON,
            id="the next edit tells what the file said",
        ),
        pytest.param(
            Claude().edit(FILE, "\n\n", "\n").lost_edit(MISQUOTED, MEANT),
            End.SAME,
            id="the first of two",
        ),
    ],
)
def test_the_end_of_a_call(replay: ReplayText, session: Claude, end: End) -> None:
    assert replay(session.text)[0].end == end


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(Claude(), id="never seen"),
        pytest.param(Claude().read(FILE, total=900), id="read in part"),
        pytest.param(Claude().read(FILE, start=2), id="read from the middle"),
        pytest.param(Claude().read(FILE).ran(), id="a command ran since"),
    ],
)
def test_a_refused_call_on_an_unknown_file_cannot_be_run_again(
    replay: ReplayText, session: Claude
) -> None:
    last = replay(session.lost_edit(MISQUOTED, MEANT).text)[-1]
    assert last.end == End.NOT_REPLAYABLE
    assert last.detail == UNKNOWN


def test_what_is_the_same_before_and_after_a_command_was_not_changed_by_it(
    replay: ReplayText,
) -> None:
    session = Claude().read(FILE).ran().lost_edit(MISQUOTED, MEANT).ran().read(FILE)
    assert [each.end for each in replay(session.text)] == [End.WON]


def test_what_a_command_changed_is_unknown(replay: ReplayText) -> None:
    session = Claude().read(FILE).ran().lost_edit(MISQUOTED, MEANT).ran().read(EDITED)
    assert [each.end for each in replay(session.text)] == [End.NOT_REPLAYABLE]


def test_edits_in_sequence_are_one_call(replay: ReplayText) -> None:
    edits = [{"old_string": OLD, "new_string": NEW}, {"old_string": "bye", "new_string": "ciao"}]
    sent = {"file_path": PATH, "edits": edits}
    detail = {"filePath": PATH, "edits": edits, "originalFileContents": FILE, "userModified": False}
    [one] = replay(Claude().call("MultiEdit", sent, "Applied 2 edits", detail).text)
    assert one.end == End.SAME
    assert one.paths == ("src/app.py",)


def test_a_new_file_is_known_from_its_writing(replay: ReplayText) -> None:
    detail = {"type": "create", "filePath": PATH, "content": FILE, "structuredPatch": []}
    session = Claude().call("Write", {"file_path": PATH, "content": FILE}, "", detail)
    ends = [each.end for each in replay(session.lost_edit(MISQUOTED, MEANT).text)]
    assert ends == [End.SAME, End.WON]


def test_a_file_elsewhere_is_left_alone(replay: ReplayText) -> None:
    sent = {"file_path": "/etc/motd", "old_string": "a", "new_string": "b"}
    [one] = replay(Claude().call("Edit", sent, "", {"originalFile": "a\n"}).text)
    assert one.end == End.NOT_REPLAYABLE
    assert "outside" in one.detail


def test_other_tools_are_no_calls(replay: ReplayText) -> None:
    session = Claude().call("Grep", {"pattern": "x", "path": ROOT}).ran().read(FILE)
    assert replay(session.text) == []


def test_a_call_without_a_result_is_left_out(replay: ReplayText) -> None:
    session = Claude().edit(FILE, OLD, NEW)
    del session.lines[-1]
    assert replay(session.text) == []
