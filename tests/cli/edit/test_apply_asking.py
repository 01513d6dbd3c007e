"""`hkgit apply` asks the judge first, and what it advises ends in a commit that passes."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.support.running import Bench, Result, script
from tests.support.specs import NEW, OLD, SOURCE, line_of, protocol, replace_range, search_replace

BY_NUMBER = "named by number alone"


@pytest.fixture
def chosen(bench: Bench) -> Bench:
    """With a policy of its own, and no hooks: a fresh clone, or one of a CI job."""
    bench.repo.commit({".hkgit/config.toml": '[gate]\nmode = "enforce"\n'}, "Guard it")
    return bench


def paste(bench: Bench, command: str) -> None:
    """Run a command as a person pastes it."""
    env = os.environ | {"PATH": f"{script('hkgit').parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, shell=True, cwd=bench.repo.path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def mend(result: Result) -> str:
    """The one command of a refusal."""
    return result.err.partition("Mend it: ")[2].rstrip("\n")


def expect_passing(bench: Bench, commits: int = 1) -> None:
    assert bench.run("gate", "--range", f"HEAD~{commits}..HEAD").code == 0
    assert bench.repo.status() == []


def by_number(bench: Bench) -> str:
    number = line_of(bench, OLD)
    return protocol(replace_range(SOURCE, number, number, None, NEW))


@pytest.mark.parametrize(
    "of", [pytest.param("file", id="a file"), pytest.param("stdin", id="standard input")]
)
def test_what_the_policy_would_reject_does_not_land_and_one_command_mends_it(
    chosen: Bench, of: str
) -> None:
    spec = chosen.write(search_replace())
    with chosen.untouched():
        if of == "stdin":
            result = chosen.run("apply", stdin=spec.read_bytes())
        else:
            result = chosen.run("apply", spec)
    assert result.code == 6
    assert result.err.count("hkgit apply") == 1
    paste(chosen, mend(result))
    expect_passing(chosen)


def test_the_command_is_in_the_document_too(chosen: Bench) -> None:
    result = chosen.apply(search_replace(), "--json")
    document = result.json()
    assert result.code == 6
    assert document["status"] == "rejected"
    assert document["edits"][0]["status"] == "rejected"
    paste(chosen, document["mend"])
    expect_passing(chosen)


def test_several_specs_need_one_command(chosen: Bench) -> None:
    first = chosen.write(search_replace(), "first")
    create: dict[str, object] = {"op": "create_file", "path": "new.py", "new_text": "one\ntwo\n"}
    second = chosen.write(protocol(create), "second")
    third = chosen.write(search_replace("two", "2", "new.py"), "third")
    fourth = chosen.write(search_replace(NEW, OLD), "fourth")
    paste(chosen, mend(chosen.run("apply", first, second, third, fourth)))
    expect_passing(chosen, 4)


def test_where_receipts_alone_count_the_command_reads_in_a_session(bench: Bench) -> None:
    bench.repo.commit({".hkgit/config.toml": '[gate]\naccept = ["receipt"]\n'}, "Guard it")
    paste(bench, mend(bench.apply(search_replace())))
    expect_passing(bench)
    [entry] = bench.run("show", "--json").json()["ledger"]
    assert [call["tool"] for call in entry["claims"]["readings"]] == ["hkgit read"]


def test_without_a_policy_it_lands_and_one_line_says_what_the_built_in_one_says(
    bench: Bench,
) -> None:
    result = bench.apply(search_replace())
    assert result.code == 0
    assert result.err.count("\n") == 1
    assert "built-in policy would reject" in result.err
    paste(bench, result.err.partition("with evidence: ")[2])
    expect_passing(bench)


@pytest.mark.parametrize(
    "has_hooks", [pytest.param(False, id="no hooks"), pytest.param(True, id="with hooks")]
)
def test_allow_blind_lands_knowingly_and_is_recorded(chosen: Bench, has_hooks: bool) -> None:
    if has_hooks:
        assert chosen.run("init").code == 0
    result = chosen.apply(search_replace(), "--allow-blind")
    assert result.code == 0
    assert "landed blind, as asked" in result.err
    [entry] = chosen.run("show", "--json").json()["ledger"]
    assert entry["claims"]["allow_blind"] is True
    assert chosen.run("gate", "--range", "HEAD~1..HEAD").code == 6


def test_lines_by_number_alone_are_refused_whatever_the_policy(bench: Bench) -> None:
    with bench.untouched():
        result = bench.apply(by_number(bench))
    assert result.code == 6
    assert BY_NUMBER in result.err
    paste(bench, mend(result))
    expect_passing(bench)


def test_so_are_they_in_the_working_tree(bench: Bench) -> None:
    spec = by_number(bench)
    with bench.untouched():
        result = bench.run("edit", bench.write(spec))
    assert result.code == 6
    assert BY_NUMBER in result.err
    paste(bench, mend(result))
    assert NEW in bench.repo.read(SOURCE).decode()


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_they_may_be_named_so_where_that_is_asked_for(bench: Bench, command: str) -> None:
    spec = bench.write(by_number(bench))
    assert bench.run(command, spec, "--allow-blind").code == 0


def test_a_protected_path_is_refused_before_it_lands(chosen: Bench) -> None:
    path = ".github/workflows/x.yml"
    create: dict[str, object] = {"op": "create_file", "path": path, "new_text": "on: push\n"}
    with chosen.untouched():
        result = chosen.apply(protocol(create))
    assert result.code == 6
    assert "protected path" in result.err


def test_a_policy_that_only_warns_lets_it_land(bench: Bench) -> None:
    bench.repo.commit({".hkgit/config.toml": '[gate]\nmode = "warn"\n'}, "Watch it")
    result = bench.apply(search_replace())
    assert result.code == 0
    assert "would reject" in result.err
