"""Hooks record in every kind of checkout, and two conversations at once in one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.homes import find_folders
from tests.agents.streaming import Talk, change
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


def _in_worktree(repo: Repo) -> Path:
    repo.commit({"x.py": TEXT.encode()})
    repo.git("worktree", "add", "-q", str(repo.path.parent / "linked"))
    return repo.path.parent / "linked"


def _in_submodule(repo: Repo) -> Path:
    inner = Repo.init(repo.path.parent / "inner")
    inner.commit({"x.py": TEXT.encode()})
    allowed = ("-c", "protocol.file.allow=always")
    repo.git(*allowed, "submodule", "--quiet", "add", str(inner.path), "module")
    return repo.path / "module"


def _without_commits(repo: Repo) -> Path:
    repo.write("x.py", TEXT.encode())
    return repo.path


def _at_odd_path(repo: Repo) -> Path:
    odd = Repo.init(repo.path.parent / "a b\nc 'd\" é$x")
    odd.commit({"x.py": TEXT.encode()})
    return odd.path


@pytest.mark.parametrize("make", [_in_worktree, _in_submodule, _without_commits, _at_odd_path])
def test_an_edit_is_recorded_with_evidence(make: Callable[[Repo], Path], repo: Repo) -> None:
    root = make(repo)
    Talk(root).read("x.py")
    assert Talk(root).edit("x.py", "b = 2", "b = 20") == ""
    status = EditSession.open(root, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 0)


def _next_door(repo: Repo) -> Path:
    other = Repo.init(repo.path.parent / "next door")
    other.commit({"x.py": TEXT.encode()})
    return other.path


@pytest.mark.parametrize("is_steered", [False, True], ids=["recording", "steering"])
@pytest.mark.parametrize("make", [_in_worktree, _in_submodule, _next_door])
def test_an_edit_of_another_guarded_checkout_is_recorded_there(
    make: Callable[[Repo], Path], is_steered: bool, repo: Repo
) -> None:
    """The agent was started in one checkout, and names files of another."""
    other = make(repo)
    run("init", cwd=other)
    talk = Talk(other, "s", *(["--steer"] if is_steered else []), cwd=str(repo.path))
    talk.read("x.py")
    assert talk.edit("x.py", "b = 2", "b = 20") == ""
    assert find_folders(repo.path) == []
    status = EditSession.open(other, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 0)


def test_a_commit_of_it_is_judged_there(repo: Repo) -> None:
    other = guard(Repo(_next_door(repo)))
    talk = Talk(other.path, cwd=str(repo.path))
    talk.read("x.py")
    talk.edit("x.py", "b = 2", "b = 20")
    other.git("commit", "-qam", "Work")
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=other.path)
    assert "verdict strict" in judged.out


@cases(
    "command",
    {
        "from its directory": "cd {0} && sed -i s/2/20/ x.py",
        "by its path": "sed -i s/2/20/ '{0}/x.py'",
        "below the home": "sed -i s/2/20/ ~/{0.name}/x.py",
        "beside nobody's home": "ls ~nobody-at-all/x; cd {0} && sed -i s/2/20/ x.py",
        "beside a long word": f"echo {'a' * 300}/x | base64 -d; cd {{0}} && sed -i s/2/20/ x.py",
    },
)
@pytest.mark.parametrize("make", [_in_worktree, _in_submodule])
def test_what_a_command_changes_in_another_guarded_checkout_is_recorded_there(
    make: Callable[[Repo], Path], command: str, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has read it there, which the agent is told."""
    other = make(repo)
    monkeypatch.setenv("HOME", str(other.parent))
    run("init", cwd=other)
    end = Talk(repo.path).begin("Bash", command=command.format(other))
    change(other / "x.py", ("b = 2", "b = 20"))
    assert "x.py:2-2" in end({"stdout": "", "stderr": ""})
    status = EditSession.open(other, "claude-s").status()
    assert (len(status.calls), status.uncommitted, status.blind) == (1, 1, 1)


def test_a_checkout_that_cannot_be_looked_at_hides_no_other(repo: Repo) -> None:
    other = _in_worktree(repo)
    run("init", cwd=other)
    (repo.path / ".git/index").write_bytes(b"broken")
    end = Talk(repo.path).begin("Bash", command=f"cd {other} && sed -i s/2/20/ x.py")
    change(other / "x.py", ("b = 2", "b = 20"))
    assert "x.py:2-2" in end({"stdout": "", "stderr": ""})


def test_of_a_checkout_without_hkgit_nothing_is_kept(repo: Repo) -> None:
    other = _next_door(repo)
    Talk(other, cwd=str(repo.path)).read("x.py")
    assert find_folders(other) == []
    assert not (other / ".git/hkgit").exists()


def test_in_a_bare_repository_nothing_is_recorded_and_nothing_stopped(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare.git", bare=True)
    before = sorted(each.name for each in bare.path.iterdir())
    (bare.path / "x.py").write_text(TEXT)
    Talk(bare.path).read("x.py")
    assert Talk(bare.path).begin_edit("x.py", "b = 2", "b = 20")() == ""
    assert sorted(each.name for each in bare.path.iterdir()) == sorted([*before, "x.py"])


def test_conversations_with_long_names_are_told_apart(repo: Repo) -> None:
    """What one has read the other has not: the names differ at their ends."""
    repo.commit({"x.py": TEXT.encode()})
    names = ("c" * 90 + "1", "c" * 90 + "2")
    for name in names:
        Talk(repo.path, name).read("x.py")
    assert len({each.name for each in find_folders(repo.path)}) == 2
    assert all(len(each.name) <= 64 for each in find_folders(repo.path))
