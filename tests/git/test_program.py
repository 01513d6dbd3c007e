"""The door to git: what goes through it and what does not."""

import os
import subprocess
from pathlib import Path

import pytest

from hkgit.errors import GitRefused
from hkgit.git.facts import LOCAL_VARIABLES
from hkgit.git.program import Completed, Git, refuse_failed
from tests.support.cases import cases
from tests.support.repos import Repo, write_program


def test_every_variable_that_git_calls_local_is_scrubbed() -> None:
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) <= LOCAL_VARIABLES


def test_a_failure_is_told_in_gits_own_words(repo: Repo) -> None:
    with pytest.raises(GitRefused, match=r"git cat-file: fatal: Not a valid object name nope"):
        Git(repo.path)("cat-file", "-p", "nope")


def test_a_lock_comes_with_advice(repo: Repo) -> None:
    (repo.path / ".git" / "index.lock").touch()
    with pytest.raises(GitRefused, match="Another git process is running"):
        Git(repo.path)("read-tree", "--empty")


@cases(
    "completed, told",
    {
        "a code": (Completed(b"", "", 3), "ended with code 3"),
        "a signal": (Completed(b"", "", -9), "was ended by SIGKILL"),
        "one without a name": (Completed(b"", "", -63), "was ended by signal 63"),
        "a lock that cannot be made": (
            Completed(b"", "Unable to create '.git/index.lock': Read-only file system", 128),
            "Make the repository writable",
        ),
    },
)
def test_how_git_ended_is_told_in_words(completed: Completed, told: str) -> None:
    assert told in str(refuse_failed(["write-tree"], completed))


def test_a_file_system_monitor_of_the_configuration_is_not_started(repo: Repo) -> None:
    repo.commit({"a": "1"})
    repo.git("config", "core.fsmonitor", f"touch '{repo.path}/started'; false")
    Git(repo.path)("status")
    assert not (repo.path / "started").exists()


def test_a_machine_without_git_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitRefused, match="there is no git program on PATH"):
        Git(tmp_path)("status")


def test_a_git_that_is_too_old_is_named_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = write_program(
        tmp_path / "git", '[ "$3" = --version ] && echo git version 2.30.1 || exit 129'
    )
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitRefused, match=r"git 2\.30 is too old\nInstall git 2\.38 or newer"):
        Git(tmp_path)("merge-tree", "--write-tree", "a", "b")


def test_a_directory_that_is_gone_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(GitRefused, match="there is no such directory"):
        Git(tmp_path / "gone")("status")


def test_paths_that_are_not_utf8_go_in_and_come_out(repo: Repo) -> None:
    repo.commit({"caf\udce9": "x"})
    listed = Git(repo.path)("ls-files", "-z", "--", "caf\udce9")
    assert listed.text == "caf\udce9\0"
