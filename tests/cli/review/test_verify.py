"""`hkgit verify` for long histories: by several processes, in shares, and only what is new."""

import gc
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.history import make_history
from hkgit.audit.reports.text import report_lines
from hkgit.cli.options import FORMATS
from hkgit.cli.output import CONSOLE
from hkgit.cli.ruling_output import answer_report
from hkgit.errors import Rejected
from hkgit.gate.commit_range import (
    CommitRange,
    drop_floors,
    judge_range,
    select_share,
)
from hkgit.gate.ruling import Report
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository
from tests.support.cases import cases
from tests.support.commits import applied, commit
from tests.support.planning import protocol, replace_range
from tests.support.reports import place_report, render
from tests.support.repos import Repo
from tests.support.rulings import count_alive, judge_whole
from tests.support.running import run

COMMITS = 130


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository of many replayable commits."""
    root = tmp_path_factory.mktemp("history") / "long.git"
    make_history(root, COMMITS)
    return root


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Bare repositories of three commits on a first one, with evidence and without."""
    root = tmp_path_factory.mktemp("places")
    for name in ("short", "bare"):
        make_history(root / name, 3, has_entries=name == "short")
    return {name: root / name for name in ("short", "bare")}


@pytest.fixture
def copied(history: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(history, tmp_path / "copy.git"))


def verified(root: Path, *options: str) -> list[dict[str, Any]]:
    done = run("verify", f"main~{COMMITS}..main", "--json", *options, cwd=root)
    assert done.code == 0, done.err
    commits: list[dict[str, Any]] = done.json()["commits"]
    return commits


def test_several_processes_give_the_same_answer(history: Path) -> None:
    assert verified(history, "--jobs", "2") == verified(history)


ALL = "[gate]\ngovern = 'all'\n"
QUOTING_TAGS = f"{ALL}accept = ['tag']\n"
TOLD = {
    "all hold": ("verify", ALL, "short", True),
    "all hold, whoever is governed": ("verify", "", "short", True),
    "none has evidence": ("verify", ALL, "bare", False),
    "none passes the gate": ("gate --range", QUOTING_TAGS, "short", False),
}


@pytest.mark.parametrize("form", FORMATS)
@cases("command, policy, place, passes", TOLD)
def test_what_is_told_as_it_is_judged_is_the_report(
    places: dict[str, Path],
    tmp_path: Path,
    form: str,
    command: str,
    policy: str,
    place: str,
    passes: bool,
) -> None:
    check_report(places[place], "main~3..main", command, policy, tmp_path, form, passes=passes)


@pytest.mark.parametrize("policy", ["", ALL])
def test_of_a_long_range_too(history: Path, tmp_path: Path, policy: str) -> None:
    check_report(history, f"main~{COMMITS}..main", "verify", policy, tmp_path, "text", passes=True)


def check_report(
    root: Path,
    commits: str,
    command: str,
    policy: str,
    scratch: Path,
    form: str,
    *,
    passes: bool,
) -> None:
    """What a command prints of a range is the report of all its rulings together."""
    (given := scratch / "config.toml").write_text(policy)
    repository = Repository.discover(root)
    old, new = commits.split("..")
    asked = CommitRange(repository.resolve(old), repository.resolve(new))
    trusted, is_gate = load_policy(repository, str(given), None), command != "verify"
    report = judge_whole(
        repository,
        asked,
        trusted if is_gate else drop_floors(trusted),
        has_trusted_side=is_gate,
    )
    options = ("--policy", str(given), "--format", form)
    done = run(*command.split(), commits, *options, cwd=root)
    assert done.out == render(place_report(repository, report), form)
    if form == "text":
        assert done.out.splitlines() == [*report_lines(report)]
    assert (done.code, report.passes) == (0 if passes else Rejected.exit_code, passes)


@pytest.mark.sampled
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("judge", ["gate", "verify"])
def test_rulings_that_are_told_are_not_kept(
    history: Path, judge: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gc.freeze()  # what other tests keep is not counted, and not searched
    repository = Repository.discover(history)
    ends = repository.resolve("main~36"), repository.resolve("main")
    policy, has_side = load_policy(repository, None, ends[0]), judge == "gate"
    policy = policy if has_side else drop_floors(policy)
    rulings = judge_range(repository, CommitRange(*ends), policy, has_trusted_side=has_side)
    alive: list[int] = []
    watched = count_alive(rulings, alive, every=12)
    CONSOLE.form = form
    assert answer_report(repository, Report(policy), watched, ends[1]).print() == 0
    assert len(alive) == 3
    assert 1 <= max(alive) < 10
    assert capsys.readouterr().out


@pytest.mark.slow
def test_the_shares_are_the_whole(history: Path) -> None:
    whole = [each["commit"] for each in verified(history)]
    shares = (verified(history, "--shard", part) for part in ("1/2", "2/2"))
    assert [each["commit"] for share in shares for each in share] == whole


@pytest.mark.parametrize("of", range(1, 6))
@pytest.mark.parametrize("count", [0, 1, 4, 11])
def test_no_commit_is_in_two_shares_or_none(of: int, count: int) -> None:
    commits = [str(number) for number in range(count)]
    shares = [select_share(commits, number, of) for number in range(1, of + 1)]
    assert [commit for share in shares for commit in share] == commits


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3", ""])
def test_another_word_for_a_share_is_wrong_usage(history: Path, text: str) -> None:
    assert run("verify", "main~1..main", "--shard", text, cwd=history).code == 64


def test_what_passed_before_is_not_judged_again_where_that_is_asked_for(copied: Path) -> None:
    for options in (["--incremental"], []):
        found = verified(copied, *options)
        assert {each["policy"]["rule"] for each in found} == {"verdict strict"}
        assert len(found) == COMMITS
    assert verified(copied, "--incremental") == []
    done = run("verify", f"main~{COMMITS}..main", "--incremental", cwd=copied)
    assert (done.code, f"{COMMITS} commits passed before: skipped" in done.err) == (0, True)


def test_quiet_tells_of_commits_with_findings_alone(places: dict[str, Path]) -> None:
    asked = ("verify", "--quiet", "main~3..main")
    assert run(*asked, cwd=places["short"]).out == ""
    done = run(*asked, cwd=places["bare"])
    assert done.code != 0
    assert done.out.count("FAIL") == 3


def test_it_says_nothing_of_floors_that_it_does_not_ask(repo: Repo) -> None:
    """What the gate refuses is not said to pass a policy."""
    policy = '[gate]\naccept = ["receipt"]\ntiers = ["exact"]\n'
    repo.commit({"a.txt": "one\ntwo\n", ".hkgit/config.toml": policy}, "Begin")
    commit(repo, applied(repo, protocol(replace_range("a.txt", b"one\ntwo\n", 2, 2, "2"))))
    refused = run("gate", "--range", "HEAD^..HEAD", cwd=repo.path)
    assert (refused.code, "policy fails: blind" in refused.out) == (6, True)
    done = run("verify", "HEAD^..HEAD", cwd=repo.path)
    assert done.code == 0
    assert "holds: verdict strict" in done.out
    assert "policy passes" not in done.out
    assert "1 commit, all hold; .hkgit/config.toml, without its floors" in done.out
