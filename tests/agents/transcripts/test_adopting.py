"""`hkgit adopt`: a transcript of an agent becomes the evidence that its hooks would have made."""

from __future__ import annotations

import json
from collections.abc import Callable

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


def test_what_was_not_read_stays_blind(hooked: Repo, log: ClaudeLog) -> None:
    log.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)", APP)
    hooked.write("app.py", NEW.encode())
    assert explained(adopt(hooked, log)) == [("app.py", [5, 5], "none")]


def change_by_hand(repo: Repo) -> None:
    repo.write("app.py", NEW.replace("import sys\n", "import os\nimport sys\n").encode())


def format_it(repo: Repo) -> None:
    repo.write("app.py", NEW.replace("\n\n\n", "\n\n").encode())


@cases(
    "change, left",
    {
        "a person wrote a line": (change_by_hand, [("app.py", [1, 1])]),
        "a formatter ran": (format_it, [("app.py", [3, 2]), ("app.py", [5, 4])]),
    },
)
def test_work_of_others_is_named_and_the_rest_is_explained(
    hooked: Repo, log: ClaudeLog, change: Callable[[Repo], None], left: list[tuple[str, list[int]]]
) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    change(hooked)
    answer = adopt(hooked, log, code=6)
    assert [lines[2] for lines in explained(answer)] == ["receipt"]
    assert not_explained(answer) == left


def test_edits_after_a_change_by_hand_are_explained(hooked: Repo, log: ClaudeLog) -> None:
    by_hand = NEW.replace("import sys\n", "import os\nimport sys\n")
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    log.read("app.py", by_hand)
    log.edit("app.py", "greet(sys.argv[1])", "greet(sys.argv[-1])", by_hand)
    hooked.write("app.py", by_hand.replace("[1]", "[-1]").encode())
    answer = adopt(hooked, log, code=6)
    assert [(path, lines) for path, lines, _ in explained(answer)] == [
        ("app.py", [6, 6]),
        ("app.py", [9, 9]),
    ]
    assert not_explained(answer) == [("app.py", [1, 1])]


def test_a_file_written_as_a_whole_and_edited_then(hooked: Repo, log: ClaudeLog) -> None:
    log.write("new.py", "a = 1\nb = 2\n")
    log.edit("new.py", "b = 2", "b = 3")
    hooked.write("new.py", b"a = 1\nb = 3\n")
    answer = adopt(hooked, log)
    assert sum(last - first + 1 for _, (first, last), _ in explained(answer)) == 2
    assert verdict(commit(hooked)) == (0, "strict")


def test_edits_undone_later_count_for_nothing(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "import sys", "import sys, os", APP)
    log.edit("app.py", "import sys, os", "import sys")
    log.edit("app.py", "Helo", "Hello", APP)
    hooked.write("app.py", NEW.encode())
    assert explained(adopt(hooked, log)) == [("app.py", [5, 5], "receipt")]
    assert verdict(commit(hooked)) == (0, "strict")


def test_calls_that_failed_or_were_changed_by_a_person_count_for_nothing(
    hooked: Repo, log: ClaudeLog
) -> None:
    log.read("app.py", APP)
    sent = {"file_path": f"{log.root}/app.py", "old_string": "Helo", "new_string": "Hello"}
    log.call("Edit", sent, "String not found", "Error: no", is_error=True)
    changed = {"userModified": True, "originalFile": APP, "oldString": "Helo"}
    log.call("Edit", sent, "ok", changed | {"newString": "Hello"})
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert not_explained(answer) == [("app.py", [5, 5])]


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
