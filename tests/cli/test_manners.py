"""How much is said and where: quiet and verbose, colour, progress, faults, near misses."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.forks import loaded_program
from tests.support.repos import Repo
from tests.support.running import run, run_on_terminal, script

EDIT = ("edit", "--file", "a.py", "--old", "x = 1", "--new", "x = 2")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Two commits and one file, never changed."""
    repo = Repo.init(tmp_path_factory.mktemp("manners") / "repo")
    repo.commit({"README.md": "Here\n"})
    repo.commit({"a.py": "x = 1\n"})
    return repo


def on_terminal(*args: str, cwd: Path, env: dict[str, str] | None = None) -> tuple[int, str]:
    """What hkgit says on a terminal, without the progress that a slow machine gets to see."""
    code, said = run_on_terminal(loaded_program(), *args, cwd=cwd, env=env)
    return code, re.sub(r"\r\x1b\[K(judging commit \d+ of \d+)?", "", said)


def test_the_version_names_all_that_an_answer_depends_on(one: Repo, tmp_path: Path) -> None:
    """Also a git that is missing."""
    said = run("--version", cwd=one.path).out
    names = [line.split(" ")[0] for line in said.splitlines()]
    assert names == ["hkgit", "ladder", "python", "pygit2", "libgit2", "git"]
    without = run("--version", cwd=one.path, env={"PATH": str(tmp_path)})
    assert without.code == 0
    assert without.out.splitlines()[-1].startswith("git (")


def test_quiet_success_says_nothing(one: Repo, tmp_path: Path) -> None:
    for words in (("--quiet", *EDIT, "--dry-run"), (*EDIT, "-q", "--dry-run")):
        result = run(*words, cwd=one.path)
        assert (result.code, result.err) == (0, "")
        assert "confidence" not in result.out
    done = run("init", "-q", cwd=Repo.init(tmp_path / "repo").path)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_quiet_refusals_are_said(one: Repo) -> None:
    result = run("-q", "edit", "--file", "a.py", "--old", "y", "--new", "z", cwd=one.path)
    assert result.code == 1
    assert "not in the file" in result.err


def test_verbose_names_each_program_started_and_leaves_the_answer_as_it_is(one: Repo) -> None:
    plain, told = (run(*args, cwd=one.path) for args in (("log",), ("-v", "log")))
    assert plain.stdout == told.stdout
    assert [line for line in told.err.splitlines() if line.startswith("hkgit: runs git ")]


@pytest.mark.sampled
@cases(
    "env, is_coloured",
    {
        "a terminal": ({}, True),
        "NO_COLOR": ({"NO_COLOR": "1"}, False),
        "NO_COLOR without a value": ({"NO_COLOR": ""}, True),
        "a dumb terminal": ({"TERM": "dumb"}, False),
    },
)
@pytest.mark.parametrize(
    "args", [("verify", "HEAD~1..HEAD"), ("read", "nonsense")], ids=["answer", "refusal"]
)
def test_colour_is_for_terminals_that_want_it(
    one: Repo, args: tuple[str, ...], env: dict[str, str], is_coloured: bool
) -> None:
    assert ("\x1b[3" in on_terminal(*args, cwd=one.path, env=env)[1]) == is_coloured


@cases(
    "args, env, is_coloured",
    {
        "a list": (("log",), {}, False),
        "a refusal": (("read", "nonsense"), {}, False),
        "rulings": (("verify", "HEAD~1..HEAD"), {}, False),
        "always": (("log", "--color", "always"), {}, True),
        "always, though NO_COLOR": (("log", "--color", "always"), {"NO_COLOR": "1"}, True),
        "never": (("log", "--color", "never"), {}, False),
    },
)
def test_a_pipe_gets_colour_where_it_is_asked_for(
    one: Repo, args: tuple[str, ...], env: dict[str, str], is_coloured: bool
) -> None:
    result = run(*args, cwd=one.path, env=env)
    assert ("\x1b" in result.out + result.err) == is_coloured


@cases(
    "args, near",
    {
        "command": (("raed", "a.py"), "'read'"),
        "option": (("read", "--hashlin", "a.py"), "--hashline"),
        "option of the gate": (("gate", "--stagged"), "--staged"),
    },
)
def test_near_misses_are_named(one: Repo, args: tuple[str, ...], near: str) -> None:
    result = run(*args, cwd=one.path)
    assert result.code == 64
    assert "Did you mean" in result.err
    assert near in result.err


def test_help_is_a_command_too(one: Repo) -> None:
    for names in (("read",), ("policy", "check")):
        asked = run("help", *names, cwd=one.path).stdout
        assert asked == run(*names, "--help", cwd=one.path).stdout
    for names in (("nonsense",), ("read", "nonsense")):
        refused = run("help", *names, cwd=one.path)
        assert refused.code == 64
        assert ("unverifiable" in refused.err) is (len(names) == 1)


@pytest.fixture
def broken(one: Repo, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "pygit2.py").write_text("raise RuntimeError('one line\\nand another')\n")
    return {"PYTHONPATH": str(tmp_path), "HKGIT_GIT": "libgit2"}


def test_a_fault_is_one_line_and_what_to_do(one: Repo, broken: dict[str, str]) -> None:
    result = run("read", "a.py", "--rev", "HEAD", cwd=one.path, env=broken)
    assert result.code == 70
    assert result.err.splitlines() == [
        "hkgit: internal error in hkgit: RuntimeError: one line",
        "Run it again with --debug and report it.",
    ]


@pytest.mark.parametrize("command", ["log", "apply"])
def test_a_fault_is_a_document_where_one_was_asked_for(
    one: Repo, broken: dict[str, str], command: str
) -> None:
    result = run(command, "--json", cwd=one.path, env=broken)
    told = result.json()
    said = result.code, told["status"], told["error"]["exit_code"]
    assert said == (70, "fault", 70)


@pytest.mark.parametrize("args", [("--help",), ("log",), ("log", "--json"), ("read", "a.py")])
def test_an_answer_that_cannot_be_written_is_the_systems_word(
    one: Repo, tmp_path: Path, args: tuple[str, ...]
) -> None:
    done = into_full_file(one, f"{shlex.join(args)} > '{tmp_path}/full'")
    assert done.returncode == 70
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("hkgit: the system reported an error: ")


def test_nowhere_to_say_anything_is_no_answer_of_another_kind(one: Repo, tmp_path: Path) -> None:
    assert into_full_file(one, f"log > '{tmp_path}/full' 2>&1").returncode == 70


@pytest.mark.parametrize(
    "args", [("log",), ("gate", "--range", "HEAD~1..HEAD"), ("--help",)], ids=lambda args: args[0]
)
def test_an_answer_that_nobody_reads_is_no_verdict(one: Repo, args: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command: list[str | Path] = [loaded_program(), *args]
    done = subprocess.run(command, cwd=one.path, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""


def into_full_file(repo: Repo, arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that cannot write anything into any file."""
    command = f"ulimit -f 0; exec '{script('hkgit')}' {arguments}"
    return subprocess.run(
        ["sh", "-c", command], cwd=repo.path, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.parametrize("args", [("--debug", "log"), ("log", "--debug")], ids=["front", "behind"])
def test_debug_shows_where(one: Repo, broken: dict[str, str], args: tuple[str, ...]) -> None:
    command: list[str | Path] = [script("hkgit"), *args]
    done = subprocess.run(command, cwd=one.path, env=os.environ | broken, capture_output=True)
    assert b"Traceback" in done.stderr


WORK = """\
import time
from hkgit.cli.output import show_progress
for item in show_progress('doing')(range(10)): time.sleep(0.08)
"""


def test_long_work_shows_progress_on_a_terminal_alone_and_wipes_it(tmp_path: Path) -> None:
    code, said = run_on_terminal(sys.executable, "-c", WORK, cwd=tmp_path)
    assert code == 0
    assert re.fullmatch(r"(\r\x1b\[Kdoing \d+ of 10)+\r\x1b\[K", said)
    done = subprocess.run([sys.executable, "-c", WORK], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), "in a pipe"


@cases(
    "env, setting, begins",
    {
        "GIT_PAGER": ({"GIT_PAGER": "sed s/^/A:/", "PAGER": "no"}, "no", "A:"),
        "the user's core.pager": ({"PAGER": "no"}, "sed s/^/B:/", "B:"),
        "PAGER": ({"PAGER": "sed s/^/C:/"}, None, "C:"),
        "none": ({"GIT_PAGER": "", "PAGER": "no"}, "no", "\x1b[90mdate"),
    },
)
def test_long_answers_go_through_the_pager_of_git(
    one: Repo, tmp_path: Path, env: dict[str, str], setting: str | None, begins: str
) -> None:
    config = tmp_path / "config"
    config.write_text("" if setting is None else f"[core]\n\tpager = {setting}\n")
    code, said = on_terminal("log", cwd=one.path, env={"GIT_CONFIG_GLOBAL": str(config)} | env)
    assert code == 0
    assert said.startswith(begins)
    assert "\x1b[33m" in said


def test_a_pager_that_the_repository_names_is_not_run(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.commit({"a.txt": "a\n"})
    repo.git("config", "core.pager", "touch owned; cat")
    code, _ = on_terminal("log", cwd=repo.path, env={"PAGER": "cat"})
    assert code == 0
    assert not (repo.path / "owned").exists()


def test_a_reader_may_leave_the_pager_early(one: Repo) -> None:
    assert on_terminal("log", cwd=one.path, env={"GIT_PAGER": "true"}) == (0, "")


def test_a_long_search_of_the_log_shows_progress(one: Repo, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(
        "import hkgit.cli.output\nhkgit.cli.output._PATIENCE = hkgit.cli.output._PAUSE = 0\n"
    )
    env = {"PYTHONPATH": str(slow), "GIT_PAGER": "cat"}
    _, said = run_on_terminal(script("hkgit"), "log", "--author", "nobody", cwd=one.path, env=env)
    assert "judging commit 2 of 2" in said
    assert said.rpartition("\x1b[K")[2].startswith("\x1b[90mdate")
