"""What the start of a command loads: each process pays for it again."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

STARTED = """\
import atexit, sys
from hkgit.cli.start import run
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
run()
"""


def start(repo: Repo, *args: str, stdin: str = "") -> tuple[int, str, list[str], set[str]]:
    """How a command ends, what it says on both streams, and the modules it has loaded by then."""
    command = [sys.executable, "-c", STARTED, *args]
    done = subprocess.run(command, cwd=repo.path, input=stdin, capture_output=True, text=True)
    *said, modules = done.stderr.splitlines()
    return done.returncode, done.stdout, said, set(modules.split())


def loaded(repo: Repo, *args: str, stdin: str = "") -> set[str]:
    """The modules that a command which succeeds has loaded at its end."""
    code, _, said, modules = start(repo, *args, stdin=stdin)
    assert code == 0, said
    return modules


EDIT = ("--file", "a.py", "--old", "x = 1", "--new", "x = 2")


@pytest.fixture
def one(repo: Repo) -> Repo:
    repo.commit({"a.py": "x = 1\n"})
    return repo


def test_apply_starts_the_git_processes_that_the_page_lists(one: Repo, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "benchmarks/README.md").read_text("utf-8")
    listed = page.partition("What `hkgit apply` starts, ")[2].partition("\n\n")[2]
    names = re.findall(r"`([a-z-]+)[^`]*`", listed.partition("\n\n")[0])
    log, git = tmp_path / "log", tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    path = {"PATH": f"{git.parent}{os.pathsep}{os.environ['PATH']}"}
    assert run("apply", *EDIT, cwd=one.path, env=path).code == 0
    started = (re.sub(r"^(-c \S+ )*", "", line) for line in log.read_text().splitlines())
    assert sorted(line.split()[0] for line in started) == sorted(names)


HOOK_WORDS = [
    ("hook", "claude"),
    ("hook", "codex", "--steer"),
    ("record", "--message-file", "message"),
    ("record", "--committed"),
    ("gate", "--quiet", "--record", "--staged"),
    ("gate", "--record", "--message-file", "message"),
    ("gate", "--quiet", "--pre-push", "--remote", "origin"),
    ("gate", "--quiet", "--pre-receive"),
    ("gate", "--quiet", "--reference-transaction", "committed"),
]


@pytest.mark.sampled
@pytest.mark.parametrize("words", HOOK_WORDS, ids=" ".join)
def test_hooks_are_answered_without_click_and_alike(one: Repo, words: tuple[str, ...]) -> None:
    one.write("b.py", "y = 1\n")
    one.write("message", "Words\n\nThis reverts commit 0.\n")
    one.git("add", "b.py")
    # An edit that waits, so that nothing ends before it is known what is asked.
    session = ("edit", *EDIT, "--session", "s", "--allow-blind")
    assert run(*session, cwd=one.path).code == 0
    code, out, said, modules = start(one, *words)
    assert "click" not in modules
    by_click = run("-C", ".", *words, cwd=one.path, stdin=b"")
    assert (code, out, said) == (by_click.code, by_click.out, by_click.err.splitlines())


def test_a_step_of_a_sessions_commit_loads_its_own_part(one: Repo) -> None:
    """Entries need no judge, and trailers no plan."""
    assert run("edit", *EDIT, "--session", "s", "--allow-blind", cwd=one.path).code == 0
    one.write("message", "Words\n")
    one.git("add", "a.py")
    modules = loaded(one, "record", "--staged")
    assert "hkgit.sessions.call_journal" in modules
    assert "hkgit.gate.judge" not in modules
    modules = loaded(one, "record", "--message-file", "message")
    assert "hkgit.sessions.commit_message" in modules
    assert "hkgit.applying.planner" not in modules


def test_calls_that_left_what_is_staged_are_not_planned_again(one: Repo) -> None:
    one.write("a.py", "x = 1\n\n\n\ny = 1\n")
    one.git("commit", "-qam", "Add y")
    assert run("read", "a.py", "--session", "s", cwd=one.path).code == 0
    for name in ("x", "y"):
        words = ("--file", "a.py", "--old", f"{name} = 1", "--new", f"{name} = 2")
        assert run("edit", *words, "--session", "s", cwd=one.path).code == 0
    one.git("add", "a.py")
    assert "hkgit.applying.planner" not in loaded(one, "record", "--staged")
    assert len(one.git("diff", "--cached", "--name-only", "--", ".hkgit/ledger").splitlines()) == 2


SLOW = {"pygit2", "rapidfuzz", "mcp", "duckdb", "socket"}
OF_OTHER_EDITS = {"html", "secrets", "hkgit.dialects.unified_diff", "hkgit.gate.judge"}
REPOSITORY = {"hkgit.git.repository"}


@cases(
    "words, foreign",
    {
        "read": (("read", "a.py"), set()),
        "edit": (("edit", *EDIT), OF_OTHER_EDITS),
        "apply": (("apply", "--allow-blind", *EDIT), set()),
        "gate": (("gate", "--staged"), {"hkgit.matching.ladder"}),
        "help": (("--help",), REPOSITORY),
        "schema": (("schema", "outcome"), REPOSITORY),
        "completions": (("completions", "bash"), REPOSITORY),
    },
)
def test_what_people_wait_for_loads_nothing_that_it_does_not_use(
    one: Repo, words: tuple[str, ...], foreign: set[str]
) -> None:
    assert loaded(one, *words) & (SLOW | foreign) == set()


UNUSED = {"typing", "dataclasses", "hashlib", "base64", "shlex", "subprocess", "inspect"}
LATER = {f"hkgit.matching.{name}" for name in ("advice", "candidates", "everywhere", "loose")}


def test_hooks_of_an_edit_load_what_they_use(one: Repo) -> None:
    def tell(stage: str, old: str, new: str) -> set[str]:
        call = {
            "hook_event_name": stage,
            "tool_name": "Edit",
            "tool_input": {"file_path": "a.py", "old_string": old, "new_string": new},
            "tool_response": {},
            "session_id": "s",
            "cwd": str(one.path),
        }
        return loaded(one, "hook", "claude", stdin=json.dumps(call))

    before = after = set[str]()
    for old, new in (("x = 1", "x = 2"), ("x = 2", "x = 3")):  # the first is blind, and told so
        before = tell("PreToolUse", old, new)
        one.write("a.py", f"{new}\n")
        after = tell("PostToolUse", old, new)
    assert "hkgit.agents.begun_calls" in before
    assert "hkgit.sessions.call_plan" in after
    assert (
        before & (UNUSED | {"hkgit.agents.shown_readings", "hkgit.agents.setup.settings"}) == set()
    )
    assert (
        after & (UNUSED | LATER | {"hkgit.applying.file_diff", "hkgit.applying.languages"}) == set()
    )


KNOWN = """\
import os, sys
sys.argv = ["hkgit", *sys.argv[1:]]
before = set(sys.modules)
try:
    import hkgit.__main__
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(set(sys.modules) - before))
"""

HOOK_MODULES = {
    "hkgit",
    "hkgit.cli",
    "hkgit.cli.passed_commits",
    "hkgit.cli.start",
    "hkgit.git",
    "hkgit.git.facts",
    "hkgit.values",
}


@cases(
    "args, expected",
    {
        "commit-msg": (("gate", "--quiet", "--message-file", "message"), HOOK_MODULES),
        "nothing waits": (("record", "--staged"), {"hkgit", "hkgit.cli", "hkgit.cli.start"}),
    },
)
def test_a_persons_commit_loads_next_to_nothing(
    one: Repo, args: tuple[str, ...], expected: set[str]
) -> None:
    modules: set[str] = set()
    for text in ("x = 2\n", "x = 3\n"):
        one.write("a.py", text)
        one.git("add", "-A")
        one.write("message", "Words\n")
        command = [sys.executable, "-S", "-c", KNOWN, *args]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        printed = subprocess.check_output(command, cwd=one.path, text=True, env=environment)
        modules = set(printed.split())
    assert {each for each in modules if each.startswith("hkgit")} == expected
    assert modules - expected <= {"__future__", "operator", "_operator"}
