"""Every command in a prompt gives, word for word, the answer that the prompt shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from hkgit.agents.prompts import prompt
from hkgit.dialects import DIALECTS, detect
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import Status
from tests.support.repos import Repo
from tests.support.running import run

BEFORE = 'def greet(name):\n    print("Helo, " + name)\n\n\ngreet("you")\n'
AFTER = BEFORE.replace("Helo", "Hello")

_CALL = re.compile(
    r"^\$ (?P<command>.*?)(?: <<'EDIT'\n(?P<input>(?:.*\n)*?)EDIT)?\n(?P<answer>(?:(?!\$ ).*\n)*)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Call:
    """A command, what it is given on standard input, and what it answers."""

    arguments: list[str]
    given: str
    answer: str


def calls(text: str) -> Iterator[Call]:
    """The commands of a prompt: its lines that are set off by four blanks."""
    session = "".join(line[4:] for line in text.splitlines(True) if line.startswith("    "))
    for found in _CALL.finditer(session):
        arguments = shlex.split(found["command"])[1:]
        yield Call(arguments, found["input"] or "", found["answer"])


@dataclass(frozen=True)
class Followed:
    """What became of the file that a prompt speaks of, by following it to the letter."""

    said: list[Call]
    after_edit: str
    status: Status


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Followed]:
    """Follows the prompt of a dialect, once."""

    @cache
    def follow(dialect: str) -> Followed:
        root = Repo.init(tmp_path_factory.mktemp(dialect) / "repo").path
        greeting = root / "greet.py"
        greeting.write_text(BEFORE, newline="")
        said, files = [], []
        for call in calls(prompt(dialect)):
            result = run(*call.arguments, cwd=root, stdin=call.given.encode())
            said.append(Call(call.arguments, call.given, result.out + result.err))
            files.append(greeting.read_text())
        return Followed(said, files[-2], EditSession.open(root, "mend").status())

    return follow


Follow = Callable[[str], Followed]


@pytest.mark.sampled
@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_example_gives_the_answer_that_is_shown(dialect: str, followed: Follow) -> None:
    assert followed(dialect).said == list(calls(prompt(dialect)))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_edit_that_is_taught_lands(dialect: str, followed: Follow) -> None:
    assert followed(dialect).after_edit == AFTER


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_edit_that_is_taught_has_evidence(dialect: str, followed: Follow) -> None:
    status = followed(dialect).status
    assert status.uncommitted == 1
    assert status.blind == 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_prompt_shows_a_read_an_edit_and_a_refusal(dialect: str) -> None:
    kinds = [call.arguments[0] for call in calls(prompt(dialect))]
    assert kinds[-3:] == ["read", "edit", "edit"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_edit_that_is_taught_is_known_without_its_name(dialect: str) -> None:
    edit = next(call for call in calls(prompt(dialect)) if call.arguments[0] == "edit")
    assert detect(edit.given) == dialect


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_prompt_is_short(dialect: str) -> None:
    assert len(prompt(dialect)) < 2200


def test_git_applies_the_diffs_of_the_prompt(repo: Repo) -> None:
    taught, refused = list(calls(prompt("unified-diff")))[1:]
    greeting = repo.path / "greet.py"
    greeting.write_text(BEFORE, newline="")
    repo.git("apply", "-", stdin=taught.given.encode())
    assert greeting.read_text() == AFTER
    assert "@@ -5,1 +5,1 @@\n" in refused.given
    corrected = refused.answer.partition("Corrected: ")[2]
    repo.git("apply", "--check", "-", stdin=corrected.encode())


def test_the_command_prints_the_prompt(repo: Repo) -> None:
    assert run("prompt", "protocol", cwd=repo.path).out == prompt("protocol")


def test_an_unknown_dialect_is_wrong_usage(repo: Repo) -> None:
    assert run("prompt", "nonsense", cwd=repo.path).code == 64
