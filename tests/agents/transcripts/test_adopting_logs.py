"""What a log may hold besides plain edits: notebooks, shell edits, sub-agents, very many lines."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.logged_diffs import parse_diff, parse_structured_patch
from hkgit.errors import InvalidInput
from hkgit.workflows.log_replay import apply_hunks
from tests.support.adopting import APP, NEW, adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import ClaudeLog

NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1\n"]}]}, indent=1) + "\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return begin(tmp_path, {"app.py": APP, "nb.ipynb": NOTEBOOK, "old.txt": "old\n"})


@pytest.fixture
def log(repo: Repo) -> ClaudeLog:
    return ClaudeLog(repo.path)


def explain(repo: Repo, log: ClaudeLog) -> list[tuple[Any, ...]]:
    """What is explained of the checkout."""
    return explained(adopt(repo, log, "-n"), "tool")


def hunk(start: int, *lines: str) -> dict[str, Any]:
    return {"oldStart": start, "newStart": start, "lines": list(lines)}


def test_a_cell_of_a_notebook(repo: Repo, log: ClaudeLog) -> None:
    after = NOTEBOOK.replace("x = 1", "x = 2")
    sent = {"notebook_path": f"{log.root}/nb.ipynb", "new_source": "x = 2\n", "cell_id": "0"}
    detail = {"notebook_path": sent["notebook_path"], "original_file": NOTEBOOK}
    log.call("NotebookEdit", sent, "Updated cell", detail | {"updated_file": after})
    repo.write("nb.ipynb", after.encode())
    [(path, lines, _, tool)] = explain(repo, log)
    assert (path, tool) == ("nb.ipynb", "NotebookEdit")
    [number] = [at for at, line in enumerate(after.split("\n"), 1) if "x = 2" in line]
    assert lines == [number, number]


def test_files_that_a_command_changed_made_and_removed(repo: Repo, log: ClaudeLog) -> None:
    greet = hunk(
        4, " def greet(name):", "-    print('Helo, ' + name)", "+    print('Hello, ' + name)"
    )
    files = [
        {"filePath": f"{log.root}/app.py", "hunks": [greet]},
        {"filePath": f"{log.root}/made.txt", "hunks": [hunk(0, "+made")], "created": True},
        {"filePath": f"{log.root}/old.txt", "hunks": [hunk(1, "-old")], "deleted": True},
    ]
    detail = {"stdout": "", "bashEditDiff": {"files": files, "moreFiles": 0}}
    log.read("app.py", APP)
    log.call("Bash", {"command": "sed -i s/Helo/Hello/ app.py; ..."}, "", detail)
    repo.write("app.py", NEW.encode())
    repo.write("made.txt", b"made\n")
    (repo.path / "old.txt").unlink()
    assert {(path, tool) for path, _, _, tool in explain(repo, log)} == {
        ("app.py", "Bash"),
        ("made.txt", "Bash"),
        ("old.txt", "Bash"),
    }


def test_a_file_of_which_a_command_s_diff_tells_no_lines_is_not_explained(
    repo: Repo, log: ClaudeLog
) -> None:
    listed = {"files": [], "moreFiles": 1, "changedFiles": [f"{log.root}/app.py"]}
    log.read("app.py", APP)
    log.call("Bash", {"command": "make"}, "", {"bashEditDiff": listed})
    repo.write("app.py", NEW.encode())
    answer = adopt(repo, log, "-n", code=6)
    assert explained(answer) == []
    assert [each["why"] for each in answer["changes"][0]["skipped"]] != []


def test_the_diff_tells_what_was_written_where_the_words_do_not(repo: Repo, log: ClaudeLog) -> None:
    """Quotes of the model become the file's: the log has both."""
    curly = NEW.replace("'Hello, '", "\u2018Hello, \u2019")
    patch = [hunk(5, "-    print('Helo, ' + name)", "+    print(\u2018Hello, \u2019 + name)")]
    sent = {"file_path": f"{log.root}/app.py", "old_string": "'Helo, '", "new_string": "'Hello, '"}
    told = {"filePath": sent["file_path"], "oldString": "'Helo, '", "newString": "'Hello, '"}
    log.read("app.py", APP)
    log.call("Edit", sent, "ok", told | {"originalFile": APP, "structuredPatch": patch})
    repo.write("app.py", curly.encode())
    assert explain(repo, log) == [("app.py", [5, 5], "receipt", "Edit")]


def test_what_a_sub_agent_without_a_name_did_explains_nothing(repo: Repo, log: ClaudeLog) -> None:
    """As in old logs: what it was shown is not told from what others were."""
    helper = ClaudeLog(repo.path, isSidechain=True)
    helper.read("app.py", APP)
    helper.edit("app.py", "print('Helo, ' + name)", "print('Hello, ' + name)", APP)
    log.lines += helper.lines
    repo.write("app.py", NEW.encode())
    assert explained(adopt(repo, log, "-n", code=6)) == []


LIMIT = 110 * 2**20
"""Bytes of memory for a log of 60 MB: hkgit itself takes most of them, its lines one at a time."""


PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
"""Prints the most memory that a command had: a child of these tests begins with that of theirs."""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(repo: Repo, log: ClaudeLog, tmp_path: Path) -> None:
    place = tmp_path / "long.jsonl"
    log.read("app.py", APP)
    log.edit("app.py", "Helo", "Hello", APP)
    talk = log.lines[0]
    chatter = json.dumps(
        json.loads(talk) | {"type": "assistant", "message": {"content": "x" * 9000}}
    )
    with place.open("w") as stream:
        for _ in range(6800):
            stream.write(f"{chatter}\n")
        stream.write("\n".join(log.lines) + "\n")
    assert place.stat().st_size > 60 * 2**20
    repo.write("app.py", NEW.encode())
    if sys.platform == "win32":
        pytest.skip("nothing tells there how much memory a process took")
    words = [sys.executable, "-m", "hkgit", "adopt", "-n", "--from", str(place)]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], cwd=repo.path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) * (1 if sys.platform == "darwin" else 1024) < LIMIT


DIFF = "Index: a\n===\n--- a\n+++ a\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n"
OLD = b"a\nb\nc\nd\ne\n"


@cases(
    "diff, old, new",
    {
        "in the middle": (DIFF, OLD, OLD.replace(b"c", b"C")),
        "CRLF": (DIFF, OLD.replace(b"\n", b"\r\n"), b"a\r\nb\r\nC\r\nd\r\ne\r\n"),
        "at the end": ("@@ -1 +1,2 @@\n a\n+b\n", b"a\n", b"a\nb\n"),
        "no end": ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", b"a\n", b"b"),
        "of nothing": ("@@ -0,0 +1 @@\n+a\n", b"", b"a\n"),
        "two": ("@@ -1 +1 @@\n-a\n+A\n@@ -5 +5,2 @@\n-e\n+E\n+f\n", OLD, b"A\nb\nc\nd\nE\nf\n"),
    },
)
def test_hunks_of_a_log_are_applied_at_their_lines(diff: str, old: bytes, new: bytes) -> None:
    assert apply_hunks(old, parse_diff(diff)) == new


def test_a_hunk_that_stands_elsewhere_does_not_fit() -> None:
    with pytest.raises(InvalidInput, match="does not match"):
        apply_hunks(b"x\n" + OLD, parse_diff(DIFF))


@pytest.mark.parametrize(
    "diff", [None, "", "nothing", DIFF.removesuffix(" d\n"), "@@ -1,9 +1,9 @@\n a\n"]
)
def test_a_diff_that_is_none_or_cut_off_has_no_hunks(diff: str | None) -> None:
    assert parse_diff(diff) == ()


@pytest.mark.parametrize("patch", [None, [], [{"lines": None}], ["x"], [{"oldStart": "1"}]])
def test_a_structured_diff_that_is_none_has_no_hunks(patch: object) -> None:
    assert parse_structured_patch(patch) == ()
