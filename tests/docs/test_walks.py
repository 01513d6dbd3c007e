"""The walks of docs/architecture.md lead where the code goes: each step is entered after the last.

What a process calls is noted function by function; importing a module is not entering it.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repos import Repo
from tests.support.running import range_hash

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")

ENTERED = """\
import atexit, os, sys
from hkgit.cli.start import run
root = os.path.dirname(sys.modules["hkgit"].__file__) + os.sep
entered = []

def note(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root) and code.co_name != "<module>":
        name = code.co_filename[len(root):].replace(os.sep, "/")
        if entered[-1:] != [name]:
            entered.append(name)

atexit.register(lambda: (sys.setprofile(None), print(*entered, sep="\\n", file=sys.stderr)))
sys.setprofile(note)
run()
"""
SHOWN = f"a.py:1={range_hash(b'x = 1' + bytes([10]), 1, 1)}"
EDIT = ("apply", "--file", "a.py", "--old", "x = 1", "--new", "x = 2", "--expect", SHOWN)


def find_steps(title: str) -> list[list[str]]:
    """The modules and folders that each step of a walk names."""
    walk = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d+\. (.*)$", walk, re.MULTILINE)
    return [re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", step) for step in steps]


def list_entered(repo: Repo, *words: str) -> list[str]:
    """The modules that a command enters, in order, with those that it comes back to."""
    command = [sys.executable, "-c", ENTERED, *words]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if line.endswith(".py")]


def find_missed(steps: list[list[str]], entered: list[str]) -> list[str]:
    """What is not entered after all that is named before it."""
    missed = []
    at = 0
    for place in (place for step in steps for place in step):
        after = (i for i in range(at, len(entered)) if entered[i].startswith(place))
        found = next(after, None)
        if found is None:
            missed.append(place)
        else:
            at = found
    return missed


@pytest.fixture
def edited(repo: Repo) -> Repo:
    repo.commit({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    return repo


def test_an_edit_takes_the_steps_of_its_walk(edited: Repo) -> None:
    steps = find_steps("The walk of one edit")
    assert len(steps) == 8
    entered = list_entered(edited, *EDIT)
    assert find_missed(steps, entered) == []


def test_a_judgement_takes_the_steps_of_its_walk(edited: Repo) -> None:
    before = edited.head
    list_entered(edited, *EDIT)
    steps = find_steps("The walk of one judgement")
    assert len(steps) == 4
    words = ("gate", "--range", f"{before}..HEAD", "--format", "github")
    assert find_missed(steps, list_entered(edited, *words)) == []


def test_a_step_that_is_not_taken_is_found() -> None:
    entered = ["cli/a.py", "gate/b.py", "cli/a.py"]
    assert find_missed([["cli/a.py"], ["gate/b.py"]], entered) == []
    assert find_missed([["gate/b.py"], ["cli/a.py"], ["gate/"]], entered) == ["gate/"]
