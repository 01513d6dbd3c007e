"""`hkgit apply`: where commits land, and that no local change is lost."""

import os
import signal
import subprocess
import time

import pytest

from tests.support.cases import cases
from tests.support.running import Bench, script
from tests.support.specs import CREATE, NEW, OLD, SOURCE, protocol, search_replace

# Local changes


@cases(
    {
        "a link, not a directory": ("mv src ../scratch/src; ln -s ../scratch/src src", "src"),
        "a revert": (
            "git revert --no-commit HEAD; git reset -q --hard; git update-ref REVERT_HEAD HEAD",
            "a revert is under way",
        ),
    },
)
def test_what_is_in_the_way_is_named_and_nothing_moves(
    disturb: str, named: str, bench: Bench
) -> None:
    bench.sh(disturb)
    bench.expect_refusal(7, named, search_replace())


def test_modes_and_line_ends_survive(bench: Bench) -> None:
    bench.repo.write("run.sh", b"\xef\xbb\xbfone\r\ntwo\r\nthree").chmod(0o755)
    bench.repo.commit()
    assert bench.apply(search_replace("two", "2", "run.sh")).code == 0
    assert bench.repo.show("HEAD", "run.sh") == b"\xef\xbb\xbfone\r\n2\r\nthree"
    assert bench.repo.git("ls-tree", "HEAD", "run.sh").startswith("100755 ")


# Checkouts of other kinds


@cases(
    {
        "that ignores the ledger": "echo .hkgit >.gitignore; git add .; git commit -qm Ignore",
        "with its git directory elsewhere": (
            """git init -q --separate-git-dir "$(printf '../odd "name\\n é')" """
        ),
    },
)
def test_an_unusual_checkout_follows_too(make: str, bench: Bench) -> None:
    bench.sh(make)
    result = bench.apply(search_replace())
    assert result.code == 0, result.err
    assert bench.repo.status() == [], result.err
    assert NEW in bench.repo.read(SOURCE).decode().splitlines()


# Branches that are not checked out


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
    {
        "checked out here": ("main", 7, "is checked out"),
        "looks like an option": ("-x", 4, "-x"),
    },
)
def test_a_branch_that_cannot_be_appended_to_is_refused(
    branch: str, code: int, words: str, bench: Bench
) -> None:
    bench.expect_refusal(code, words, search_replace(), f"--branch={branch}")


# Others at work


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
