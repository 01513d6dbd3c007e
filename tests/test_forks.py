"""Commands of the tests run in forks that are used again, each as if it were the first."""

from pathlib import Path

import pytest

from tests.support.forks import find_forks, use_forks
from tests.support.repos import Repo
from tests.support.running import run

COMMANDS = (
    ("--version",),
    ("read", "app.py"),
    ("status",),
    ("log",),
    ("verify",),
    ("read", "missing.py"),
    ("no-such-command",),
    ("doctor",),
)


@pytest.fixture
def begun(repo: Repo) -> Repo:
    repo.commit({"app.py": "one\ntwo\n"}, "Begin")
    return repo


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="Linux tells of children")
def test_commands_run_one_after_another_in_one_fork(begun: Repo) -> None:
    run("--version", cwd=begun.path)
    before = find_forks()
    for _ in range(2):
        for command in COMMANDS:
            run(*command, cwd=begun.path)
    assert find_forks() == before
    assert before


def test_a_fork_answers_as_a_process_does(begun: Repo) -> None:
    in_forks = [run(*command, cwd=begun.path) for command in (*COMMANDS, *COMMANDS)]
    assert in_forks[: len(COMMANDS)] == in_forks[len(COMMANDS) :]
    use_forks(False)
    assert [run(*command, cwd=begun.path) for command in COMMANDS[:3]] == in_forks[:3]
