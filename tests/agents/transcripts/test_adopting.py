"""`hkgit adopt`: a transcript of an agent becomes the evidence that its hooks would have made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.gate.entrypoints.hook_scripts import HOOKS
from hkgit.git.repository import Repository
from hkgit.text.schemas import load_schema
from hkgit.workflows.setup import install
from tests.support.commands import AGENT, PATH
from tests.support.repos import Repo
from tests.support.running import Result, run
from tests.support.serving import preload_hooks
from tests.support.transcripts import ClaudeLog, CodexLog

APP = "import sys\n\n\ndef greet(name):\n    print('Helo, ' + name)\n\n\ngreet(sys.argv[1])\n"
NEW = APP.replace("Helo", "Hello")
SECRET = "sk-live-0123456789abcdef"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository that is held to its gate."""
    repo = Repo.init(tmp_path_factory.mktemp("adopting") / "repo")
    repo.write("app.py", APP.encode())
    repo.write("notes/plan.md", b"# Plan\n\n- one\n- two\n")
    install(Repository.discover(repo.path), HOOKS)
    preload_hooks(repo)
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Begin")
    return repo


@pytest.fixture
def hooked(template: Repo, tmp_path: Path) -> Repo:
    shutil.copytree(template.path, tmp_path / "repo", symlinks=True)
    return Repo(tmp_path / "repo")


@pytest.fixture
def log(hooked: Repo) -> ClaudeLog:
    return ClaudeLog(hooked.path)


def adopt(repo: Repo, log: ClaudeLog | Path, *options: str, code: int = 0) -> dict[str, Any]:
    """What `hkgit adopt` answers about a log."""
    place = log if isinstance(log, Path) else log.save(repo.path.parent / "log.jsonl")
    result = run("adopt", *options, "--from", place, "--json", cwd=repo.path)
    assert result.code == code, result.out + result.err
    answer: dict[str, Any] = result.json()
    Draft202012Validator(load_schema("adopt")).validate(answer)
    return answer


def commit(repo: Repo) -> Result:
    """An agent's commit, with hooks."""
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Work", env=AGENT | PATH)
    return run("gate", "--range", "HEAD~1..HEAD", "--format", "json", cwd=repo.path)


def verdict(result: Result) -> tuple[int, str]:
    return result.code, result.json()["commits"][0]["verdict"]


def not_explained(answer: dict[str, Any]) -> list[tuple[str, list[int]]]:
    return [(each["path"], each["lines"]) for each in answer["changes"][0]["unexplained"]]


def explained(answer: dict[str, Any]) -> list[tuple[str, list[int], str]]:
    found = answer["changes"][0]["explained"]
    return [(each["path"], each["lines"], each["evidence"]) for each in found]


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
    assert line["tightness"] == 0.125
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


@pytest.mark.parametrize(
    ("change", "left"),
    [
        pytest.param(change_by_hand, [("app.py", [1, 1])], id="a person wrote a line"),
        pytest.param(format_it, [("app.py", [3, 2]), ("app.py", [5, 4])], id="a formatter ran"),
    ],
)
def test_work_of_others_is_named_and_the_rest_is_explained(
    hooked: Repo,
    log: ClaudeLog,
    change: Callable[[Repo], None],
    left: list[tuple[str, list[int]]],
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


def test_a_transcript_of_another_repository_explains_nothing(hooked: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    log = ClaudeLog(other.path)
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert answer["other_repositories"] == [str(other.path)]


def test_a_transcript_of_another_branch_explains_only_what_is_here(
    hooked: Repo, log: ClaudeLog
) -> None:
    log.write("elsewhere.py", "x = 1\n")
    log.read("app.py", "other = 1\n")
    log.edit("app.py", "other = 1", "other = 2", "other = 1\n")
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, log, code=6)
    assert explained(answer) == []
    assert not_explained(answer) == [("app.py", [5, 5])]
    assert answer["changes"][0]["entries"] == 0


def test_a_transcript_of_another_machine_is_told_by_its_paths(hooked: Repo) -> None:
    log = ClaudeLog("/Users/soph/Work/devenv/cli", cwd="/Users/soph/Work/devenv/cli/notes")
    log.read("notes/plan.md", "# Plan\n\n- one\n- two\n")
    log.edit("notes/plan.md", "- two", "- three")
    hooked.write("notes/plan.md", b"# Plan\n\n- one\n- three\n")
    assert explained(adopt(hooked, log)) == [("notes/plan.md", [4, 4], "receipt")]


def test_a_transcript_that_is_half_written_is_read_as_far_as_it_goes(
    hooked: Repo, log: ClaudeLog
) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    log.edit("app.py", "import sys", "import sys, os")
    place = log.save(hooked.path.parent / "half.jsonl")
    place.write_bytes(place.read_bytes()[:-40])
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, place)
    assert explained(answer) == [("app.py", [5, 5], "receipt")]
    assert answer["transcripts"][0]["broken_lines"] == 1


def test_lines_of_a_newer_version_are_passed_over(hooked: Repo, log: ClaudeLog) -> None:
    log.lines.append(json.dumps({"type": "hologram", "uuid": "x", "message": [1, 2]}))
    log.lines.append(json.dumps({"type": "user", "uuid": 7, "message": {"content": [None, 3]}}))
    log.call("FutureEdit", {"file_path": f"{log.root}/app.py", "quantum": True})
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    assert explained(adopt(hooked, log)) == [("app.py", [5, 5], "receipt")]


def test_a_log_in_no_known_form_is_said(hooked: Repo, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"hello": 1}\n')
    hooked.write("app.py", NEW.encode())
    answer = adopt(hooked, tmp_path / "x.jsonl", code=6)
    assert answer["transcripts"][0]["form"] is None


def test_secrets_of_the_transcript_are_copied_nowhere(hooked: Repo, log: ClaudeLog) -> None:
    log.line("user", f"use the key {SECRET}")
    log.call("Bash", {"command": "cat .env"}, SECRET, {"stdout": SECRET})
    log.read(".env", f"KEY={SECRET}\n")
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    adopt(hooked, log)
    assert verdict(commit(hooked)) == (0, "strict")
    kept = [path for path in (hooked.path / ".git").rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert SECRET not in hooked.git("log", "-p", "--all", "--text")


def test_two_agents_at_once_each_explain_their_lines(hooked: Repo, tmp_path: Path) -> None:
    logs = [ClaudeLog(hooked.path, session) for session in ("first-1", "second-2")]
    plan = "# Plan\n\n- one\n- two\n"
    logs[0].read("notes/plan.md", plan)
    logs[1].time += 1
    logs[1].read("notes/plan.md", plan)
    logs[0].time += 10
    logs[0].edit("notes/plan.md", "- one", "- 1")
    logs[1].time += 30
    logs[1].edit("notes/plan.md", "- two", "- 2")
    for number, log in enumerate(logs):
        log.save(tmp_path / "logs" / f"{number}.jsonl")
    hooked.write("notes/plan.md", b"# Plan\n\n- 1\n- 2\n")
    answer = adopt(hooked, tmp_path / "logs")
    told = {(each["session"], *each["lines"]) for each in answer["changes"][0]["explained"]}
    assert told == {("recovered-first-1", 3, 3), ("recovered-second-2", 4, 4)}
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_session_that_was_resumed_counts_once(hooked: Repo, tmp_path: Path) -> None:
    log = ClaudeLog(hooked.path)
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    log.save(tmp_path / "logs" / "a.jsonl")
    log.edit("app.py", "sys.argv[1]", "sys.argv[2]")
    log.save(tmp_path / "logs" / "b.jsonl")
    hooked.write("app.py", NEW.replace("[1]", "[2]").encode())
    answer = adopt(hooked, tmp_path / "logs")
    assert answer["changes"][0]["entries"] == 2
    assert verdict(commit(hooked)) == (0, "strict")


def test_a_sub_agent_has_readings_of_its_own(hooked: Repo, tmp_path: Path) -> None:
    helper = ClaudeLog(hooked.path, isSidechain=True, agentId="a1b2")
    helper.read("app.py", APP)
    helper.save(tmp_path / "logs" / "agent-a1b2.jsonl")
    log = ClaudeLog(hooked.path)
    log.time += 5
    log.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)", APP)
    log.save(tmp_path / "logs" / "main.jsonl")
    hooked.write("app.py", NEW.encode())
    assert explained(adopt(hooked, tmp_path / "logs")) == [("app.py", [5, 5], "none")]


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


def test_commits_get_records_beside_the_history(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "First", env=AGENT)
    log.edit("app.py", "sys.argv[1]", "sys.argv[2]")
    hooked.write("app.py", NEW.replace("[1]", "[2]").encode())
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "Second", env=AGENT)
    head = hooked.head
    answer = adopt(hooked, log, "HEAD~2..HEAD")
    records = [change["record"] for change in answer["changes"]]
    assert records[1] == f"refs/hkgit/recovered/{head}"
    assert hooked.head == head
    judged = run("gate", "--range", "HEAD~2..HEAD", "--format", "json", cwd=hooked.path)
    assert [each["verdict"] for each in judged.json()["commits"]] == ["recovered", "recovered"]
    assert judged.code == 6
    hooked.write("p.toml", b'[gate]\nverdicts = ["recovered"]\n')
    accepting = ("gate", "--range", "HEAD~2..HEAD", "--policy", "p.toml")
    assert run(*accepting, cwd=hooked.path).code == 0


def test_a_record_of_something_else_counts_for_nothing(hooked: Repo, log: ClaudeLog) -> None:
    log.edit("app.py", "Helo", "Hello", APP)
    hooked.write("app.py", NEW.encode())
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "First", env=AGENT)
    adopt(hooked, log, "HEAD~1..HEAD")
    hooked.write("app.py", b"import evil\n")
    hooked.git("commit", "-q", "-a", "--no-verify", "--amend", "-m", "First", env=AGENT)
    old = hooked.git("for-each-ref", "--format=%(objectname)", "refs/hkgit/recovered")
    hooked.git("update-ref", f"refs/hkgit/recovered/{hooked.head}", old)
    judged = run("gate", "--range", "HEAD~1..HEAD", "--format", "json", cwd=hooked.path)
    assert verdict(judged) == (6, "fail")


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        pytest.param("accept = false", 6, id="refused"),
        pytest.param("min_tightness = 0.5", 6, id="below a floor"),
        pytest.param("min_tightness = 0.1", 0, id="above it"),
    ],
)
def test_a_policy_may_refuse_recovered_entries_or_ask_more_of_them(
    hooked: Repo, log: ClaudeLog, policy: str, code: int
) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)")
    log.edit("app.py", "import sys\n\n\ndef greet(name):", "import sys\n\n\ndef greet(who):")
    hooked.write("app.py", NEW.replace("greet(name)", "greet(who)").encode())
    adopt(hooked, log)
    commit(hooked)
    hooked.write("p.toml", f"[gate.recovered]\n{policy}\n".encode())
    judged = run("gate", "--range", "HEAD~1..HEAD", "--policy", "p.toml", cwd=hooked.path)
    assert judged.code == code, judged.out


def _work_unrecorded(repo: Repo, log: ClaudeLog, home: Path) -> dict[str, str]:
    """Change a file as a transcript in that home directory says; return where to find it."""
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    slug = "".join(c if c.isalnum() else "-" for c in str(repo.path))
    log.save(home / ".claude" / "projects" / slug / "5945-5d2e.jsonl")
    repo.write("app.py", NEW.encode())
    return {"HOME": str(home)}


def test_transcripts_of_this_checkout_are_found(
    hooked: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    home = _work_unrecorded(hooked, log, tmp_path / "home")
    found = run("adopt", "--working-tree", cwd=hooked.path, env=home)
    assert found.code == 0
    assert "1 of 1 changed line explained" in found.out
    none = run("adopt", "--from", "codex", cwd=hooked.path, env=home)
    assert none.code == 4
    assert "no agent has logged work" in none.err


def test_nothing_is_kept_in_a_dry_run(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    assert adopt(hooked, log, "-n")["kept"] is False
    assert not (hooked.path / ".git/hkgit/sessions").exists()


def test_adopting_twice_makes_no_second_entry(hooked: Repo, log: ClaudeLog) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
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


def test_the_gate_names_adopt_where_a_transcript_explains_the_change(
    hooked: Repo, log: ClaudeLog, tmp_path: Path
) -> None:
    home = AGENT | _work_unrecorded(hooked, log, tmp_path / "home")
    hooked.git("add", "-A")
    refused = run("gate", "--staged", cwd=hooked.path, env=home)
    assert refused.code == 6
    assert "mend: hkgit adopt --staged" in refused.out
    assert run("adopt", "--staged", cwd=hooked.path, env=home).code == 0
    assert verdict(commit(hooked)) == (0, "strict")


def test_the_gate_names_redo_where_none_does_and_it_keeps_the_work(hooked: Repo) -> None:
    hooked.write("app.py", NEW.encode())
    hooked.git("add", "-A")
    hooked.write("notes/plan.md", b"# Not staged\n")
    refused = run("gate", "--staged", cwd=hooked.path, env=AGENT)
    assert refused.code == 6
    assert "mend: hkgit redo --tree " in refused.out
    done = run("redo", "-m", "Say hello", "--agent", "claude/1", cwd=hooked.path, env=AGENT)
    assert done.code == 0, done.err
    judged = run("gate", "--range", "HEAD~1..HEAD", "--format", "json", cwd=hooked.path)
    assert verdict(judged) == (0, "strict")
    assert hooked.git("log", "-1", "--format=%s") == "Say hello"
    assert hooked.git("status", "--porcelain") == " M notes/plan.md"
    assert hooked.git("branch", "--format=%(refname:short)") == "main"


def test_redo_takes_what_commit_all_would(hooked: Repo) -> None:
    hooked.write("app.py", NEW.encode())
    assert run("redo", "-m", "Say hello", cwd=hooked.path, env=AGENT).code == 0
    assert hooked.git("status", "--porcelain") == ""


def test_redo_of_nothing_says_so(hooked: Repo) -> None:
    assert run("redo", cwd=hooked.path).code == 4


def test_a_scan_says_which_commits_could_have_evidence_and_writes_nothing(
    hooked: Repo, log: ClaudeLog
) -> None:
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello")
    hooked.write("app.py", NEW.encode())
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "Greet", env=AGENT)
    hooked.write("notes/plan.md", b"# Plan\n")
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "Plan", env=AGENT)
    hooked.write("notes/plan.md", b"# My plan\n")
    hooked.git("commit", "-q", "-a", "--no-verify", "-m", "By a person")
    place = log.save(hooked.path.parent / "log.jsonl")
    before = hooked.git("for-each-ref")
    found = run("adopt", "--scan", "--from", place, cwd=hooked.path)
    assert found.code == 0, found.err
    assert found.out.splitlines() == [
        "1 transcript on this machine",
        "commit            explained  by                    subject",
        f"{hooked.git('rev-parse', 'HEAD~1')[:12]}              -  claude                Plan",
        f"{hooked.git('rev-parse', 'HEAD~2')[:12]}         1 of 1  claude-code/2.0.76    Greet",
        "2 commits of agents: 0 with evidence, 1 could have it whole, 0 in part",
        "keep it beside the history: hkgit adopt "
        f"{hooked.git('rev-parse', 'HEAD~3')[:12]}..{hooked.git('rev-parse', 'HEAD~1')[:12]}",
    ]
    assert hooked.git("for-each-ref") == before
    command = found.out.splitlines()[-1].partition(": hkgit ")[2].split()
    assert run(*command, "--from", place, cwd=hooked.path).code == 6
    assert hooked.git("for-each-ref", "refs/hkgit/recovered") != ""
    again = run("adopt", "--scan", "--from", place, cwd=hooked.path).out.splitlines()
    assert "  record kept  claude-code/2.0.76    Greet" in again[3]
    assert again[4:] == [
        "2 commits of agents: 0 with evidence, 0 could have it whole, 0 in part,"
        " 1 kept beside the history"
    ]
    assert adopt(hooked, place, "--scan")["status"] == "scanned"


def test_a_line_on_the_work_of_others_is_told_and_no_entry_derives_it(
    hooked: Repo, log: ClaudeLog
) -> None:
    by_hand = APP + "\n\ndef leave():\n    sys.exit(1)\n"
    log.read("app.py", by_hand)
    log.edit("app.py", "    sys.exit(1)", "    sys.exit(0)", by_hand)
    hooked.write("app.py", by_hand.replace("exit(1)", "exit(0)").encode())
    answer = adopt(hooked, log, code=6)
    [line] = answer["changes"][0]["explained"]
    assert (line["lines"], line["derived"], line["evidence"]) == ([12, 12], False, "receipt")
    assert not_explained(answer) == [("app.py", [9, 11])]
    assert answer["changes"][0]["entries"] == 0
