"""The net of a clone: branches that move without any other hook being asked."""

from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.commands import AGENT, expect_pass, git, hkgit, replace_line_two
from tests.support.repos import Repo
from tests.support.serving import Served, commit, copied, preload_hooks

HOOK = ".git/hooks/reference-transaction"


@pytest.fixture(scope="module")
def netted_template(served_template: Served, tmp_path_factory: pytest.TempPathFactory) -> Served:
    served = copied(served_template, tmp_path_factory.mktemp("netted"))
    hkgit(served.clone, "init", "--hook", "reference-transaction")
    preload_hooks(served.clone)
    return served


@pytest.fixture
def served(netted_template: Served, tmp_path: Path) -> Served:
    return copied(netted_template, tmp_path)


@pytest.fixture
def netted(served: Served) -> Repo:
    """A clone whose only hook is the net."""
    return served.clone


def _commit_blindly(repo: Repo) -> tuple[bool, str]:
    repo.write("app.py", "one\n2\nthree\n")
    return git(repo, "commit", "--no-verify", "-a", "-m", "Blind", env=AGENT)


def test_a_commit_that_skips_the_hooks_is_caught(netted: Repo, tmp_path: Path) -> None:
    netted.git("format-patch", "-q", "-1", "-o", str(tmp_path), "blind")
    [patch] = tmp_path.glob("*.patch")
    before = netted.head

    done, said = _commit_blindly(netted)

    assert done is False, said
    assert netted.head == before, said
    assert "is an agent" in said
    netted.git("reset", "-q", "--hard")
    assert not git(netted, "am", str(patch))[0]


@pytest.mark.sampled
@cases(
    "command",
    {
        "cherry-pick": ["cherry-pick", "blind"],
        "fast-forward": ["merge", "--ff-only", "blind"],
        "merge": ["merge", "--no-ff", "-m", "Merge", "blind"],
        "reset": ["reset", "--hard", "blind"],
        "rebase": ["rebase", "blind"],
        "update-ref": ["update-ref", "refs/heads/main", "blind"],
        "another branch by force": ["branch", "-f", "idle", "blind"],
        "fetch": ["fetch", "-q", ".", "+blind:idle"],
    },
)
def test_a_branch_never_comes_to_hold_a_blind_commit(netted: Repo, command: list[str]) -> None:
    netted.git("branch", "idle", "main")
    before = netted.head

    git(netted, *command)

    gained = netted.git("log", "--format=%an", f"^{before}", "main", "idle", "--")
    assert "claude" not in gained.splitlines()


@pytest.mark.sampled
@cases(
    "command",
    {
        "fast-forward": ["merge", "--ff-only", "good"],
        "merge": ["merge", "--no-ff", "-m", "Merge", "good"],
        "cherry-pick": ["cherry-pick", "human"],
        "reset": ["reset", "-q", "--hard", "good"],
        "a name for what is there": ["checkout", "-q", "-b", "new", "blind"],
        "HEAD alone": ["checkout", "-q", "--detach", "blind"],
        "a branch deleted": ["branch", "-D", "blind"],
        "a branch renamed": ["branch", "-m", "blind", "renamed"],
        "a tag": ["tag", "v1", "blind"],
        "a stash": ["update-ref", "refs/stash", "blind"],
    },
)
def test_what_is_accounted_for_or_none_of_its_business_moves(
    netted: Repo, command: list[str]
) -> None:
    expect_pass(netted, *command)


def test_a_rebase_passes_through_its_own_states(netted: Repo) -> None:
    netted.git("checkout", "-q", "human")
    commit(netted, {"more.md": "More\n"}, {})

    expect_pass(netted, "rebase", "-q", "good")
    assert netted.git("rev-list", "--count", "good..human") == "2"


def test_what_is_not_pushed_may_be_amended_and_set_back(netted: Repo) -> None:
    """`rewrites` speaks of what others have fetched."""
    commit(netted, {".hkgit/config.toml": "[gate]\nrewrites = 'refuse'\n"}, {})

    for command in (["commit", "--amend", "-m", "Again"], ["reset", "-q", "--hard", "HEAD~1"]):
        expect_pass(netted, *command)


def test_hkgit_lands_through_the_net(netted: Repo) -> None:
    spec = replace_line_two(netted, "TWO\n")

    hkgit(netted, "apply", "-", stdin=spec, env=AGENT)

    assert netted.read("app.py") == b"one\nTWO\nthree\n"


def test_what_the_upstream_has_is_pulled(served: Served, netted: Repo) -> None:
    """The server took it before it had a gate; no clone can mend that."""
    served.server.git("fetch", "-q", str(netted.path), "+blind:main")

    done, said = git(netted, "pull", "-q", "--ff-only", "origin", "main")
    assert not done, said

    netted.git("fetch", "-q", "origin")
    netted.git("branch", "-q", "--set-upstream-to=origin/main", "main")
    expect_pass(netted, "merge", "-q", "--ff-only", "origin/main")


def test_a_first_commit_is_judged_under_the_built_in_policy(repo: Repo) -> None:
    hkgit(repo, "init", "--hook", "reference-transaction")
    repo.write("app.py", "one\n")
    repo.git("add", "app.py")

    assert not git(repo, "commit", "-m", "Blind", env=AGENT)[0]
    assert git(repo, "commit", "-m", "By hand")[0]


def test_a_ref_that_does_not_matter_costs_no_start_of_python(netted: Repo) -> None:
    """The hook finds no hkgit here, and needs none."""
    hook = netted.path / HOOK
    text = hook.read_text().replace("command -v hkgit", "false").splitlines()
    hook.write_text("\n".join("python=/nowhere" if "python=" in line else line for line in text))

    for command in (["tag", "v1", "blind"], ["branch", "copy", "blind"], ["checkout", "good"]):
        expect_pass(netted, *command)
