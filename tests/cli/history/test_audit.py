"""`blame`, `stats`, `report` and `qa` at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AGENT
from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE


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


def test_report_says_what_is_rejected_and_what_mends_it(history: Bench, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('[gate]\naccept = ["hash", "late"]\n')
    options = ("--policy", str(tmp_path / "policy.toml"))
    result = history.run("report", "start..blind-commit", *options)
    assert result.code == 0
    assert "fix: <code>hkgit redo" in result.out


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
    assert result.code == 4
    assert result.json()["status"] == "invalid"
