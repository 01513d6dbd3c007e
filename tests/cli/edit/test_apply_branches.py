"""`hkgit apply`: branches, and others at work."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from tests.support.cases import cases
from tests.support.running import Bench, script
from tests.support.specs import CREATE, NEW, OLD, SOURCE, protocol, search_replace


@pytest.mark.parametrize("where", ["--base", "in the spec"])
def test_a_new_branch_begins_at_the_base_and_the_checkout_stays(bench: Bench, where: str) -> None:
    base = bench.repo.resolve("HEAD~1")
    is_option = where == "--base"
    spec = protocol(CREATE, **({} if is_option else {"base": base}))
    options = ("--base", base) if is_option else ()
    before, status = bench.state(), bench.repo.status()
    assert bench.apply(spec, "--branch", "topic/1", *options).code == 0
    assert bench.repo.resolve("topic/1~1") == base
    after = bench.state()
    assert after.head == before.head
    assert bench.repo.status() == status
    assert after.files == before.files


def test_a_branch_begins_at_head_and_is_appended_to_whatever_the_checkout(bench: Bench) -> None:
    result = bench.apply(search_replace(), "--branch", "topic")
    assert result.code == 0
    assert result.out.startswith("[topic ")
    assert bench.repo.resolve("topic~1") == bench.repo.head
    bench.repo.write(SOURCE, "mine\n")
    bench.repo.git("checkout", "-q", "--detach")
    again = bench.apply(search_replace(NEW, OLD), "--branch", "topic")
    assert again.code == 0, again.err
    assert bench.repo.git("rev-list", "--count", "main..topic") == "2"


@cases(
    "branch, code, words",
    {
        "checked out here": ("main", 7, "is checked out"),
        "looks like an option": ("-x", 4, "-x"),
    },
)
def test_a_branch_that_cannot_be_appended_to_is_refused(
    bench: Bench, branch: str, code: int, words: str
) -> None:
    with bench.untouched():
        result = bench.apply(search_replace(), f"--branch={branch}")
    assert result.code == code, result.err
    assert words in result.err, result.err


# Others at work


def test_a_branch_that_moved_meanwhile_is_left_where_it_went(bench: Bench) -> None:
    meanwhile = f"git -C {bench.repo.path} commit -q --allow-empty -m Meanwhile"
    result = bench.apply(search_replace(), "--verify", meanwhile, "--no-retry")
    assert result.code == 7
    assert "has moved in the meantime" in result.err
    assert bench.repo.git("log", "-2", "--format=%s").splitlines() == ["Meanwhile", "Add sources"]
    assert bench.repo.status() == []
    assert list(bench.temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_command_that_is_told_to_stop_leaves_nothing_behind(
    bench: Bench, number: signal.Signals
) -> None:
    started = bench.scratch / "started"
    spec = bench.write(search_replace())
    verify = f"touch {started}; exec sleep 20"
    with bench.untouched():
        process = subprocess.Popen(
            [script("hkgit"), "apply", spec, "--verify", verify],
            cwd=bench.repo.path,
            env=os.environ | {"TMPDIR": str(bench.temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while not started.exists():
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert b"Traceback" not in err
