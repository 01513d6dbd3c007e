"""What a remote sends is data: it runs nothing here, asks nobody, and holds nobody up."""

import os
import time
from pathlib import Path

import pytest

from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.mirrors import hide_credentials, list_mirror, list_remote, update_mirror
from hkgit.git.program import Git
from tests.support.repos import Repo, write_program


@pytest.fixture
def remote(repo: Repo) -> Repo:
    repo.commit({"a.txt": "a\n"}, "Begin")
    repo.git("update-ref", "refs/hkgit/entries/some/one", "HEAD")
    repo.git("update-ref", "refs/pull/1/head", "HEAD")
    repo.git("tag", "-am", "First", "v1")
    return repo


def test_branches_tags_and_records_are_mirrored_and_what_went_goes(
    remote: Repo, tmp_path: Path
) -> None:
    mirror = tmp_path / "mirror.git"
    update_mirror(str(remote.path), mirror)
    refs = {"refs/heads/main", "refs/tags/v1", "refs/hkgit/entries/some/one"}
    assert set(list_mirror(mirror)) == refs
    assert list_mirror(mirror) == list_remote(str(remote.path)).refs
    remote.git("tag", "-d", "v1")
    update_mirror(str(remote.path), mirror)
    assert set(list_mirror(mirror)) == refs - {"refs/tags/v1"}


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c 'touch {ran}'",
        "fd::17",
        "git://127.0.0.1/x",
        "http://127.0.0.1/x",
        "--upload-pack=touch {ran}",
        "a\nb",
        "",
    ],
)
def test_an_address_that_could_run_something_is_refused(tmp_path: Path, address: str) -> None:
    ran = tmp_path / "ran"
    with pytest.raises(InvalidInput):
        list_remote(address.format(ran=ran))
    assert not ran.exists()


def test_no_hook_and_no_program_that_asks_is_run(
    remote: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror, ran = tmp_path / "mirror.git", tmp_path / "ran"
    update_mirror(str(remote.path), mirror)
    script = write_program(tmp_path / "script", f"touch {ran}")
    for name in ("reference-transaction", "post-update", "update"):
        (mirror / "hooks").mkdir(exist_ok=True)
        (mirror / "hooks" / name).symlink_to(script)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(script))
    remote.commit({"a.txt": "b\n"}, "Go on")
    update_mirror(str(remote.path), mirror)
    with pytest.raises(GitRefused):
        list_remote("https://127.0.0.1:9/x.git")
    assert not ran.exists()


@pytest.mark.parametrize("source", ["environment", "configuration"])
def test_ssh_is_as_the_user_has_it_and_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    script, told = tmp_path / "ssh", tmp_path / "told"
    script.write_text(f'#!/bin/sh\necho "$@" >>{told}; exit 1\n')
    script.chmod(0o755)
    (tmp_path / "gitconfig").write_text(f"[core]\n\tsshCommand = {script} -i key\n")
    if source == "environment":
        monkeypatch.setenv("GIT_SSH_COMMAND", f"{script} -i key")
    else:
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    with pytest.raises(GitRefused):
        list_remote("ssh://127.0.0.1:9/x.git")
    assert "-i key -o BatchMode=yes" in told.read_text()


@pytest.mark.parametrize("password", ["secret", "my@secret"])
def test_credentials_of_an_address_are_not_shown(password: str) -> None:
    assert hide_credentials(f"x https://me:{password}@h/p@q y") == "x https://h/p@q y"
    with pytest.raises(GitRefused) as refused:
        list_remote(f"https://me:{password}@127.0.0.1:9/x.git")
    assert "secret" not in str(refused.value)


def test_what_takes_too_long_is_ended_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "git", f"sleep 30 &\necho $! >{tmp_path}/child\nwait")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitRefused, match=r"took longer than 0\.5 s"):
        Git(tmp_path)("fetch", seconds=0.5)
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + 10
    while _runs(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_locks_of_a_fetch_that_died_are_cleared_away(remote: Repo, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror.git"
    update_mirror(str(remote.path), mirror)
    for name in ("packed-refs.lock", "refs/heads/main.lock", "config.lock"):
        (mirror / name).touch()
    tip = remote.commit({"a.txt": "b\n"}, "Go on")
    update_mirror(str(remote.path), mirror)
    assert list_mirror(mirror)["refs/heads/main"] == tip
