"""Which lines `hkgit adopt` explains: line ends, all places, the work of others."""

from __future__ import annotations

from tests.support.adopting import APP, NEW, adopt, commit, explained, not_explained, verdict
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog


def edit_dos_file(repo: Repo, log: ClaudeLog, stored: bytes) -> None:
    """Commit a file with those bytes, and log that an agent has read and edited it."""
    repo.write("dos.py", stored)
    repo.write(".gitattributes", b"dos.py -text\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "More")
    log.read("dos.py", APP)
    log.edit("dos.py", "Helo", "Hello", APP)


def test_line_ends_and_byte_order_marks_stay(hooked: Repo, log: ClaudeLog) -> None:
    stored = b"\xef\xbb\xbf" + APP.replace("\n", "\r\n").encode()
    edit_dos_file(hooked, log, stored)
    hooked.write("dos.py", stored.replace(b"Helo", b"Hello"))
    assert explained(adopt(hooked, log)) == [("dos.py", [5, 5], "receipt")]
    assert verdict(commit(hooked)) == (0, "strict")


def test_line_ends_that_no_call_has_changed_are_not_explained(hooked: Repo, log: ClaudeLog) -> None:
    stored = APP.replace("\n", "\r\n").encode()
    edit_dos_file(hooked, log, stored)
    hooked.write("dos.py", APP.replace("Helo", "Hello").encode())
    answer = adopt(hooked, log, code=6)
    whole = [1, APP.count("\n")]
    assert explained(answer) == []
    [told] = answer["changes"][0]["unexplained"]
    assert (told["path"], told["lines"], told["what"]) == ("dos.py", whole, "line ends")


def test_a_line_taken_out_goes_with_its_end(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "import sys", "", APP)
    hooked.write("app.py", APP.removeprefix("import sys\n").encode())
    answer = adopt(hooked, log)
    assert answer["changes"][0]["unexplained"] == []


def test_several_edits_of_one_call_and_all_places(hooked: Repo, log: ClaudeLog) -> None:
    place = f"{log.root}/app.py"
    log.read("app.py", APP)
    parts = [
        {"old_string": "name", "new_string": "who", "replace_all": True},
        {"old_string": "Helo", "new_string": "Hello"},
    ]
    log.call(
        "MultiEdit",
        {"file_path": place, "edits": parts},
        "ok",
        {"filePath": place, "edits": parts, "originalFileContents": APP},
    )
    hooked.write("app.py", NEW.replace("name", "who").encode())
    assert [lines for _, lines, _ in explained(adopt(hooked, log))] == [[4, 5]]
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_line_on_the_work_of_others_that_no_entry_derives_is_left_over(
    hooked: Repo, log: ClaudeLog
) -> None:
    by_hand = APP + "\n\ndef leave():\n    sys.exit(1)\n"
    log.read("app.py", by_hand)
    log.edit("app.py", "    sys.exit(1)", "    sys.exit(0)", by_hand)
    hooked.write("app.py", by_hand.replace("exit(1)", "exit(0)").encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert not_explained(answer) == [("app.py", [9, 12])]
    assert answer["changes"][0]["entries"] == 0


def test_of_a_line_that_somebody_has_copied_neither_is_explained(
    hooked: Repo, log: ClaudeLog
) -> None:
    """To a diff either of two equal lines may be the one that the call wrote."""
    log.read("app.py", APP)
    log.edit("app.py", "    print('Helo, ' + name)", "    say(name)")
    copied = APP.replace("    print('Helo, ' + name)", "    say(name)\n    wait()\n    say(name)")
    hooked.write("app.py", copied.encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert not_explained(answer) == [("app.py", [5, 7])]


def test_an_end_that_may_as_well_be_the_line_beyond_is_not_explained(
    hooked: Repo, log: ClaudeLog
) -> None:
    """What is written is a function and a blank line above or below it: nobody knows which."""
    function = "def leave():\n    sys.exit()\n\n\ngreet(sys"
    log.read("app.py", APP)
    log.edit("app.py", "greet(sys", function, APP)
    hooked.write("app.py", APP.replace("greet(sys", function).encode() + b"# by hand\n")
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == [("app.py", [8, 9], "receipt")]
