"""Every command in a prompt gives, word for word, the answer that the prompt shows."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hkgit.agents.prompts import prompt
from hkgit.dialects import DIALECTS, detect
from hkgit.sessions.edit_session import EditSession
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


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_prompt_is_followed_to_the_letter(dialect: str, repo: Repo) -> None:
    """It is short; it shows a reading, an edit that lands with evidence, and a refused one."""
    shown, said, files = list(calls(prompt(dialect))), [], []
    assert len(prompt(dialect)) < 2200
    assert [call.arguments[0] for call in shown][-3:] == ["read", "edit", "edit"]
    assert detect(shown[-2].given) == dialect
    repo.write("greet.py", BEFORE)
    for call in shown:
        result = run(*call.arguments, cwd=repo.path, stdin=call.given.encode())
        said.append(Call(call.arguments, call.given, result.out + result.err))
        files.append(repo.read("greet.py").decode())
    assert said == shown
    assert files[-2] == AFTER
    status = EditSession.open(repo.path, "mend").status()
    assert (status.uncommitted, status.blind) == (1, 0)


def test_git_applies_the_diffs_of_the_prompt(repo: Repo) -> None:
    taught, refused = list(calls(prompt("unified-diff")))[-2:]
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
