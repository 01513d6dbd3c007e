"""`hkgit gate` and `hkgit verify`: ranges, the index, messages; policies of the trusted side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import SOURCE

ENFORCED = '[gate]\nmode = "enforce"\n'


def verdicts(report: Any) -> list[str]:
    return [commit["replay"] for commit in report["commits"]]


RANGES = {
    "good commits": ("start..good", 0, ["strict", "by hand"]),
    "a blind edit": ("start..blind-edit", 6, ["strict"]),
    "a blind commit of an agent": ("start..blind-commit", 6, ["no evidence"]),
    "a smuggled byte": ("start..smuggled", 6, ["mixed"]),
    "a clean merge": ("start..merged", 0, ["by hand", "strict", "merge"]),
    "only what is new": ("strict..good", 0, ["by hand"]),
    "an empty range": ("good..good", 0, []),
    "of branches that parted": ("good..blind-commit", 6, ["no evidence"]),
}


@cases("commits, code, expected", RANGES)
def test_the_gate_judges_each_commit_of_a_range(
    history: Bench, commits: str, code: int, expected: list[str]
) -> None:
    result = history.run("gate", "--range", commits, "--format", "json")
    report = result.json()
    assert result.code == code
    assert sorted(verdicts(report)) == sorted(expected)
    assert report["passes"] == (code == 0)


@cases(
    "commits, code, expected",
    {
        "good commits": ("start..good", 0, ["strict", "by hand"]),
        "a blind edit replays": ("start..blind-edit", 0, ["strict"]),
        "a smuggled byte does not": ("start..smuggled", 6, ["mixed"]),
    },
)
def test_verify_judges_without_the_policy_s_floors(
    history: Bench, commits: str, code: int, expected: list[str]
) -> None:
    result = history.run("verify", commits, "--json")
    assert result.code == code
    assert verdicts(result.json()) == expected


@cases(
    "commits, lines",
    {
        "a blind edit": ("start..blind-edit", ["blind edit", "hkgit read"]),
        "a blind commit": ("start..blind-commit", ["README.md", "hkgit apply"]),
        "a smuggled byte": ("start..smuggled", [f"{SOURCE}:", "-> "]),
    },
)
def test_text_names_the_file_and_the_next_step(
    history: Bench, commits: str, lines: list[str]
) -> None:
    out = history.run("gate", "--range", commits).out
    assert out.startswith("FAIL ")
    assert all(line in out for line in lines), out


@cases(
    "args, words",
    {
        "gate, nothing to judge": (["gate", "--range", "good..good"], "0 commits"),
        "verify, nothing to judge": (["verify", "good..good"], "0 commits"),
        "all pass": (["gate", "--range", "start..good"], "2 commits, all pass"),
        "whose policy": (["gate", "--range", "start..good"], "built-in policy"),
        "some do not": (["gate", "--range", "start..smuggled"], "1 rejected"),
    },
)
def test_the_last_line_sums_it_up(history: Bench, args: list[str], words: str) -> None:
    assert words in history.run(*args).out.splitlines()[-1]


@cases(
    "commits, code, words",
    {
        "three dots": ("start...good", 64, "two dots"),
        "a bare revision": ("good", 64, "A..B"),
        "no beginning": ("..good", 64, "A..B"),
        "no end": ("start..", 64, "A..B"),
        "three revisions": ("start..good..good", 64, "A..B"),
        "an unknown beginning": ("nowhere..good", 4, "fetch-depth"),
        "an unknown end": ("start..nowhere", 4, "nowhere"),
        "reversed": ("good..start", 4, "backwards"),
        "a commit that is not here": ("0" * 40 + "..good", 4, "fetch-depth"),
    },
)
def test_what_is_no_range_is_refused(history: Bench, commits: str, code: int, words: str) -> None:
    result = history.run("gate", "--range", commits)
    assert result.code == code, result.err
    assert result.out == "", result.err
    assert words in result.err, result.err


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


@cases(
    "policy, code",
    {
        "quotes are accepted": ('[gate]\naccept = ["hash", "quote"]\n', 0),
        "it only warns": ('[gate]\nmode = "warn"\n', 0),
        "a floor": ('[gate]\nmin_confidence = 1.0\naccept = ["quote"]\n', 0),
        "other tiers": ('[gate]\ntiers = ["range"]\naccept = ["quote"]\n', 6),
        "a wrong value": ("[gate]\nmode = 1\n", 4),
        "an unknown key": ("[gate]\nnonsense = true\n", 4),
        "not TOML": ("[gate\n", 4),
    },
)
def test_another_policy_may_be_named(history: Bench, policy: str, code: int) -> None:
    named = history.write(policy, "policy.toml")
    result = history.run("gate", "--range", "start..blind-edit", "--policy", str(named))
    assert result.code == code, result.out + result.err


@cases(
    "policy, code",
    {
        "of a revision": ("softened:.hkgit/config.toml", 0),
        "not in the revision": ("softened:nowhere.toml", 4),
        "no file": ("nowhere.toml", 4),
    },
)
def test_a_policy_may_be_that_of_a_revision(history: Bench, policy: str, code: int) -> None:
    commits = "start..blind-commit"
    assert history.run("gate", "--range", commits, "--policy", policy).code == code


def test_a_policy_in_both_places_is_none_so_that_it_can_be_mended(bench: Bench) -> None:
    bench.repo.commit(
        {".hkgit/config.toml": ENFORCED, "pyproject.toml": '[tool.hkgit.gate]\nmode = "warn"\n'}
    )
    result = bench.run("gate", "--range", "HEAD..HEAD")
    assert result.code == 0
    assert "built-in policy (" in result.out
    assert "cannot be read" in result.out


# The index, and messages


def by_hand(bench: Bench) -> None:
    bench.repo.write("README.md", "Changed\n")
    bench.repo.git("add", "README.md")


@cases(
    "env, code",
    {
        "by a person": ({}, 0),
        "by an agent": ({"GIT_AUTHOR_NAME": "claude"}, 6),
        "through an agent": ({"GIT_COMMITTER_NAME": "renovate[bot]"}, 6),
    },
)
def test_what_is_staged_is_judged_as_git_would_commit_it(
    bench: Bench, env: dict[str, str], code: int
) -> None:
    assert bench.run("gate", "--staged", env=env).code == 0, "nothing is staged"
    by_hand(bench)
    with bench.untouched():
        result = bench.run("gate", "--staged", "--format", "json", env=env)
    assert result.code == code
    assert result.json()["provisional"] is True
    quiet = bench.run("gate", "--staged", "--quiet", env=env)
    assert (quiet.code, quiet.out == "", quiet.err) == (code, code == 0, "")


@cases(
    "message, code",
    {
        "of a person": ("By hand\n", 0),
        "of both": ("Both\n\nCo-authored-by: Claude <noreply@anthropic.com>\n", 6),
        "a comment": ("Subject\n# Co-authored-by: Claude <noreply@anthropic.com>\n", 0),
    },
)
def test_a_message_is_judged_with_what_is_staged(bench: Bench, message: str, code: int) -> None:
    by_hand(bench)
    file = bench.write(message, "message")
    assert bench.run("gate", "--message-file", str(file)).code == code


def test_a_message_that_is_not_there_is_refused(bench: Bench) -> None:
    result = bench.run("gate", "--message-file", str(bench.scratch / "none"))
    assert result.code == 4
    assert "cannot be read" in result.err
