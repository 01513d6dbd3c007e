"""`hkgit gate` and `hkgit verify`: ranges, the index, messages; policies of the trusted side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import Bench
from tests.support.specs import SOURCE

ENFORCED = '[gate]\nmode = "enforce"\n'


def verdicts(report: Any) -> list[str]:
    return [commit["replay"] for commit in report["commits"]]


RANGES = [
    pytest.param("start..good", 0, ["strict", "by hand"], id="good commits"),
    pytest.param("start..blind-edit", 6, ["strict"], id="a blind edit"),
    pytest.param("start..blind-commit", 6, ["no evidence"], id="a blind commit of an agent"),
    pytest.param("start..smuggled", 6, ["mixed"], id="a smuggled byte"),
    pytest.param("start..merged", 0, ["by hand", "strict", "merge"], id="a clean merge"),
    pytest.param("strict..good", 0, ["by hand"], id="only what is new"),
    pytest.param("good..good", 0, [], id="an empty range"),
    pytest.param("good..blind-commit", 6, ["no evidence"], id="of branches that parted"),
]


@pytest.mark.parametrize(("commits", "code", "expected"), RANGES)
def test_the_gate_judges_each_commit_of_a_range(
    history: Bench, commits: str, code: int, expected: list[str]
) -> None:
    result = history.run("gate", "--range", commits, "--format", "json")
    report = result.json()
    assert result.code == code
    assert sorted(verdicts(report)) == sorted(expected)
    assert report["passes"] == (code == 0)


@pytest.mark.parametrize(
    ("commits", "code", "expected"),
    [
        pytest.param("start..good", 0, ["strict", "by hand"], id="good commits"),
        pytest.param("start..blind-edit", 0, ["strict"], id="a blind edit replays"),
        pytest.param("start..smuggled", 6, ["mixed"], id="a smuggled byte does not"),
    ],
)
def test_verify_judges_without_the_policy_s_floors(
    history: Bench, commits: str, code: int, expected: list[str]
) -> None:
    result = history.run("verify", commits, "--json")
    assert result.code == code
    assert verdicts(result.json()) == expected


@pytest.mark.parametrize(
    ("commits", "code"),
    [
        pytest.param("start...good", 64, id="no range"),
        pytest.param("nowhere..good", 4, id="an unknown beginning"),
    ],
)
def test_verify_takes_nothing_but_a_range(history: Bench, commits: str, code: int) -> None:
    assert history.run("verify", commits).code == code


@pytest.mark.parametrize(
    ("commits", "lines"),
    [
        pytest.param("start..blind-edit", ["blind edit", "hkgit read"], id="a blind edit"),
        pytest.param("start..blind-commit", ["README.md", "hkgit apply"], id="a blind commit"),
        pytest.param("start..smuggled", [f"{SOURCE}:", "-> "], id="a smuggled byte"),
    ],
)
def test_text_names_the_file_and_the_next_step(
    history: Bench, commits: str, lines: list[str]
) -> None:
    out = history.run("gate", "--range", commits).out
    assert out.startswith("FAIL ")
    assert all(line in out for line in lines), out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        pytest.param(["gate", "--range", "good..good"], "0 commits", id="gate, nothing to judge"),
        pytest.param(["verify", "good..good"], "0 commits", id="verify, nothing to judge"),
        pytest.param(["gate", "--range", "start..good"], "2 commits, all pass", id="all pass"),
        pytest.param(["gate", "--range", "start..good"], "built-in policy", id="whose policy"),
        pytest.param(["gate", "--range", "start..smuggled"], "1 rejected", id="some do not"),
    ],
)
def test_the_last_line_sums_it_up(history: Bench, args: list[str], words: str) -> None:
    assert words in history.run(*args).out.splitlines()[-1]


@pytest.mark.parametrize(
    ("commits", "code", "words"),
    [
        pytest.param("start...good", 64, "two dots", id="three dots"),
        pytest.param("good", 64, "A..B", id="a bare revision"),
        pytest.param("..good", 64, "A..B", id="no beginning"),
        pytest.param("start..", 64, "A..B", id="no end"),
        pytest.param("start..good..good", 64, "A..B", id="three revisions"),
        pytest.param("nowhere..good", 4, "fetch-depth", id="an unknown beginning"),
        pytest.param("start..nowhere", 4, "nowhere", id="an unknown end"),
        pytest.param("good..start", 4, "backwards", id="reversed"),
        pytest.param("0" * 40 + "..good", 4, "fetch-depth", id="a commit that is not here"),
    ],
)
def test_what_is_no_range_is_refused(history: Bench, commits: str, code: int, words: str) -> None:
    result = history.run("gate", "--range", commits)
    assert result.code == code, result.err
    assert result.out == "", result.err
    assert words in result.err, result.err


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["gate", "--format", "json", "--range", "nowhere..good"], id="gate"),
        pytest.param(["verify", "--json", "nowhere..good"], id="verify"),
        pytest.param(["log", "--json", "nowhere"], id="log"),
        pytest.param(["show", "--json", "nowhere"], id="show"),
    ],
)
def test_a_refusal_as_json_is_one_document_too(history: Bench, args: list[str]) -> None:
    result = history.run(*args)
    assert result.code == 4
    assert result.json()["status"] == "invalid"


def test_a_shallow_clone_says_what_it_cannot_see(history: Bench, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    history.repo.git("branch", "-f", "good-branch", "good")
    source = f"file://{history.repo.path}"
    history.repo.git("clone", "-q", "--depth=1", "-b", "good-branch", source, str(shallow))
    start = history.repo.resolve("start")
    result = history.run("gate", "--range", f"{start}..HEAD", cwd=shallow)
    assert result.code == 4
    assert "fetch-depth" in result.err


# Policies


def test_a_range_is_judged_by_the_policy_it_began_with(history: Bench) -> None:
    report = history.run("gate", "--range", "start..softened", "--format", "json")
    assert report.code == 6
    assert report.json()["policy"]["source"] == "built-in policy"


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        pytest.param('[gate]\naccept = ["hash", "quote"]\n', 0, id="quotes are accepted"),
        pytest.param('[gate]\nmode = "warn"\n', 0, id="it only warns"),
        pytest.param('[gate]\nmin_confidence = 1.0\naccept = ["quote"]\n', 0, id="a floor"),
        pytest.param('[gate]\ntiers = ["range"]\naccept = ["quote"]\n', 6, id="other tiers"),
        pytest.param("[gate]\nmode = 1\n", 4, id="a wrong value"),
        pytest.param("[gate]\nnonsense = true\n", 4, id="an unknown key"),
        pytest.param("[gate\n", 4, id="not TOML"),
    ],
)
def test_another_policy_may_be_named(history: Bench, policy: str, code: int) -> None:
    named = history.write(policy, "policy.toml")
    result = history.run("gate", "--range", "start..blind-edit", "--policy", str(named))
    assert result.code == code, result.out + result.err


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        pytest.param("softened:.hkgit/config.toml", 0, id="of a revision"),
        pytest.param("softened:nowhere.toml", 4, id="not in the revision"),
        pytest.param("nowhere:.hkgit/config.toml", 4, id="of no revision"),
        pytest.param("nowhere.toml", 4, id="no file"),
    ],
)
def test_a_policy_may_be_that_of_a_revision(history: Bench, policy: str, code: int) -> None:
    commits = "start..blind-commit"
    assert history.run("gate", "--range", commits, "--policy", policy).code == code


def test_a_policy_in_both_places_is_none_so_that_it_can_be_mended(bench: Bench) -> None:
    bench.repo.commit(
        {
            ".hkgit/config.toml": ENFORCED,
            "pyproject.toml": '[tool.hkgit.gate]\nmode = "warn"\n',
        }
    )
    result = bench.run("gate", "--range", "HEAD..HEAD")
    assert result.code == 0
    assert "built-in policy (" in result.out
    assert "cannot be read" in result.out


# The index, and messages


def by_hand(bench: Bench) -> None:
    bench.repo.write("README.md", "Changed\n")
    bench.repo.git("add", "README.md")


def nothing(bench: Bench) -> None:
    """Leave the index as it is."""


@pytest.mark.parametrize(
    ("stage", "env", "code"),
    [
        pytest.param(nothing, {}, 0, id="nothing is staged"),
        pytest.param(by_hand, {}, 0, id="by a person"),
        pytest.param(by_hand, {"GIT_AUTHOR_NAME": "claude"}, 6, id="by an agent"),
        pytest.param(by_hand, {"GIT_COMMITTER_NAME": "renovate[bot]"}, 6, id="through an agent"),
    ],
)
def test_what_is_staged_is_judged_as_git_would_commit_it(
    bench: Bench, stage: Callable[[Bench], None], env: dict[str, str], code: int
) -> None:
    stage(bench)
    with bench.untouched():
        result = bench.run("gate", "--staged", "--format", "json", env=env)
    assert result.code == code
    assert result.json()["provisional"] is True


@pytest.mark.parametrize(
    ("message", "code"),
    [
        pytest.param("By hand\n", 0, id="of a person"),
        pytest.param("Both\n\nCo-authored-by: Claude <noreply@anthropic.com>\n", 6, id="of both"),
        pytest.param(
            "Subject\n# Co-authored-by: Claude <noreply@anthropic.com>\n", 0, id="a comment"
        ),
    ],
)
def test_a_message_is_judged_with_what_is_staged(bench: Bench, message: str, code: int) -> None:
    by_hand(bench)
    file = bench.write(message, "message")
    assert bench.run("gate", "--message-file", str(file)).code == code


def test_a_message_that_is_not_there_is_refused(bench: Bench) -> None:
    result = bench.run("gate", "--message-file", str(bench.scratch / "none"))
    assert result.code == 4
    assert "cannot be read" in result.err


def test_quiet_says_nothing_where_nothing_is_rejected(bench: Bench) -> None:
    by_hand(bench)
    result = bench.run("gate", "--staged", "--quiet")
    assert result.code == 0
    assert result.out == ""
    assert result.err == ""
