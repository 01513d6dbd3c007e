"""`hkgit adopt`: a transcript of an agent becomes the evidence that its hooks would have made."""

import json
from typing import Any

from tests.support.adopting import APP, NEW, adopt, commit, explained, mend, not_explained, verdict
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog, CodexLog


def test_what_is_staged_gets_its_entries_and_its_commit_passes(
    hooked: Repo, log: ClaudeLog
) -> None:
    log.read("app.py", APP)
    call = log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    hooked.git("add", "-A")
    answer = adopt(hooked, log, "--staged")
    [line] = answer["changes"][0]["explained"]
    assert line["path"] == "app.py"
    assert line["lines"] == [5, 5]
    assert line["call"] == call
    assert line["evidence"] == "receipt"
    assert line["evidence_lines"] == [1, 8]
    assert line["agent"] == "claude-code/2.0.76"
    assert line["changed_share"] == 0.125
    assert verdict(commit(hooked)) == (0, "strict")
    [entry] = hooked.git("ls-files", ".hkgit/ledger/*.json").splitlines()
    assert json.loads((hooked.path / entry).read_text())["claims"]["origin"] == "recovered"


READ, MEND = ("read", "app.py", APP), ("edit", "app.py", "Helo", "Hello", APP)
BY_HAND = NEW.replace("import sys\n", "import os\nimport sys\n")
MORE = APP + "\n\ndef leave():\n    sys.exit(1)\n"
LINE, CALL = "    print('Helo, ' + name)", "    say(name)"
FUNCTION = "def leave():\n    sys.exit()\n\n\ngreet(sys"
SENT: dict[str, Any] = {"file_path": "app.py", "old_string": "Helo", "new_string": "Hello"}
BY_A_PERSON = {"userModified": True, "originalFile": APP, "oldString": "Helo", "newString": "Hello"}


@cases(
    "calls, now, told, left",
    {
        "what was not read stays blind": (
            [("edit", "app.py", LINE.strip(), LINE.strip().replace("Helo", "Hello"), APP)],
            NEW,
            [([5, 5], "none")],
            [],
        ),
        "a person wrote a line as well": ([READ, MEND], BY_HAND, [([6, 6], "receipt")], [[1, 1]]),
        "a formatter ran": (
            [READ, MEND],
            NEW.replace("\n\n\n", "\n\n"),
            [([4, 4], "receipt")],
            [[3, 2], [5, 4]],
        ),
        "edits after a change by hand": (
            [
                READ,
                MEND,
                ("read", "app.py", BY_HAND),
                ("edit", "app.py", "greet(sys.argv[1])", "greet(sys.argv[-1])", BY_HAND),
            ],
            BY_HAND.replace("[1]", "[-1]"),
            [([6, 6], "receipt"), ([9, 9], "receipt")],
            [[1, 1]],
        ),
        "edits undone later count for nothing": (
            [
                READ,
                ("edit", "app.py", "import sys", "import sys, os", APP),
                ("edit", "app.py", "import sys, os", "import sys"),
                MEND,
            ],
            NEW,
            [([5, 5], "receipt")],
            [],
        ),
        "a call that failed, and one whose result a person changed": (
            [READ, ("fail",), ("call", "Edit", SENT, "ok", BY_A_PERSON)],
            NEW,
            [],
            [[5, 5]],
        ),
        "a line taken out goes with its end": (
            [READ, ("edit", "app.py", "import sys", "", APP)],
            APP.removeprefix("import sys\n"),
            [],
            [],
        ),
        "a line on the work of others that no entry derives": (
            [
                ("read", "app.py", MORE),
                ("edit", "app.py", "    sys.exit(1)", "    sys.exit(0)", MORE),
            ],
            MORE.replace("exit(1)", "exit(0)"),
            [],
            [[9, 12]],
        ),
        # To a diff either of two equal lines may be the one that the call wrote.
        "a line that somebody has copied": (
            [READ, ("edit", "app.py", LINE, CALL)],
            APP.replace(LINE, f"{CALL}\n    wait()\n{CALL}"),
            [],
            [[5, 7]],
        ),
        # What is written is a function and a blank line above or below it: nobody knows which.
        "an end that may as well be the line beyond": (
            [READ, ("edit", "app.py", "greet(sys", FUNCTION, APP)],
            APP.replace("greet(sys", FUNCTION) + "# by hand\n",
            [([8, 9], "receipt")],
            None,
        ),
        "a transcript of another branch": (
            [
                ("write", "elsewhere.py", "x = 1\n"),
                ("read", "app.py", "other = 1\n"),
                ("edit", "app.py", "other = 1", "other = 2", "other = 1\n"),
            ],
            NEW,
            [],
            [[5, 5]],
        ),
    },
)
def test_lines_are_explained_where_the_calls_lead_to_them(
    calls: list[tuple[Any, ...]],
    now: str,
    told: list[tuple[list[int], str]],
    left: list[list[int]] | None,
    hooked: Repo,
    log: ClaudeLog,
) -> None:
    for name, *given in calls:
        if name == "fail":
            log.call("Edit", SENT, "String not found", "Error: no", is_error=True)
        else:
            getattr(log, name)(*given)
    hooked.write("app.py", now)
    answer = adopt(hooked, log, code=6 if left != [] else 0)
    assert explained(answer) == [("app.py", *each) for each in told]
    if left is not None:
        assert not_explained(answer) == [("app.py", lines) for lines in left]


def test_a_file_written_as_a_whole_and_edited_then(hooked: Repo, log: ClaudeLog) -> None:
    log.write("new.py", "a = 1\nb = 2\n")
    log.edit("new.py", "b = 2", "b = 3")
    hooked.write("new.py", b"a = 1\nb = 3\n")
    answer = adopt(hooked, log)
    assert sum(last - first + 1 for _, (first, last), _ in explained(answer)) == 2
    assert verdict(commit(hooked)) == (0, "strict")


def test_nothing_is_kept_in_a_dry_run(hooked: Repo, log: ClaudeLog) -> None:
    mend(hooked, log)
    assert adopt(hooked, log, "-n")["kept"] is False
    assert not (hooked.path / ".git/hkgit/sessions").exists()


def test_adopting_twice_makes_no_second_entry(hooked: Repo, log: ClaudeLog) -> None:
    mend(hooked, log)
    first, second = adopt(hooked, log), adopt(hooked, log)
    assert explained(first) == explained(second)
    assert verdict(commit(hooked)) == (0, "strict")
    assert len(hooked.git("ls-files", ".hkgit/ledger/*.json").splitlines()) == 1


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


PATCH = """\
*** Begin Patch
*** Update File: app.py
@@ def greet(name):
-    print('Helo, ' + name)
+    print('Hello, ' + name)
*** Add File: new.py
+x = 1
*** End Patch
"""


def test_a_rollout_of_codex_is_replayed(hooked: Repo) -> None:
    log = CodexLog(hooked.path)
    log.shell("sed -n '1,6p' app.py", "".join(APP.splitlines(keepends=True)[:6]))
    log.patch(PATCH)
    log.patch(PATCH.replace("Hello", "Never"), "Failed to find expected lines in app.py")
    hooked.write("app.py", NEW.encode())
    hooked.write("new.py", b"x = 1\n")
    answer = adopt(hooked, log.save(hooked.path.parent / "rollout.jsonl"))
    assert explained(answer) == [("app.py", [5, 5], "receipt"), ("new.py", [1, 1], "hash")]
    assert answer["changes"][0]["explained"][0]["agent"] == "codex/0.169.0"
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_patch_of_codex_in_a_shell_command_is_replayed(hooked: Repo) -> None:
    log = CodexLog(hooked.path)
    log.shell("cat app.py", APP)
    log.shell(f"apply_patch <<'EOF'\n{PATCH}EOF\n", "Success.")
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, log.save(hooked.path.parent / "rollout.jsonl"))
    assert explained(answer) == [("app.py", [5, 5], "receipt")]
