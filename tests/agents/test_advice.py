"""What an agent is told to do mends what it is told of, wherever it stands when it does it."""

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.agents.streaming import Talk, change
from tests.support.cases import cases
from tests.support.circumstances import AS_IT_IS, CIRCUMSTANCES, SHA_256
from tests.support.commands import git, loaded_path, start
from tests.support.commits import TAKES_LATE
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.serving import guard

AGENT = {"CLAUDECODE": "1"}
pytestmark = pytest.mark.sampled


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Make a folder with a repository in each circumstance once; return the checkout."""

    @cache
    def make(circumstance: str) -> Path:
        repo = Repo.init(tmp_path_factory.mktemp("below") / "repo")
        repo.commit({"first.txt": b"1\n"}, "Start")
        repo.commit({"second.txt": b"2\n"}, "Go on")
        repo = CIRCUMSTANCES[circumstance](repo)
        files = {"a dir/x.py": b"a = 1\nb = 2\nc = 3\n", "gone.txt": b"x\n", "kept.txt": b"k\n"}
        return guard(repo, {".hkgit/config.toml": TAKES_LATE, **files}).path

    return make


@pytest.fixture(params=[AS_IT_IS, "linked", "shallow", SHA_256])
def below(
    request: pytest.FixtureRequest,
    template: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Repo:
    """A repository with hkgit's hooks, and a file in a directory whose name has a blank."""
    if request.param == SHA_256:
        monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setenv("PATH", loaded_path()["PATH"])
    made = template(request.param)
    folder = shutil.copytree(made.parent, tmp_path / "below", symlinks=True)
    repo = Repo(folder / made.name)
    if request.param == "linked":  # they name each other, by their whole paths
        for place in (repo.path / ".git", folder / "repo/.git/worktrees/linked/gitdir"):
            place.write_text(place.read_text().replace(str(made.parent), str(folder)))
    repo.git("update-index", "-q", "--refresh")
    return repo


def _edit(repo: Repo, old: str, new: str) -> str:
    """What Claude Code's model is told of an edit that it makes in a directory."""
    return Talk(repo.path, cwd=str(repo.path / "a dir")).edit("a dir/x.py", old, new)


def _say_twenty(repo: Repo) -> str:
    """What the model is told of an edit of a line that it was not shown, or was."""
    return _edit(repo, "b = 2", "b = 20")


def _run_as_agent(command: str, directory: Path) -> tuple[int, str]:
    """Run a command in the shell of Claude Code."""
    done = start("sh", "-c", command, cwd=directory, env=AGENT)
    return done.returncode, done.stdout + done.stderr


def _follow(command: str, directory: Path) -> None:
    """Do as one is told."""
    code, said = _run_as_agent(command, directory)
    assert code == 0, said


def _find_commands(said: str) -> str:
    """The commands of a remark of a hook."""
    return said.partition(", run ")[2].partition(" and then ")[0]


def _verdict(repo: Repo) -> str:
    shown = run("show", "HEAD", "--json", cwd=repo.path)
    return str(json.loads(shown.stdout)["replay"])


@pytest.mark.parametrize("directory", [".", "a dir"])
def test_what_a_hook_says_of_a_blind_edit_mends_it(directory: str, below: Repo) -> None:
    _follow(_find_commands(_say_twenty(below)), below.path / directory)
    assert _say_twenty(below) == ""
    below.git("commit", "-qam", "Say twenty")
    assert _verdict(below) == "strict"


@pytest.mark.parametrize("directory", [".", "a dir"])
def test_what_the_gate_says_of_a_blind_edit_mends_it(directory: str, below: Repo) -> None:
    _say_twenty(below)
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / directory)
    below.git("commit", "-qm", "Say twenty")
    assert _verdict(below) == "strict"


def test_what_the_gate_says_of_a_change_nobody_recorded_mends_it(below: Repo) -> None:
    """In an agent's shell: all of what is staged, and nothing of what is not."""
    below.write("a dir/x.py", b"a = 1\nb = 20\nc = 3\n")
    below.write('new "q".txt', b"new\n")
    (below.path / "gone.txt").unlink()
    below.git("add", "-A")
    below.write("kept.txt", b"not staged\n")
    _follow(_find_mend(below), below.path / "a dir")
    assert _verdict(below) == "strict"
    assert below.git("status", "--porcelain") == " M kept.txt"
    [path] = below.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    assert json.loads(below.git("show", f"HEAD:{path}"))["claims"]["agent"] == "claude-code"


def test_what_nobody_recorded_beside_a_blind_edit_is_mended_by_the_same_line(below: Repo) -> None:
    _say_twenty(below)
    (below.path / "gone.txt").unlink()
    below.write("kept.txt", b"by nobody\n")
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / "a dir")
    assert _verdict(below) == "strict"
    judged = run("gate", "--range", "HEAD~1..HEAD", cwd=below.path)
    assert (judged.code, below.git("status", "--porcelain")) == (0, "")


@pytest.mark.parametrize("text", ["import a\n", "import a", "a\r\nb\r\n"])
def test_an_empty_file_that_is_filled_unread_is_mended(text: str, below: Repo) -> None:
    below.commit({"empty.py": b""})
    said = Talk(below.path).write("empty.py", text)
    below.git("add", "-A")
    assert "blind edit" in _run_as_agent("git commit -qm Work", below.path)[1]
    _follow(_find_commands(said), below.path)
    Talk(below.path).write("empty.py", text)
    below.git("add", "-A")
    below.git("commit", "-qm", "Fill it")
    assert _verdict(below) == "strict"


def test_an_empty_file_that_was_shown_is_read(below: Repo) -> None:
    """No answer can leave out a line of it."""
    below.commit({"empty.py": b""})
    Talk(below.path).read("empty.py")
    assert Talk(below.path).write("empty.py", "import a\n") == ""
    below.git("commit", "-qam", "Fill it")
    assert _verdict(below) == "strict"


@pytest.mark.parametrize("name", ["new.sh", "kept.txt"], ids=["after a write", "alone"])
def test_a_file_made_executable_by_who_knows_it_has_evidence(name: str, below: Repo) -> None:
    talk = Talk(below.path)
    if name == "kept.txt":
        talk.read(name)
    else:
        talk.write(name, "#!/bin/sh\n")
    end = talk.begin("Bash", command=f"chmod +x {name}")
    (below.path / name).chmod(0o755)
    assert end() == ""
    below.git("add", "-A")
    _follow("git commit -qm Program", below.path)
    assert _verdict(below) == "strict"


@pytest.mark.parametrize("shell", [AGENT, {}], ids=["the agent commits", "a person commits"])
def test_a_line_that_was_not_committed_and_is_overwritten_unread_is_mended(
    shell: dict[str, str], below: Repo
) -> None:
    """Twice at most: what is said the second time makes the commit."""
    below.write("a dir/x.py", b"a = 1\nb = 25\nc = 3\n")
    before = below.head
    _edit(below, "b = 25", "b = 99")
    below.git("add", "-A")
    for _ in range(2):
        if below.head == before:
            ok, said = git(below, "commit", "-qm", "Work", env=shell)
            assert not ok
            assert "blind edit" in said
            _follow(said.partition("fix: ")[2].splitlines()[0], below.path)
    assert _verdict(below) == "strict"
    assert below.git("status", "--porcelain") == ""


@pytest.mark.usefixtures("clock")
def test_a_read_edit_of_a_line_that_was_not_committed_is_a_persons_and_nothing_waits(
    below: Repo,
) -> None:
    below.write("a dir/x.py", b"a = 1\nb = 25\nc = 3\n")
    Talk(below.path).read("a dir/x.py")
    assert _edit(below, "b = 25", "b = 99") == ""
    assert git(below, "commit", "-qam", "Work")[0]
    assert "past git's hooks" not in run("doctor", cwd=below.path).out


def test_lines_nobody_recorded_in_a_file_of_a_session_are_mended(below: Repo) -> None:
    _say_twenty(below)
    change(below.path / "a dir/x.py", ("a = 1", "a = 7"))
    later = time.time() + 60  # what comes at once is a formatter's, and the agent's
    os.utime(below.path / "a dir/x.py", (later, later))
    below.git("add", "-A")
    _follow(_find_mend(below), below.path / "a dir")
    assert _verdict(below) == "strict"
    assert below.git("status", "--porcelain") == ""


def _ask_doctor(repo: Repo) -> str:
    """What doctor says of agents."""
    lines = run("doctor", cwd=repo.path).out.splitlines()
    return "\n".join(line for line in lines if line.startswith("agents "))


@pytest.mark.sampled
@pytest.mark.parametrize("mode", ["record", "steer"])
@pytest.mark.parametrize("agent", ["claude", "pi", "qwen"])
def test_what_doctor_says_of_outdated_hooks_mends_them(agent: str, mode: str, repo: Repo) -> None:
    repo.commit({"a.txt": b"a\n"})
    run("init", "--agent", agent, "--mode", mode, cwd=repo.path)
    hooks = {"claude": ".claude/settings.json", "qwen": ".qwen/settings.json"}
    place = repo.path / hooks.get(agent, ".pi/extensions/hkgit.js")
    place.write_text(place.read_text().replace(" || true", "").replace("// ", "//  "))
    told = _ask_doctor(repo)
    if "Move it away" in told:
        place.rename(place.with_suffix(".old"))
    _follow(told.splitlines()[0].rpartition(": ")[2], repo.path)
    assert "hkgit writes it" not in _ask_doctor(repo)
    assert "another version" not in _ask_doctor(repo)


def test_what_doctor_says_of_missing_hooks_of_the_user_sets_them_up(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.txt": b"a\n"})
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    run("init", "--agent", "gemini", cwd=repo.path)
    told = _ask_doctor(repo)
    assert "gemini runs its hooks only where it is started in the root" in told
    [hkgit, *words] = shlex.split(told.rpartition(": ")[2])
    assert (hkgit, run(*words, cwd=repo.path).code) == ("hkgit", 0)
    assert (tmp_path / ".gemini/settings.json").exists()
    lines = _ask_doctor(repo).splitlines()
    assert "agents       gemini runs your own hooks in every directory" in lines


@pytest.mark.parametrize("agent", ["claude", "codex", "copilot", "gemini", "pi"])
def test_doctor_and_init_say_of_hooks_that_never_ran_what_they_wait_for(
    agent: str, repo: Repo
) -> None:
    said = run("init", "--agent", agent, cwd=repo.path).out
    [line] = [each for each in _ask_doctor(repo).splitlines() if "no hook of" in each]
    named, _, trust = line.partition(" has run here yet: ")
    assert named == f"agents       no hook of {agent}"
    assert trust.startswith("trust this ")
    assert f"next    {trust}" in said


def test_doctor_says_nothing_of_an_agent_whose_hooks_run(repo: Repo) -> None:
    repo.commit({"a.txt": b"a\n"})
    run("init", "--agent", "claude", cwd=repo.path)
    Talk(repo.path).read("a.txt")
    assert "no hook of" not in _ask_doctor(repo)


def test_doctor_says_that_the_program_is_not_where_hooks_look_for_it(repo: Repo) -> None:
    assert "is not on the path" not in _ask_doctor(repo)  # nobody looks for it
    run("init", "--agent", "claude", cwd=repo.path)
    without = {"PATH": os.environ["PATH"]}
    assert "hkgit is not on PATH here" in run("doctor", cwd=repo.path, env=without).out
    assert "is not on the path" not in _ask_doctor(repo)


def _find_mend(repo: Repo) -> str:
    """The command that the gate names when an agent commits."""
    code, said = _run_as_agent("git commit -qm Work", repo.path)
    assert code != 0
    [mend] = _list_fixes(said)
    return mend


def _list_fixes(said: str) -> list[str]:
    lines = (line.strip() for line in said.splitlines())
    return [line.removeprefix("fix: ") for line in lines if line.startswith("fix: ")]


def test_where_the_shell_finds_no_hkgit_the_commands_name_its_path(
    below: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = (x for x in os.environ["PATH"].split(os.pathsep) if not Path(x, "hkgit").exists())
    monkeypatch.setenv("PATH", os.pathsep.join(plain))
    assert subprocess.run(["sh", "-c", "command -v hkgit"], check=False).returncode != 0
    said = _find_commands(_edit(below, "c = 3", "c = 30"))
    assert Path(shlex.split(said)[0]).is_absolute()
    subprocess.run(said, shell=True, cwd=below.path, check=True)
    _say_twenty(below)
    below.git("add", "-A")
    words = ["sh", "-c", "git commit -qm Work 2>&1"]
    refused = subprocess.run(words, cwd=below.path, stdout=subprocess.PIPE, text=True, check=False)
    [mend] = _list_fixes(refused.stdout)
    assert Path(shlex.split(mend)[0]).is_absolute()
    subprocess.run(mend, shell=True, cwd=below.path, check=True)
    below.git("commit", "-qm", "Say twenty")
    assert _verdict(below) == "strict"


def test_a_login_shell_that_leaves_the_virtual_environment_is_given_the_path(
    below: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook itself finds hkgit; `bash -l` has a PATH of its own."""
    monkeypatch.setenv("PATH", loaded_path()["PATH"])
    said = _find_commands(_say_twenty(below))
    shell = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(below.path.parent)}
    done = subprocess.run(
        ["bash", "-lc", said], cwd=below.path, env=shell, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("hook", ["", "#!/bin/sh\nexit 0\n"], ids=["none", "foreign"])
def test_a_commit_in_a_clone_without_hooks_is_mended_in_one_step(
    hook: str, below: Repo, tmp_path: Path
) -> None:
    """Made again without hooks it would have no evidence again, and the advice would return."""
    below.commit({".hkgit/config.toml": (below.path / ".hkgit/config.toml").read_bytes()})
    below.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    if hook:
        (clone.path / ".git/hooks/pre-commit").write_text(hook)
        (clone.path / ".git/hooks/pre-commit").chmod(0o755)
    talk = Talk(clone.path)
    talk.read("a dir/x.py")
    talk.edit("a dir/x.py", "b = 2", "b = 20")
    end = talk.begin("Bash", command="git commit -qam Work")
    _follow("git commit -qam Work", clone.path)
    said = end()
    assert "has no git hooks of hkgit" in said
    _follow(said.rpartition("fix: ")[2], clone.path)
    assert _verdict(clone) == "strict"


def test_beside_a_foreign_hook_the_evidence_is_added_in_one_step(below: Repo) -> None:
    """`hkgit init` leaves a pre-commit that is not its own, so nothing asks the session."""
    hook = below.hooks / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    Talk(below.path).read("a dir/x.py")
    assert _say_twenty(below) == ""
    _, said = _run_as_agent("git commit -qam Work", below.path)
    assert "Session claude-s has recorded it" in said
    _follow(_list_fixes(said)[0].partition("  #")[0], below.path)
    _follow("git commit -qm Work", below.path)
    assert _verdict(below) == "strict"


_SANDBOX = (
    'own=$(git rev-parse --path-format=absolute --git-common-dir) && mount --bind "$own" "$own"'
    ' && mount -o remount,bind,ro "$own" && '
)
"""As Codex's sandbox does: the checkout can be written, git's directory cannot."""


def _run_in_sandbox(command: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return start("unshare", "-rm", "sh", "-c", _SANDBOX + command, cwd=directory)


@pytest.mark.process
def test_in_a_sandbox_the_command_for_a_blind_edit_says_why_it_fails(below: Repo) -> None:
    if _run_in_sandbox("true", below.path).returncode != 0:
        pytest.skip("this machine lets nobody mount")
    said = _find_commands(_say_twenty(below))
    program = shlex.split(said)[0]
    late = f"{program} read ':/a dir/x.py:2-2' --session claude-s --before 1"
    refused = _run_in_sandbox(late, below.path)
    assert refused.returncode == 7
    assert "this shell may not write there: a sandbox" in refused.stderr
    assert "session claude-s and before 1" in refused.stderr
    refused = _run_in_sandbox(said, below.path)
    assert refused.returncode == 7
    assert "Run this command outside the sandbox." in refused.stderr
    _follow(said, below.path)  # outside of it, as is said
    assert _say_twenty(below) == ""
    below.git("commit", "-qam", "Say twenty")
    assert _verdict(below) == "strict"


UTF_16 = "a\nb\n".encode("utf-16")


@cases(
    "name, content, is_stopped",
    {
        "text": ("plain.txt", b"a\nb\n", True),
        "UTF-16": ("u.txt", UTF_16, False),
        "git LFS": ("model.dat", b"a\nb\n", False),
    },
)
def test_steered_only_what_hkgit_can_edit_is_stopped(
    name: str, content: bytes, is_stopped: bool, below: Repo
) -> None:
    below.write(".gitattributes", b"*.dat filter=lfs diff=lfs merge=lfs -text\n")
    below.write(name, content)
    given = {"file_path": str(below.path / name), "old_string": "b", "new_string": "c"}
    reason = Talk(below.path, "s", "--steer").tell("before", "Edit", **given)
    assert bool(reason) == is_stopped


def test_steered_without_the_server_the_shell_is_a_way_on(below: Repo) -> None:
    """A sub-agent has a list of tools; a server may have failed."""
    talk = Talk(below.path, "s", "--steer")
    talk.read("a dir/x.py")
    given = {"file_path": str(below.path / "a dir/x.py"), "old_string": "b = 2"}
    reason = talk.tell("before", "Edit", **given, new_string="b = 20")
    command = shlex.split(reason.partition("give the edit to `")[2].partition("`")[0])
    text = reason.partition("and this text: ")[2]
    words = f"{shlex.join(command)} <<'EDIT'\n{text}\nEDIT"
    end = talk.begin("Bash", command=words)
    _follow(words, below.path)
    assert end() == ""
    below.git("commit", "-qam", "Say twenty")
    assert _verdict(below) == "strict"
