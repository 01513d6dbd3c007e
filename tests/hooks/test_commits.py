"""Commits that git makes with its hooks: what the gate lets pass, and what it rejects."""

import json
import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import (
    AGENT,
    HUMAN,
    expect_pass,
    expect_refusal,
    hkgit,
    replace_line_two,
    stage_line_two,
    start,
)
from tests.support.repos import Repo, write_program

CREDIT = "Mine\n\nCo-authored-by: Claude <noreply@anthropic.com>"

NOTHING = "true"
CHANGED = "printf 'one\\n2\\nthree\\n' >app.py"
STAGED = f"{CHANGED} && git add -A"
DELETED = "git rm -q notes.md"
COMMITTED = "git commit -q --no-verify -a -m Meanwhile"
EVIDENCE = "git restore --source=evidence --staged --worktree ."
"""What hkgit made: the change and its ledger entry."""
MERGED = "git merge -q --ff-only evidence"
A_BYTE = "printf 'one\\nTWO\\nthree!\\n' >app.py"
SMUGGLED = "echo Smuggled >notes.md && git add -A"
DIVERGED = f"echo 'More notes' >notes.md && {COMMITTED}"
CONFLICT_OF_PICK = (
    f"git checkout -q -b side && echo side >>app.py && {COMMITTED} && git checkout -q main"
    f" && echo main >>app.py && {COMMITTED}; git cherry-pick side; git checkout --theirs app.py"
    " && git add -A"
)
"""A person resolves a person's conflict, and the same for HEAD's own author."""
CONFLICT_OF_MERGE = (
    f"{CHANGED} && {COMMITTED}; git merge evidence;"
    " printf 'one\\nTWO, 2\\nthree\\n' >app.py && git add -A"
)
"""A person merges an agent's branch and resolves the conflict by hand."""


def run_script(repo: Repo, command: str) -> None:
    done = start("sh", "-c", command, cwd=repo.path)
    assert done.returncode == 0, done.stdout + done.stderr


MINE, SAME = "commit -m Mine", "commit --no-edit"
BY_PATH = "commit -C evidence -- app.py .hkgit"
MERGING = "merge --no-ff -m Merge evidence"
BY_CLAUDE = AGENT | {"GIT_COMMITTER_NAME": "claude"}
CREDITED = f"commit -m '{CREDIT}'"
SMUGGLED_IN = f"{DIVERGED} && git merge -q --no-ff --no-commit evidence && {SMUGGLED}"


@pytest.mark.sampled
@cases(
    "prepare, command, author",
    {
        "an agent's, by hkgit": (EVIDENCE, "commit -C evidence", HUMAN),
        "a person's": (STAGED, MINE, HUMAN),
        "a person's, -a": (CHANGED, f"{MINE} -a", HUMAN),
        "a person's, deleting only": (DELETED, MINE, HUMAN),
        "of paths, with something else staged": (f"{EVIDENCE} && {SMUGGLED}", BY_PATH, HUMAN),
        "merge": (DIVERGED, MERGING, HUMAN),
        "agent's merge": (DIVERGED, MERGING, AGENT),
        "fast-forward": (NOTHING, "merge --ff-only evidence", HUMAN),
        "amend a person's": (STAGED, f"{MINE} --amend", HUMAN),
        "amend an agent's": (MERGED, f"{SAME} --amend", HUMAN),
        "cherry-pick an agent's": (DIVERGED, "cherry-pick evidence", HUMAN),
        "cherry-pick and edit": (DIVERGED, "cherry-pick --edit evidence", HUMAN),
        "after conflict": (CONFLICT_OF_PICK, "cherry-pick --continue", HUMAN),
        "merge resolved by a person": (CONFLICT_OF_MERGE, SAME, HUMAN),
        "empty, an agent's": (NOTHING, f"{MINE} --allow-empty", AGENT),
    },
)
def test_a_commit_that_is_accounted_for_passes(
    gated: Repo, prepare: str, command: str, author: Mapping[str, str]
) -> None:
    run_script(gated, prepare)
    expect_pass(gated, *shlex.split(command), env={**author, "GIT_EDITOR": "true"})


@pytest.mark.sampled
@cases(
    "prepare, command, author, reason",
    {
        "an agent's": (STAGED, MINE, AGENT, "is an agent"),
        "an agent's, -a": (CHANGED, f"{MINE} -a", AGENT, "is an agent"),
        "an agent's, of paths": (CHANGED, f"{MINE} -- app.py", AGENT, "is an agent"),
        "an agent's, deleting only": (DELETED, MINE, AGENT, "is an agent"),
        "known as an agent's by its message alone": (STAGED, CREDITED, HUMAN, "is an agent"),
        "amended by an agent": (STAGED, f"{MINE} --amend", BY_CLAUDE, "is an agent"),
        "a byte more than the index had, -a": (
            f"{EVIDENCE} && {A_BYTE}",
            "commit -a -C evidence",
            HUMAN,
            "app.py",
        ),
        "a byte more than the index had, of paths": (
            f"{EVIDENCE} && {A_BYTE}",
            BY_PATH,
            HUMAN,
            "app.py",
        ),
        "a byte amended into an agent's": (
            f"{MERGED} && {A_BYTE} && git add -A",
            f"{SAME} --amend",
            HUMAN,
            "app.py",
        ),
        "a byte smuggled into an agent's merge": (SMUGGLED_IN, SAME, AGENT, "merge"),
    },
)
def test_a_commit_that_nothing_accounts_for_is_rejected(
    gated: Repo, prepare: str, command: str, author: Mapping[str, str], reason: str
) -> None:
    run_script(gated, prepare)
    head = gated.head
    assert reason in expect_refusal(gated, *shlex.split(command), env=author)
    assert gated.head == head


def test_hkgit_apply_commits_through_the_hooks(gated: Repo) -> None:
    head = gated.head
    hkgit(gated, "apply", "-", stdin=replace_line_two(gated, "TWO\n"), env=AGENT)
    assert gated.resolve("HEAD^") == head


def test_a_commit_msg_hook_of_somebody_else_opens_no_way_past_the_gate(native: Repo) -> None:
    native.write_hook("commit-msg", "true")
    edit = {"file": "app.py", "old_text": "two", "new_text": "TWO"}
    hkgit(native, "apply", "-", stdin=json.dumps(edit), env=AGENT, code=6)


def test_a_commit_that_passes_prints_nothing_of_the_gate(native: Repo) -> None:
    run_script(native, STAGED)
    assert expect_pass(native, "commit", "-q", "-m", "Mine") == ""


BY_AGENT = (
    "hkgit read app.py --session s && hkgit edit --session s --agent robot/1"
    " --file app.py --old two --new 2 && git commit -q -a -m 'Say 2'"
)
BY_HAND = "echo More >>notes.md && git commit -q -a -m 'Mine'"


@pytest.mark.sampled
@pytest.mark.parametrize("where", ["here", "in a linked worktree"])
@cases(
    "prepare, command",
    {
        "another file amended": ("echo More >>notes.md", "git commit -q -a --amend --no-edit"),
        "staged and amended": (
            "echo More >>notes.md && git add notes.md && git commit -q --amend --no-edit",
            "git commit -q --amend --no-edit",
        ),
        "the same file amended": ("echo four >>app.py", "git commit -q -a --amend --no-edit"),
        "squashed": (f"{BY_HAND} && git reset -q --soft HEAD~2", "git commit -q -m Both"),
        "squashed by merge": (
            f"{BY_HAND} && git checkout -q -b main2 HEAD~2 && git merge -q --squash @{{-1}}",
            "git commit -q -m Both",
        ),
    },
)
def test_work_by_hand_beside_entries_is_refused_as_a_push_would_and_committed_as_advised(
    native: Repo, tmp_path: Path, prepare: str, command: str, where: str
) -> None:
    repo, base = native, native.head
    if where != "here":
        repo = native.linked(tmp_path / "linked", "-b", "linked")
    run_script(repo, BY_AGENT)
    start("sh", "-c", prepare, cwd=repo.path)
    repo.write("unrelated.txt", "not staged\n")
    head, files = repo.head, [repo.read(name) for name in ("app.py", "notes.md")]

    refused = start("sh", "-c", command, cwd=repo.path)
    assert refused.returncode == 1, refused.stderr
    assert repo.head == head

    said = refused.stdout + refused.stderr
    advice, _, then = said.partition("fix: ")[2].splitlines()[0].partition("  # ")
    run_script(repo, advice)
    if then:
        assert then == "then commit again"
        run_script(repo, command)
    hkgit(repo, "gate", "--range", f"{base}..HEAD")
    assert [repo.read(name) for name in ("app.py", "notes.md")] == files
    assert repo.git("status", "--porcelain") == "?? unrelated.txt"
    assert repo.git("ls-files", ".hkgit/ledger/*.json")


def test_an_amend_that_adds_nothing_by_hand_passes(native: Repo) -> None:
    run_script(native, BY_AGENT)
    for words in (("--no-edit",), ("-m", "Say 2, better"), ("--no-edit", "--reset-author")):
        expect_pass(native, "commit", "-q", "--amend", *words)


def test_a_new_commit_may_come_after_an_agents(native: Repo) -> None:
    run_script(native, f"{BY_AGENT} && {BY_HAND}")


# What `hkgit apply` has judged


@pytest.fixture
def refusing(tmp_path: Path) -> dict[str, str]:
    """An environment in which hooks find an hkgit that writes down that it was asked, and says no.

    The `hkgit apply` of a test is not that one.
    """
    program = write_program(tmp_path / "bin/hkgit", f'echo "$@" >>{tmp_path}/asked\nexit 1')
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def test_no_hook_asks_of_what_apply_has_judged(
    native: Repo, tmp_path: Path, refusing: dict[str, str]
) -> None:
    spec = replace_line_two(native, "TWO\n")
    hkgit(native, "apply", "-", stdin=spec, env=AGENT | refusing)
    assert not (tmp_path / "asked").exists()
    assert native.read("app.py") == b"one\nTWO\nthree\n"


def test_a_message_that_another_hook_has_changed_is_judged(
    native: Repo, tmp_path: Path, refusing: dict[str, str]
) -> None:
    native.write_hook("prepare-commit-msg", 'echo more >>"$1"')
    spec = replace_line_two(native, "TWO\n")
    hkgit(native, "apply", "-", stdin=spec, env=AGENT | refusing, code=7)
    assert "--message-file" in (tmp_path / "asked").read_text()


# The framework's own filters let nothing past the gate


@pytest.fixture(
    params=[
        pytest.param("files: ^src/\n", id="files"),
        pytest.param("exclude: ^\\.git/|app\n", id="exclude", marks=pytest.mark.slow),
    ]
)
def filtered(request: pytest.FixtureRequest, framework: Repo) -> Repo:
    """A configuration whose top level filters away the message's file and app.py."""
    config = framework.path / ".pre-commit-config.yaml"
    config.write_text(request.param + config.read_text())
    framework.git("commit", "-q", "--no-verify", "-a", "-m", "Filter")
    stage_line_two(framework, "2")
    return framework


@pytest.mark.slow
def test_what_the_filter_leaves_out_is_judged_by_author_and_message(filtered: Repo) -> None:
    expect_refusal(filtered, "commit", "-m", "Mine", env=AGENT)
    expect_refusal(filtered, "commit", "-m", CREDIT)
    expect_pass(filtered, "commit", "-m", "Mine")


@pytest.mark.slow
def test_a_clean_merge_passes_where_the_name_of_its_message_is_filtered_away(
    filtered: Repo,
) -> None:
    filtered.git("restore", "--staged", "--worktree", ".")
    filtered.commit({"notes.md": "More\n"}, "Meanwhile", "--no-verify")
    expect_pass(filtered, "merge", "--no-ff", "-m", "Merge", "evidence")


@cases(
    "newest, code",
    {"a commit after a merge": ("COMMIT_EDITMSG", 0), "a merge after a commit": ("MERGE_MSG", 6)},
)
def test_without_a_name_the_message_that_git_wrote_last_is_judged(
    native: Repo, newest: str, code: int
) -> None:
    stage_line_two(native, "2")
    native.write(".git/COMMIT_EDITMSG", "Mine")
    native.write(".git/MERGE_MSG", CREDIT)
    later = time.time() + 10
    os.utime(native.path / ".git" / newest, (later, later))

    hkgit(native, "gate", "--message-file", code=code)


def test_without_a_name_and_without_a_message_the_gate_says_so(repo: Repo) -> None:
    hkgit(repo, "gate", "--message-file", code=4)
