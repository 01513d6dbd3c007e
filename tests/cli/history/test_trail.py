"""`hkgit log`, `show`, `blame`, `report` and `qa`: the audit trail, as text and as JSON."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import AGENT
from tests.support.attacks import forge, governed_repository, honest
from tests.support.cases import cases
from tests.support.commits import commit
from tests.support.repos import Repo
from tests.support.running import Bench, make_bench, run
from tests.support.specs import SOURCE


def test_show_has_the_whole_entry_and_what_is_beside_one(history: Bench) -> None:
    shown = history.run("show", "strict", "--json").json()
    path = f".hkgit/ledger/{shown['entries'][0][:2]}/{shown['entries'][0][2:]}.json"
    assert shown["ledger"] == [json.loads(history.repo.show("strict", path))]
    assert shown["replay"] == "strict"
    assert shown["subject"] == "Apply 1 edit to 1 file"
    beside = history.run("show", "smuggled", "--json").json()
    assert [left["path"] for left in beside["by_hand"]] == [SOURCE]


@cases(
    "commit, words",
    {
        "an entry": ("strict", ["strict", f"{SOURCE}:1-1", "range", "claimed"]),
        "a smuggled byte": ("smuggled", ["fail", f"by hand   {SOURCE}:"]),
        "by hand": ("start", ["replay by hand, policy passes: author is not governed"]),
        "a merge": ("merged", ["merge"]),
    },
)
def test_show_says_what_is_derived_and_what_claimed(
    history: Bench, commit: str, words: list[str]
) -> None:
    result = history.run("show", commit)
    assert result.code == 0
    assert all(word in result.out for word in words), result.out


def test_log_lists_commits_newest_first_with_their_verdicts(history: Bench) -> None:
    title, *rows = history.run("log", "good").out.splitlines()
    assert title.split()[:4] == ["date", "commit", "agent", "replay"]
    replays = [row.removeprefix("2024-05-06 ")[28:].split()[0] for row in rows]
    assert replays == ["by", "strict", "by", "by"]
    assert rows[0].split()[1] == history.repo.resolve("good")[:9]
    assert "hash=1" in rows[1]


APPLIED = "Apply 1 edit to 1 file"


@cases(
    "args, subjects",
    {
        "so many": (["good", "-n", "1"], ["By hand"]),
        "more than git counts": (["start..good", f"-n{10**20}"], ["By hand", APPLIED]),
        "a range": (["start..good"], ["By hand", APPLIED]),
        "so many of a range": (["start..good", "-n1"], ["By hand"]),
        "an empty range": (["good..good"], []),
        "a path of a range": (["start..good", "src"], [APPLIED]),
        "the root": (["start..good", "."], ["By hand", APPLIED]),
        "the root, as git names it": (["start..good", ":/"], ["By hand", APPLIED]),
        "a path": (["good", "-n1", SOURCE], [APPLIED]),
        "a path and no revision": (["-n1", SOURCE], ["Add sources"]),
    },
)
def test_log_as_json_has_one_object_a_commit(
    history: Bench, args: list[str], subjects: list[str]
) -> None:
    listed = history.run("log", "--json", *args).json()
    assert [commit["subject"] for commit in listed] == subjects


def test_tiers_of_another_ladder_are_said_to_be_claimed(repo: Repo) -> None:
    change = honest(governed_repository(repo))
    forge("ladder", to=3)(change)
    commit(repo, change)
    said = run("show", "HEAD", cwd=repo.path).out
    assert "replay    replayed and recomputed: every byte, range and hash\n" in said
    assert "ladder    3, threshold 0.80; tier and confidence are only claimed\n" in said
    assert "only claimed" not in run("show", "HEAD~", cwd=repo.path).out


def test_an_unborn_branch_has_no_trail(repo: Repo, tmp_path: Path) -> None:
    bench = make_bench(repo, tmp_path)
    assert [bench.run(command).code for command in ("log", "show")] == [4, 4]


def test_blame_shows_verdict_edit_tier_and_agent(history: Bench) -> None:
    titles, *rows = history.run("blame", SOURCE, "--rev", "strict", "-L", "1,2").out.splitlines()
    assert titles.split() == ["commit", "replay", "evidence", "edit", "sure", "who", "line"]
    commit, verdict, evidence, _, *rest = rows[0].split()
    expected = (history.repo.resolve("strict")[:9], "strict", "hash")
    assert (commit, verdict, evidence) == expected
    assert rest == ["range", "unknown", "1)", "one"]
    assert "by hand" in rows[1]


def test_blame_as_json_has_an_object_a_line_and_tells_edits_from_what_is_beside_them(
    history: Bench,
) -> None:
    rows = history.run("blame", SOURCE, "--rev", "smuggled", "--json").json()
    assert [row["line"] for row in rows] == [*range(1, len(rows) + 1)]
    ends = rows[0], rows[-1]
    assert [row["edit"] for row in ends] == [1, None]
    assert [row["kind"] == "by hand" for row in ends] == [False, True]
    assert rows[0]["evidence"] == "hash"


def test_blame_takes_paths_from_where_one_stands(history: Bench) -> None:
    place = history.repo.path / "src"
    assert history.run("blame", "errors.py", "-L", "1,1", cwd=place).code == 0


def test_blame_and_log_let_a_commit_before_the_start_of_the_policy_pass(bench: Bench) -> None:
    bench.repo.commit({"a.txt": "x\n"}, "By an agent", AGENT)
    [before] = bench.run("blame", "a.txt", "--json").json()
    since = f"[gate]\nsince = '{bench.repo.head}'\n"
    bench.repo.commit({".hkgit/config.toml": since}, "Govern from here on")
    [line] = bench.run("blame", "a.txt", "--json").json()
    [row] = bench.run("log", "a.txt", "--json").json()
    assert (before["passes"], line["passes"], row["policy"]["passes"]) == (False, True, True)


@pytest.mark.parametrize("path", ["nowhere.py", "src", "../outside"])
def test_blame_of_what_is_no_file_is_invalid(history: Bench, path: str) -> None:
    assert history.run("blame", path).code == 4


@cases(
    "commits, code",
    {
        "all answered yes": ("start..good", 0),
        "a blind commit": ("start..blind-commit", 6),
        "a blind edit": ("start..blind-edit", 6),
        "an empty range": ("good..good", 0),
        "a reversed range": ("good..start", 4),
        "no range": ("start", 64),
    },
)
def test_qa_says_by_its_exit_code_whether_all_is_well(
    history: Bench, commits: str, code: int
) -> None:
    assert history.run("qa", commits).code == code


@pytest.mark.parametrize("command", ["stats", "report", "qa", "gate --range", "verify", "log"])
def test_an_unknown_revision_is_one_document_too(history: Bench, command: str) -> None:
    result = history.run(*command.split(), "nowhere..HEAD", "--json")
    assert (result.code, result.json()["status"]) == (4, "invalid")
