"""A stale `hkgit apply` says who changed the file, and leaves its record where nobody trips."""

from __future__ import annotations

import pytest

from tests.support.running import Bench
from tests.support.specs import SOURCE, edit, first_line, harnesskit

RECORD = ".git/hkgit/refusals.jsonl"


@pytest.fixture
def stale(bench: Bench) -> str:
    """A spec whose line somebody has changed since."""
    spec = first_line(bench, "ours", agent="codex/1")
    lines = bench.repo.read(SOURCE).split(b"\n")
    bench.repo.commit({SOURCE: b"\n".join([b"theirs", *lines[1:]])}, "Change the first line")
    return spec


def test_it_names_the_commit_and_leaves_a_record_alone(bench: Bench, stale: str) -> None:
    bench.apply(stale, "--dry-run")
    assert not (bench.repo.path / RECORD).exists()
    with bench.untouched():
        result = bench.apply(stale, "--json")
    assert (result.code, result.json()["status"]) == (3, "stale")
    last = bench.repo.git("rev-parse", "--short", "HEAD")
    assert f"last changed by {last} Change the first line" in result.err
    assert (bench.repo.path / RECORD).exists()


def test_a_hash_given_with_expect_is_recorded_too(bench: Bench) -> None:
    old = bench.repo.read(SOURCE).decode().split("\n")[0]
    spec = harnesskit(edit(old, "ours"))
    expect = f"{SOURCE}:1-1={bench.hash(SOURCE, 1, 1)}"
    bench.repo.commit({SOURCE: b"theirs\n" + bench.repo.read(SOURCE)}, "Push it down")
    result = bench.apply(spec, "--expect", expect)
    assert result.code == 3
    assert "Push it down" in result.err


def test_a_record_that_cannot_be_written_hides_no_refusal(bench: Bench, stale: str) -> None:
    bench.repo.write(".git/hkgit", "in the way\n")
    result = bench.apply(stale)
    assert result.code == 3
    assert "Change the first line" in result.err
