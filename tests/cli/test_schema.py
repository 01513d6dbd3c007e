"""What programs and shells read: published schemas, and completions as a shell asks for them."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hkgit.applying.evidence import KINDS, RECOVERED
from hkgit.cli.schema import NAMES, find_schema
from hkgit.evidence.verdict import Verdict
from hkgit.gate.ruling import BY_HAND, NO_EVIDENCE
from hkgit.text.edit_json import OPERATIONS
from hkgit.text.formats import DICTIONARY, ENTRY, describe_format
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run, script


@pytest.mark.parametrize("name", NAMES)
def test_every_published_schema_is_one(name: str) -> None:
    schema = find_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["description"]
    assert schema["$id"].startswith(f"urn:hkgit:{name}:v")


def test_words_of_documents_are_those_of_the_code() -> None:
    nothing = {Verdict.MANUAL, Verdict.UNGOVERNED}
    words = describe_format("replay")["enum"]
    assert {*words} == ({*Verdict} - nothing) | {BY_HAND, NO_EVIDENCE}
    assert describe_format("evidence_kind")["enum"] == [*KINDS]
    assert describe_format("shown_evidence")["enum"] == [*KINDS, RECOVERED]
    assert describe_format("operation")["properties"]["op"]["enum"] == [*OPERATIONS]


def test_no_line_of_the_dictionary_is_skipped() -> None:
    skipped = re.sub(ENTRY, "", re.sub(r"\n {8}", " ", DICTIONARY))
    assert [line for line in skipped.split("\n") if line and not line.startswith("# ")] == []


# Completions: the printed script is read by bash, then asked

ASK = """\
eval "$(hkgit completions bash)"
COMP_WORDS=({words}); COMP_CWORD={at}; COMPREPLY=()
_{program}_completion {program} 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("completions") / "repo")
    repo.commit({"a.py": "x = 1\n"})
    return repo


def offered(words: str, cwd: Path, program: str = "hkgit") -> list[str]:
    """What bash would offer for the last word."""
    at = words.count(" ")
    env = {**os.environ, "PATH": f"{script('hkgit').parent}:{os.environ['PATH']}"}
    asked = ASK.format(words=words, at=at, program=program)
    done = subprocess.run(["bash", "-c", asked], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.sampled
@cases(
    "words, expected",
    {
        "a command": ("hkgit ver", ["verify"]),
        "an option": ("hkgit gate --sta", ["--staged"]),
        "a choice": ("hkgit gate --format j", ["json"]),
        "an argument of choices": ("hkgit completions z", ["zsh"]),
        "nothing to offer": ("hkgit nonsense --x", []),
    },
)
def test_bash_is_offered(begun: Repo, words: str, expected: list[str]) -> None:
    assert offered(words, begun.path) == expected


def test_hk_completes_as_well(begun: Repo) -> None:
    assert offered("hk ed", begun.path, "hk") == ["edit"]


@pytest.mark.slow
def test_files_are_left_to_the_shell(begun: Repo) -> None:
    env = {"COMP_WORDS": "hkgit apply sp", "COMP_CWORD": "2", "_HKGIT_COMPLETE": "bash_complete"}
    assert run(cwd=begun.path, env=env).out == "file,sp\n"


@pytest.mark.parametrize("asked", ["bash_source", "bash_complete", "nonsense"])
def test_a_command_runs_though_a_completion_is_asked_for(begun: Repo, asked: str) -> None:
    """Set in an environment, the variable would turn the gate off."""
    env = {"COMP_WORDS": "hkgit gate", "COMP_CWORD": "1", "_HKGIT_COMPLETE": asked}
    assert run("gate", "--range", "nowhere", cwd=begun.path, env=env).code != 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_both_programs(tmp_path: Path, shell: str) -> None:
    said = run("completions", shell, cwd=tmp_path).out
    assert all(f"_{name}_COMPLETE={shell}_complete" in said for name in ("HKGIT", "HK"))
