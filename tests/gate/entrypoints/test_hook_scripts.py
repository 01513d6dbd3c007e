"""The plain hooks as files: where they come from and how they find hkgit."""

import os
import shutil
import venv
from pathlib import Path

import pytest

from hkgit.gate.entrypoints.hook_scripts import is_own, render_script
from hkgit.git.facts import calls_gate
from tests.support.cases import cases
from tests.support.commands import ROOT, git, hkgit, start
from tests.support.repos import Repo
from tests.support.serving import preload_hooks

BLIND = {"GIT_AUTHOR_NAME": "claude", "GIT_AUTHOR_EMAIL": "noreply@anthropic.com"}


def _without_hkgit() -> dict[str, str]:
    """A PATH with everything but hkgit."""
    kept = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if shutil.which("hkgit", path=folder) is None
    ]
    return {"PATH": os.pathsep.join(kept)}


def test_the_published_hook_is_the_one_that_init_writes() -> None:
    assert (ROOT / "hooks/hkgit").read_bytes() == render_script()
    mode = start("git", "ls-files", "--stage", "hooks/hkgit", cwd=ROOT).stdout[:6]
    assert mode == "100755"


@pytest.mark.parametrize("shell", ["sh", "bash", "busybox"])
def test_the_shell_understands_the_hook(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    (tmp_path / "hook").write_bytes(render_script())
    words = (shell, "sh") if shell == "busybox" else (shell,)
    assert start(*words, "-n", "hook", cwd=tmp_path).returncode == 0


def test_a_file_with_no_hooks_name_judges_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "hkgit").write_bytes(render_script())
    done = start("sh", "hkgit", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "give this file the name of a hook, such as pre-receive" in done.stderr


def test_a_hook_is_known_as_own_whichever_interpreter_is_recorded() -> None:
    assert is_own(render_script(Path("/somewhere/it's here/python")))


@cases(
    "old, new",
    {
        "another hash": (b"# hkgit sha256:", b"# hkgit sha256:0"),
        "another line": (b"    exit 1\n", b"    exit 0\n"),
        "another shell": (b"#!/bin/sh\n", b"#!/bin/bash\n"),
        "a line more": (b"python=''", b"python=''\nnpm test"),
    },
)
def test_a_hook_that_somebody_changed_is_no_longer_own(old: bytes, new: bytes) -> None:
    script = render_script()
    assert old in script or b"exit 1" in script
    assert is_own(script)
    assert not is_own(script.replace(old, new, 1) if old in script else script + new)


@cases(
    "content, expected",
    {
        "called": (b"#!/bin/sh\nhkgit gate --staged || exit 1\n", True),
        "in a comment": (b"#!/bin/sh\n# hkgit gate\n", False),
        "absent": (b"#!/bin/sh\nnpx lint-staged\n", False),
    },
)
def test_a_hook_of_somebody_else_is_searched_for_a_call(content: bytes, expected: bool) -> None:
    assert calls_gate(content) is expected


def _expect_advice(repo: Repo, said: str) -> None:
    """Follow what a hook without hkgit says on its one line: then git commits in silence."""
    [line] = said.splitlines()
    assert line.startswith("hkgit is not installed, so it judges nothing here. Install it, or ")
    command = line.partition("remove its hooks: ")[2]
    assert start("sh", "-c", command, cwd=repo.path).returncode == 0
    passes, said = git(repo, "commit", "-q", "--allow-empty", "-m", "x", env=_without_hkgit())
    assert (passes, said) == (True, "")


def test_who_has_no_hkgit_can_commit_and_is_told_once(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", ".husky")
    repo.git("config", "advice.ignoredHook", "false")
    hkgit(repo, "init")
    repo.git("add", "-A")
    passes, said = git(repo, "commit", "-q", "-m", "x", env=_without_hkgit())
    assert passes, said
    _expect_advice(repo, said)


@pytest.fixture
def uninstalled(tmp_path: Path) -> Path:
    """The interpreter of an environment from which pip has taken hkgit away."""
    venv.create(tmp_path / "env", symlinks=True)
    return tmp_path / "env/bin/python"


def test_hkgit_that_pip_took_away_stops_no_commit(native: Repo, uninstalled: Path) -> None:
    preload_hooks(native, uninstalled)
    native.write(".git/hkgit/sessions/.waiting", "")
    native.write("app.py", "one\n2\nthree\n")
    passes, said = git(native, "commit", "-q", "-a", "-m", "x", env=_without_hkgit())
    assert passes, said
    _expect_advice(native, said)


@pytest.mark.parametrize("left", ["", "bin/hkgit"], ids=["nothing left", "its program left"])
def test_hkgit_that_pip_took_away_takes_no_push(native: Repo, uninstalled: Path, left: str) -> None:
    hook = native.write("pre-receive", render_script(uninstalled))
    path = _without_hkgit()
    if left:
        program = uninstalled.parent / "hkgit"
        program.write_text("#!/nowhere/python\n")
        program.chmod(0o755)
        path = {"PATH": f"{uninstalled.parent}{os.pathsep}{path['PATH']}"}
    done = start("sh", str(hook), cwd=native.path, env=path)
    assert done.returncode == 1
    assert done.stderr.startswith("hkgit is not installed")


@pytest.mark.parametrize("planted", ["", "print('nothing to see')\n"])
def test_a_hook_without_hkgit_on_path_runs_the_recorded_interpreter(
    native: Repo, planted: str
) -> None:
    """And never a judge from the repository."""
    native.write("app.py", "one\n2\nthree\n")
    if planted:
        native.write("hkgit/__main__.py", planted)
        native.write("hkgit/__init__.py", "")
    native.git("add", "-A")
    message = native.write("message", "Edit\n")
    hook = native.path / ".git/hooks/commit-msg"

    done = start("sh", str(hook), str(message), cwd=native.path, env=_without_hkgit() | BLIND)

    assert "is an agent" in done.stdout
