"""`hkgit gate` and `hkgit verify`: ranges, the index, messages; policies of the trusted side."""

from pathlib import Path

import pytest

from hkgit.audit.reports import DOCUMENTS
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench, run
from tests.support.specs import SOURCE

ENFORCED = '[gate]\nmode = "enforce"\n'


@cases(
    "command, commits, code, expected",
    {
        "good commits": ("gate --range", "start..good", 0, ["strict", "by hand"]),
        "a blind edit": ("gate --range", "start..blind-edit", 6, ["strict"]),
        "a blind commit of an agent": ("gate --range", "start..blind-commit", 6, ["no evidence"]),
        "a smuggled byte": ("gate --range", "start..smuggled", 6, ["mixed"]),
        "a clean merge": ("gate --range", "start..merged", 0, ["strict", "by hand", "merge"]),
        "only what is new": ("gate --range", "strict..good", 0, ["by hand"]),
        "an empty range": ("gate --range", "good..good", 0, []),
        "of branches that parted": ("gate --range", "good..blind-commit", 6, ["no evidence"]),
        "verify, good commits": ("verify", "start..good", 0, ["strict", "by hand"]),
        "verify, a blind edit replays": ("verify", "start..blind-edit", 0, ["strict"]),
        "verify, a smuggled byte does not": ("verify", "start..smuggled", 6, ["mixed"]),
    },
)
def test_each_commit_of_a_range_is_judged(
    history: Bench, command: str, commits: str, code: int, expected: list[str]
) -> None:
    """By `verify` without the policy's floors."""
    result = history.run(*command.split(), commits, "--json")
    replays = [commit["replay"] for commit in result.json()["commits"]]
    assert (result.code, sorted(replays)) == (code, sorted(expected))
    assert result.json()["passes"] == (code == 0)


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
        "of a revision": ("softened:.hkgit/config.toml", 0),
        "not in the revision": ("softened:nowhere.toml", 4),
        "no file": ("nowhere.toml", 4),
    },
)
def test_another_policy_may_be_named(history: Bench, policy: str, code: int) -> None:
    named = str(history.write(policy, "policy.toml")) if policy.startswith("[") else policy
    result = history.run("gate", "--range", "start..blind-edit", "--policy", named)
    assert result.code == code, result.out + result.err


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


# Formats


@pytest.mark.parametrize("form", DOCUMENTS)
def test_standard_output_is_one_document_where_there_is_no_judgement_too(
    history: Bench, form: str
) -> None:
    result = history.run("gate", "--range", "nowhere..HEAD", "--format", form)
    assert (result.code, "nowhere" in result.err) == (4, True)
    result.json()


def test_github_gets_annotations_and_nothing_beside_them(history: Bench, tmp_path: Path) -> None:
    env = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    asked = ("gate", "--range", "start..blind-commit", "--format", "github")
    assert "::error file=README.md,line=1," in history.run(*asked, env=env).out
    assert not (tmp_path / "summary.md").exists()


# Commits without evidence

BOT = "dependabot[bot] <support@github.com>"
TO_ADA = '[gate]\n[[gate.manual]]\npaths = ["*"]\nkeys = ["ssh-ed25519 AAAA"]\n'
BY_NAME = '[gate]\n[[gate.manual]]\npaths = ["uv.lock"]\nnames = ["dependabot[[]bot] <*"]\n'


def judged(repo: Repo, policy: str, message: str, author: str) -> str:
    repo.commit({".hkgit/config.toml": policy, "uv.lock": "1\n"}, "Begin")
    repo.commit({"uv.lock": "2\n"}, message, f"--author={author}")
    done = run("gate", "--range", "HEAD^..HEAD", cwd=repo.path)
    assert done.code == 6
    return done.out


@cases(
    "policy, message, author, words",
    {
        "a bot": ("[gate]\n", "Bump", BOT, '[[gate.manual]] with paths = ["uv.lock"] and keys'),
        "a grant by name": (BY_NAME, "Bump", BOT, "names count only in clones"),
        "a person with an agent": (
            TO_ADA,
            "Bump\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
            "Ada <ada@example.org>",
            "hkgit redo --vouch",
        ),
    },
)
def test_each_hears_what_to_do(
    repo: Repo, policy: str, message: str, author: str, words: str
) -> None:
    assert words in judged(repo, policy, message, author)


def test_policy_check_says_where_names_do_not_count(repo: Repo) -> None:
    repo.write(".hkgit/config.toml", BY_NAME)
    said = run("policy", "check", cwd=repo.path).out
    assert "`names` (in clones only)" in said


def test_what_takes_back_the_last_commit_is_judged_here_as_in_a_range(repo: Repo) -> None:
    """It has the tree of HEAD's parent, but it is no amended commit without changes."""
    repo.commit({"a": "x\n"}, "Begin")
    repo.commit({".hkgit/config.toml": '[gate]\ngovern = "all"\n'}, "All")
    repo.git("rm", "-q", "-r", ".hkgit")
    assert run("gate", "--staged", cwd=repo.path).code == 6
    repo.git("commit", "-q", "-m", "Back")
    assert run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code == 6


@pytest.mark.parametrize("mode", ["warn", "report"])
def test_a_policy_that_only_warns_says_once_what_it_would_reject(repo: Repo, mode: str) -> None:
    repo.commit({".hkgit/config.toml": f'[gate]\nmode = "{mode}"\n', "a": "1\n"}, "Begin")
    repo.commit({"a": "2\n"}, "Change", f"--author={BOT}")
    done = run("gate", "--range", "HEAD^..HEAD", cwd=repo.path)
    assert done.code == 0
    assert done.out.startswith("warn ")
    assert "policy would reject it: blind" in done.out
    assert f"1 commit, 1 would be rejected (mode {mode})" in done.out
    assert "FAIL" not in done.out
    assert done.out.count("would be rejected") == 1


def test_where_nobody_is_granted_a_protected_path_redo_says_so(repo: Repo) -> None:
    repo.commit({".hkgit/config.toml": "[gate]\n"}, "Begin")
    repo.commit({".github/workflows/x.yml": "on: push\n"}, "Add", f"--author={BOT}")
    refused = run("redo", "HEAD", cwd=repo.path)
    assert refused.code == 6
    assert "--vouch from a person with a [[gate.manual]] for these paths" in refused.err
