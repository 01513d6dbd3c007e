"""`hkgit fleet verify` as a person starts and interrupts it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from benchmarks.history import make_history
from tests.support.running import run, script

COMMITS = 200


@pytest.mark.slow
def test_an_interrupted_run_ends_soon_and_is_taken_up(tmp_path: Path) -> None:
    make_history(tmp_path / "long.git", COMMITS)
    (tmp_path / "list").write_text("long.git\n")
    command = ("fleet", "verify", "list", "--to", "fleet", "--jobs", "2")
    begun = subprocess.Popen(
        [script("hkgit"), *command], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True
    )
    while not list(tmp_path.glob("fleet/mirrors/*")) and begun.poll() is None:
        time.sleep(0.01)
    os.killpg(begun.pid, signal.SIGINT)  # as a terminal does: to every process of the run
    _, err = begun.communicate(timeout=30)
    assert (begun.returncode, err.strip()) == (130, b"hkgit: interrupted")
    done = run(*command, "--json", cwd=tmp_path)
    assert done.code == 6, done.err
    [row] = done.json()["repositories"]
    assert (row["status"], row["numbers"]["commits"]) == ("verified", COMMITS + 1)


def test_the_answer_is_a_document_and_each_failure_a_row(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# nothing is there\nnone\n")
    done = run("fleet", "verify", "list", "--to", "fleet", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.code == 7
    [row] = done.json()["repositories"]
    assert (row["status"], row["error"]["fix"]) == ("failed", "Check the URL.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lists no repositories"),
        ("ext::sh -c id\n", "list:1: ext::sh -c id uses a protocol that is not allowed"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "list").write_text(text)
    done = run("fleet", "verify", "list", "--to", "fleet", cwd=tmp_path)
    assert done.code == 4
    assert said in done.err
    assert not (tmp_path / "fleet").exists()


def test_a_named_policy_holds_for_every_repository(tmp_path: Path) -> None:
    make_history(tmp_path / "short.git", 2)
    (tmp_path / "list").write_text("short.git\n")
    command = ("fleet", "verify", "list", "--jobs", "1")
    assert run(*command, "--to", "own", cwd=tmp_path).code == 6
    (tmp_path / "mild.toml").write_text("[gate]\nmode = 'report'\n")
    assert run(*command, "--to", "named", "--policy", "mild.toml", cwd=tmp_path).code == 0
