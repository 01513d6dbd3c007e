"""What the gate says of commits without evidence: to a person, to a bot, to one who has a name."""

from __future__ import annotations

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run

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
