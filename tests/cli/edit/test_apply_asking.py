"""`hkgit apply` asks the judge first, and what it advises ends in a commit that passes."""

import re
import shlex

import pytest

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import NEW, OLD, SOURCE, line_of, protocol, replace_range, search_replace

BY_NUMBER = "named by number alone"


def follow_advice(bench: Bench, err: str) -> list[str]:
    """Run the commands that advice names but for the last words, which are options.

    Return these options, each HASH replaced by what `hkgit read` printed for that place.
    """
    *commands, options = re.findall(r"`([^`]+)`", err.partition("Fix: ")[2])
    known = {}
    for command in commands:
        program, *words = shlex.split(command)
        if program == "git":
            bench.repo.git(*words)
            continue
        assert (program, words[0]) == ("hkgit", "read")
        done = bench.run(*words)
        assert done.code == 0, done.err
        known[words[1]] = done.out.split("\n", 1)[0].split("  ")[1]
    return [
        re.sub(r"(.*)=HASH$", lambda place: f"{place[1]}={known[place[1]]}", word)
        for word in shlex.split(options)
    ]


@pytest.fixture
def chosen(bench: Bench) -> Bench:
    """With a policy of its own, and no hooks: a fresh clone, or one of a CI job."""
    bench.repo.commit({".hkgit/config.toml": '[gate]\nmode = "enforce"\n'}, "Guard it")
    return bench


def expect_passing(bench: Bench, commits: int = 1) -> None:
    assert bench.run("gate", "--range", f"HEAD~{commits}..HEAD").code == 0
    assert bench.repo.status() == []


def by_number(bench: Bench) -> str:
    number = line_of(bench, OLD)
    return protocol(replace_range(SOURCE, number, number, None, NEW))


@cases({"a file": "file", "standard input": "stdin"})
def test_what_the_policy_would_reject_does_not_land_and_advice_says_how_it_does(
    of: str, chosen: Bench
) -> None:
    spec = chosen.write(search_replace())
    data = spec.read_bytes() if of == "stdin" else b""
    words = ["apply"] if of == "stdin" else ["apply", spec]
    with chosen.untouched():
        result = chosen.run(*words, stdin=data)
    assert result.code == 6
    assert chosen.run(*words, *follow_advice(chosen, result.err), stdin=data).code == 0
    expect_passing(chosen)


def test_the_document_names_the_lines_to_read(chosen: Bench) -> None:
    document = chosen.expect_refusal(6, "blind edit", search_replace(), "--json").json()
    number = line_of(chosen, OLD)
    read = f"hkgit read {SOURCE}:{number}-{number}"
    lines = [number, number]
    assert document["status"] == document["edits"][0]["status"] == "rejected"
    assert document["blind"] == [{"number": 1, "path": SOURCE, "lines": lines, "read": read}]


def test_several_specs_need_one_reading_of_each_place(chosen: Bench) -> None:
    first = chosen.write(search_replace(), "first")
    create: dict[str, object] = {"op": "create_file", "path": "new.py", "new_text": "one\ntwo\n"}
    second = chosen.write(protocol(create), "second")
    third = chosen.write(search_replace("two", "2", "new.py"), "third")
    other = "class Stale(HkgitError):"
    fourth = chosen.write(search_replace(other, f"{other}  # moved"), "fourth")
    specs = first, second, third, fourth
    more = follow_advice(chosen, chosen.run("apply", *specs).err)
    assert chosen.run("apply", *specs, *more).code == 0
    expect_passing(chosen, 4)


@cases(
    {
        "where receipts alone count": ('["receipt"]', ()),
        "where a session is named": ('["hash", "receipt"]', ("--session", "s")),
    },
)
def test_the_lines_are_read_in_a_session(accept: str, words: tuple[str, ...], bench: Bench) -> None:
    bench.repo.commit({".hkgit/config.toml": f"[gate]\naccept = {accept}\n"}, "Guard it")
    refused = bench.apply(search_replace(), *words)
    assert refused.code == 6
    assert bench.apply(search_replace(), *follow_advice(bench, refused.err)).code == 0
    expect_passing(bench)
    assert [edit["evidence"] for edit in bench.entry["edits"]] == ["receipt"]


@pytest.mark.parametrize("words", [(), ("--session", "s")], ids=["by hash", "in a session"])
def test_lines_of_another_branch_that_differ_in_the_checkout_are_read_from_the_commit(
    chosen: Bench, words: tuple[str, ...]
) -> None:
    chosen.repo.write(SOURCE, b"# mine\n" + chosen.repo.read(SOURCE))
    words = (*words, "--branch", "other")
    refused = chosen.apply(search_replace(), *words)
    assert (refused.code, " --rev " in refused.err) == (6, True)
    assert chosen.apply(search_replace(), *words, *follow_advice(chosen, refused.err)).code == 0
    assert chosen.run("gate", "--range", "HEAD..other").code == 0


def test_uncommitted_changes_of_the_file_are_said_to_be_in_the_way(chosen: Bench) -> None:
    chosen.repo.write(SOURCE, b"# mine\n" + chosen.repo.read(SOURCE))
    words = f"the checkout has uncommitted changes of {SOURCE}: commit or stash"
    chosen.expect_refusal(6, words, search_replace())
    chosen.repo.git("stash", "-q")
    more = follow_advice(chosen, chosen.apply(search_replace()).err)
    assert chosen.apply(search_replace(), *more).code == 0


def test_without_a_policy_it_lands_and_one_line_says_what_the_built_in_one_says(
    bench: Bench,
) -> None:
    result = bench.apply(search_replace())
    assert result.code == 0
    assert result.err.count("\n") == 1
    assert "would be rejected: " in result.err
    assert "built-in policy accepts" in result.err
    back, *_reads = result.err.split("`")[1::2]
    assert back.startswith("git reset")
    assert bench.apply(search_replace(), *follow_advice(bench, result.err)).code == 0
    expect_passing(bench)


def test_what_landed_is_taken_back_whatever_the_branch_is_called(bench: Bench) -> None:
    ref = "refs/heads/it's;$(exit)"
    told = []
    for spec in (search_replace(), search_replace(NEW, OLD)):
        result = bench.apply(spec, "--branch", ref.removeprefix("refs/heads/"))
        assert result.code == 0, result.err
        told.append((bench.repo.resolve(ref), result.err.split("`")[1]))
    (first, delete), (_, back) = told
    bench.sh(back)
    assert bench.repo.resolve(ref) == first
    bench.sh(delete)
    assert ref not in bench.repo.git("for-each-ref", "--format=%(refname)").splitlines()


@cases({"no hooks": False, "with hooks": True})
def test_allow_blind_lands_knowingly_and_is_recorded(has_hooks: bool, chosen: Bench) -> None:
    if has_hooks:
        assert chosen.run("init").code == 0
    result = chosen.apply(search_replace(), "--allow-blind")
    assert result.code == 0
    assert "landed blind, as asked" in result.err
    assert chosen.entry["claims"]["allow_blind"] is True
    assert chosen.run("gate", "--range", "HEAD~1..HEAD").code == 6


def test_lines_by_number_alone_are_refused_whatever_the_policy(bench: Bench) -> None:
    result = bench.expect_refusal(6, BY_NUMBER, by_number(bench))
    more = follow_advice(bench, result.err)
    assert bench.apply(by_number(bench), *more).code == 0
    expect_passing(bench)


ODD = "it's $(here).txt"


@cases(
    {
        "a file that is there": {"op": "create_file", "path": ODD, "new_text": "x\n"},
        "lines that it lacks": replace_range(ODD, 8, 9, None, "x"),
        "lines by number": replace_range(ODD, 1, 1, None, "x"),
        "lines of another hash": replace_range(ODD, 1, 1, "0" * 12, "x"),
    },
)
def test_what_is_to_be_read_is_named_for_a_shell(
    operation: dict[str, object], bench: Bench
) -> None:
    bench.repo.commit({ODD: "one\ntwo\n"})
    refused = bench.run("edit", bench.write(protocol(operation)))
    assert refused.code != 0
    [read] = re.findall(r"`hkgit (read [^`]+)`", refused.err)
    assert bench.run(*shlex.split(read)).code == 0


def test_so_are_they_in_the_working_tree(bench: Bench) -> None:
    result = bench.expect_refusal(6, BY_NUMBER, by_number(bench), command="edit")
    [read] = re.findall(r"`hkgit (read \S+)`", result.err)
    digest = bench.run(*read.split()).out.split("\n", 1)[0].split("  ")[1]
    line = line_of(bench, OLD)
    given = protocol(replace_range(SOURCE, line, line, digest, NEW))
    assert bench.run("edit", bench.write(given)).code == 0
    assert NEW in bench.repo.read(SOURCE).decode()


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_they_may_be_named_so_where_that_is_asked_for(bench: Bench, command: str) -> None:
    spec = bench.write(by_number(bench))
    assert bench.run(command, spec, "--allow-blind").code == 0


def test_a_protected_path_is_refused_before_it_lands(chosen: Bench) -> None:
    path = ".github/workflows/x.yml"
    create: dict[str, object] = {"op": "create_file", "path": path, "new_text": "on: push\n"}
    chosen.expect_refusal(6, "protected path", protocol(create))


@pytest.mark.parametrize("words", [(), ("--json",), ("--session", "s"), ("--dry-run",)])
def test_no_evidence_is_asked_for_where_it_would_be_refused_as_well(
    chosen: Bench, words: tuple[str, ...]
) -> None:
    path = ".github/workflows/x.yml"
    chosen.repo.commit({path: "on: push\n"}, "Run")
    result = chosen.apply(search_replace("on: push", "on: pull", path), *words)
    said = result.out + result.err
    assert "protected path" in said
    assert "grants it to nobody" in said
    assert "--expect" not in said
    chosen.repo.commit({".hkgit/config.toml": '[gate]\nmode = "warn"\n'}, "Watch it")
    warned = chosen.apply(search_replace("on: push", "on: pull", path), *words).err
    assert "--expect" not in warned, "where the policy only warns it is no other"


def test_a_policy_that_only_warns_lets_it_land(bench: Bench) -> None:
    bench.repo.commit({".hkgit/config.toml": '[gate]\nmode = "warn"\n'}, "Watch it")
    result = bench.apply(search_replace())
    assert result.code == 0
    assert result.err.count("would be rejected") == 1
