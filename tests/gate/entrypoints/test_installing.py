"""`hkgit init --server` and `--hook reference-transaction`: what they write and take back."""

from pathlib import Path

import pytest

from tests.support.commands import FRAMEWORK_CONFIG, hkgit
from tests.support.repos import Repo


@pytest.fixture
def server(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "server.git", bare=True)


def _hooks(repo: Repo) -> list[str]:
    folder = repo.hooks
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".sample")


def test_a_server_gets_one_hook_and_no_file_of_policy(server: Repo) -> None:
    before = _hooks(server)
    assert hkgit(server, "init", "--server") == "wrote   hooks/pre-receive\n"
    assert not (server.path / ".hkgit").exists()
    assert hkgit(server, "init", "--server") == "kept    hooks/pre-receive: installed already\n"
    hkgit(server, "init", "--server", "--hook", "pre-push", code=64)
    hkgit(server, "init", "--remove")
    assert _hooks(server) == before


def test_a_server_hook_of_somebody_else_stays_and_its_owner_is_told(server: Repo) -> None:
    hook = server.write_hook("pre-receive", "cat >/dev/null")
    before = hook.read_bytes()

    said = hkgit(server, "init", "--server", code=7)

    assert hook.read_bytes() == before
    assert "pass its input to `hkgit gate --quiet --pre-receive` as well" in said


def test_the_net_is_installed_only_when_it_is_named(repo: Repo) -> None:
    hkgit(repo, "init")
    assert "reference-transaction" not in _hooks(repo)
    hkgit(repo, "init", "--hook", "reference-transaction")
    assert "reference-transaction" in _hooks(repo)
    hkgit(repo, "init", "--remove")
    assert _hooks(repo) == []


def test_with_a_framework_git_runs_the_hooks_that_are_named(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", FRAMEWORK_CONFIG)

    hkgit(repo, "init", "--hook", "pre-push", "--hook", "reference-transaction")

    assert _hooks(repo) == ["pre-push", "reference-transaction"]
    assert repo.read(".pre-commit-config.yaml").decode() == FRAMEWORK_CONFIG
