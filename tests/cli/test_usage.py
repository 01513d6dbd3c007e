"""The command line as a whole: what it offers, wrong usage, and errors as documents."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.write_reference import list_commands
from hkgit.cli.commands import FIRST
from tests.support.cases import cases
from tests.support.modules import ROOT
from tests.support.repos import Repo
from tests.support.running import Result, run


def test_without_a_command_the_commands_are_listed(tmp_path: Path) -> None:
    result = run(cwd=tmp_path)
    assert result.code == 64
    assert result.out == ""
    assert all(f"\n  {name} " in result.err for name in FIRST)


@pytest.mark.parametrize("words", ["hkgit --help", "hk --help", "hkgit read -h"])
def test_help_is_an_answer(tmp_path: Path, words: str) -> None:
    program, *args = words.split()
    result = run(*args, cwd=tmp_path, program=program)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: {words.rpartition(' ')[0]} ")


def test_the_module_is_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hkgit", "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.stdout == run("--help", cwd=tmp_path).stdout != b""


@cases(
    "args, words",
    {
        "unknown command": (["nonsense"], "No such command"),
        "unknown option": (["--nonsense"], "No such option"),
        "nothing to read": (["read"], "Missing argument"),
        "too much to read": (["read", "a", "b"], "unexpected extra argument"),
        "unknown schema": (["schema", "nonsense"], "is not one of"),
        "nothing to judge": (["gate"], "exactly one of"),
        "two things": (["gate", "--staged", "--range", "A..B"], "exactly one of"),
        "unknown format": (["gate", "--staged", "--format", "x"], "is not one of"),
        "an option without its value": (["log", "--agent"], "requires an argument"),
        "no commits to list": (["log", "-n", "0"], "is not in the range"),
    },
)
def test_wrong_usage_is_64_and_says_why(tmp_path: Path, args: list[str], words: str) -> None:
    result = run(*args, cwd=tmp_path)
    assert result.code == 64, result.err
    assert result.out == "", result.err
    assert words in result.err, result.err


def test_of_two_steps_of_a_commit_none_is_done(repo: Repo) -> None:
    result = run("record", "--staged", "--withdraw", cwd=repo.path)
    assert (result.code, "exactly one of" in result.err) == (64, True)


@cases(
    "args, where",
    {
        "an unknown option before": (["log", "--nonsense", "--json"], "hkgit log"),
        "half an edit": (["apply", "--json", "--file", "a"], "hkgit apply"),
        "a format, nothing to judge": (["gate", "--format", "json"], "hkgit gate"),
        "a format, not yet read": (["gate", "--x", "--format=json"], "hkgit gate"),
        "an unknown command": (["nonsense", "--json"], "hkgit"),
    },
)
def test_wrong_usage_is_a_document_where_one_was_asked_for(
    repo: Repo, args: list[str], where: str
) -> None:
    result = run(*args, cwd=repo.path)
    error = _error(result)
    assert (result.code, result.json()["status"], error["where"]) == (64, "usage", where)
    assert error["what"] in result.err


@pytest.mark.parametrize(("program", "command"), [("hkgit", "edit"), ("hk", "apply")])
def test_wrong_usage_of_an_edit_has_the_keys_of_its_answer(
    tmp_path: Path, program: str, command: str
) -> None:
    told = run(command, "--json", "--nonsense", cwd=tmp_path, program=program).json()
    assert (told["status"], told["edits"], told["commit"]) == ("usage", [], None)


def test_wrong_usage_of_a_gate_is_in_the_format_that_was_asked_for(repo: Repo) -> None:
    told = run("gate", "--format", "sarif", cwd=repo.path).json()
    [invocation] = told["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 64


def test_a_command_runs_as_if_started_elsewhere(repo: Repo) -> None:
    (repo.path / "below").mkdir()
    (repo.path / "below" / "a.py").write_text("x = 1\n")
    told = run("-C", repo.path.name, "-C", "below", "read", "a.py", "--json", cwd=repo.path.parent)
    assert told.json()["path"] == "below/a.py"


def test_nothing_runs_in_a_directory_that_is_not_there(tmp_path: Path) -> None:
    result = run("-C", "nowhere", "read", "a.py", "--json", cwd=tmp_path)
    assert (result.code, result.json()["status"]) == (64, "usage")


@pytest.mark.parametrize("front", [[], ["-q"], ["-C", "."]])
def test_hk_apply_edits_the_working_tree_whatever_stands_before_it(
    tmp_path: Path, front: list[str]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    edit = ("--file", "a.py", "--old", "x = 1", "--new", "x = 2")
    told = run(*front, "apply", *edit, cwd=tmp_path, program="hk").json()
    assert (told["status"], told["commit"]) == ("applied", None)


WITH_JSON = sorted(
    name
    for name, ctx in list_commands()
    if any("--json" in each.opts for each in ctx.command.params)
)
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "attest": ("A..B", "--key", "key"),
    "blame": ("a.py",),
    "edit": ("spec",),
    "read": ("a.py",),
    "report": ("A..B",),
    "verify": ("A..B",),
    "apply": ("spec",),
    "export": ("--to", "tables"),
    "session show": ("mine",),
    "sql": ("select 1",),
}
"""What these cannot be called without; the others may be called without anything."""


def _error(result: Result) -> dict[str, Any]:
    """The error of the one document on standard output."""
    document = json.loads(result.out)
    error = document.get("error")
    assert isinstance(error, dict), result.out
    assert error["exit_code"] == result.code
    return error


@pytest.mark.parametrize("name", WITH_JSON)
def test_wrong_usage_is_a_document(tmp_path: Path, name: str) -> None:
    result = run(*name.split(), "--json", "--no-such-option", cwd=tmp_path)
    assert result.code == 64, result.err
    assert "--no-such-option" in _error(result)["what"]


@pytest.mark.parametrize("name", WITH_JSON)
def test_a_refusal_is_a_document(tmp_path: Path, name: str) -> None:
    """In a directory that is no repository, with files that are not there."""
    result = run(*name.split(), *ARGUMENTS.get(name, ()), "--json", cwd=tmp_path)
    assert result.code != 0, result.out
    error = _error(result)
    assert [key for key in ("where", "what", "fix") if not error[key]] == []


def test_the_function_that_the_demonstration_edits_is_there() -> None:
    script = (ROOT / "hkgit/cli/demo.sh").read_text("utf-8")
    [(target, function)] = re.findall(r"^target=(.*)\nfunction='(.*)'$", script, re.MULTILINE)
    assert f"\n{function}\n" in (ROOT / target).read_text("utf-8")
