"""How a command ends: streams closed or full, a terminal, odd paths, and the last word."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.forks import loaded_program
from tests.support.repos import Repo
from tests.support.running import run_on_terminal, script

GOOD = '{"file": "a", "old_text": "2\\n", "new_text": "two\\n"}'
BAD = '{"file": "a", "old_text": "nope\\n", "new_text": "two\\n"}'
LONG = "a" * 256
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.init(tmp_path / "repo")
    made.commit({"a": "1\n2\n3\n", "e": "x\x1b[2J\u202ey\n"}, "Begin")
    (tmp_path / "good.json").write_text(GOOD)
    (tmp_path / "bad.json").write_text(BAD)
    return made


def shell(repo: Repo, line: str) -> tuple[int, str]:
    """How a line of shell ends, and what it says on standard error.

    A process that is to have a stream less must be started; the others have what they are given.
    """
    program = script("hkgit") if "&-" in line else loaded_program()
    command = line.replace("hkgit", str(program), 1)
    done = subprocess.run(["bash", "-c", command], cwd=repo.path, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.sampled
@pytest.mark.parametrize("command", ["log", "show", "blame a", "read a", "doctor", "--help"])
def test_a_closed_standard_output_is_no_fault(repo: Repo, command: str) -> None:
    assert shell(repo, f"hkgit {command} >&- </dev/null")[0] == 0


@pytest.mark.parametrize(
    ("command", "code"),
    [("apply", 64), ("apply -", 4), ("sql -", 4), ("hook claude", 0)],
)
def test_a_closed_standard_input_is_an_empty_one(repo: Repo, command: str, code: int) -> None:
    assert shell(repo, f"hkgit {command} <&-")[0] == code


@pytest.mark.parametrize("point", ["pre-receive", "pre-push", "reference-transaction prepared"])
def test_where_git_cannot_tell_what_moves_nothing_passes(repo: Repo, point: str) -> None:
    code, err = shell(repo, f"hkgit gate --{point} <&-")
    assert (code, "standard input: is closed" in err) == (4, True)


@pytest.mark.sampled
@needs_full
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("apply ../bad.json", 1),
        ("apply --format x ../good.json", 4),
        ("undo --list", 4),
        ("nonsense", 64),
        ("verify HEAD", 64),
        ("apply --dry-run ../good.json", 0),
        ("apply ../good.json", 0),
    ],
)
def test_what_cannot_be_said_changes_no_exit_code(
    repo: Repo, command: str, code: int, stream: str
) -> None:
    assert shell(repo, f"hkgit {command} {stream}")[0] == code


@needs_full
@pytest.mark.parametrize(
    ("command", "said"),
    [("apply", "landed on main"), ("edit --session s", "the files are edited")],
)
def test_what_is_done_is_said_though_the_answer_cannot_be_written(
    repo: Repo, command: str, said: str
) -> None:
    code, err = shell(repo, f"hkgit {command} ../good.json >/dev/full")
    assert code == 0
    assert said in err
    assert "could not be written" in err


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("attest --add nosuchfile", 4),
        (f"log {LONG}", 4),
        (f"policy check --policy {LONG}", 4),
        (f"verify HEAD..HEAD --policy {LONG}", 4),
        (f"apply {LONG}", 4),
        (f"attest HEAD..HEAD --key {LONG}", 4),
        (f"gate --message-file {LONG}", 4),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_path_that_cannot_be_one_is_invalid(repo: Repo, command: str, code: int) -> None:
    found, err = shell(repo, f"hkgit {command}")
    assert found == code
    assert "fault" not in err


@pytest.mark.parametrize(
    "command", ["read e", "read --hashline e", "edit --dry-run spec", "apply --dry-run spec"]
)
def test_a_terminal_is_not_driven_by_what_a_file_says(repo: Repo, command: str) -> None:
    hostile = GOOD.replace("two", "\\u001b[3J\\u202e")
    (repo.path / "spec").write_text(hostile)
    dumb = {"TERM": "dumb"}
    _, shown = run_on_terminal(loaded_program(), *command.split(), cwd=repo.path, env=dumb)
    assert "\x1b" not in re.sub(r"\r\x1b\[K(committing spec \d+ of \d+)?", "", shown)
    assert "\u202e" not in shown


SAID = """\
import atexit, sys, threading
from hkgit.cli.runner import leave
atexit.register(lambda: print("at the end", file=sys.stderr))
sys.stdout.write("no line end")
"""
THREAD = """\
started = threading.Event()
def work():
    started.wait()
    sys.stderr.write("thread done, ")
threading.Thread(target=work).start()
threading.Timer(0.05, started.set).start()
"""


@cases(
    "more, told",
    {"alone": ("", "at the end\n"), "a thread is at work": (THREAD, "thread done, at the end\n")},
)
def test_output_and_whatever_waits_for_the_end_come_before_it(more: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{SAID}{more}leave(3)"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "no line end", told)


def test_an_interrupt_while_modules_are_loaded_is_no_traceback() -> None:
    loading = """\
import sys
class Interrupted:
    def __getattr__(self, name):
        raise KeyboardInterrupt
sys.modules["hkgit.cli.runner"] = Interrupted()
from hkgit.cli.start import run
run()
"""
    done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "hkgit: interrupted\n")
