"""What the gate says of commits without evidence: to a person, to a bot, to one who has a name."""

from __future__ import annotations

import pytest

from tests.support.repos import Repo
from tests.support.running import run

BOT = "dependabot[bot] <support@github.com>"
BY_NAME = '[gate]\n[[gate.manual]]\npaths = ["uv.lock"]\nnames = ["dependabot[[]bot] <*"]\n'


def judged(repo: Repo, policy: str, message: str, author: str) -> str:
    repo.commit({".hkgit/config.toml": policy, "uv.lock": "1\n"}, "Begin")
    repo.commit({"uv.lock": "2\n"}, message, f"--author={author}")
    done = run("gate", "--range", "HEAD^..HEAD", cwd=repo.path)
    assert done.code == 6
    return done.out


@pytest.mark.parametrize(
    ("policy", "message", "author", "words"),
    [
        pytest.param(
            "[gate]\n", "Bump", BOT, '[[gate.manual]] with paths = ["uv.lock"] and keys', id="a bot"
        ),
        pytest.param(BY_NAME, "Bump", BOT, "names count in clones only", id="a grant by name"),
        pytest.param(
            "[gate]\n",
            "Bump\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
            "Ada <ada@example.org>",
            "without the Co-Authored-By line",
            id="a person with an agent",
        ),
    ],
)
def test_each_hears_what_to_do(
    repo: Repo, policy: str, message: str, author: str, words: str
) -> None:
    assert words in judged(repo, policy, message, author)


def test_policy_check_says_where_names_do_not_count(repo: Repo) -> None:
    repo.write(".hkgit/config.toml", BY_NAME)
    said = run("policy", "check", cwd=repo.path).out
    assert "under --range and --ci" in said


def test_what_takes_back_the_last_commit_is_judged_here_as_in_a_range(repo: Repo) -> None:
    """It has the tree of HEAD's parent, but it is no amended commit without changes."""
    repo.commit({"a": "x\n"}, "Begin")
    repo.commit({".hkgit/config.toml": '[gate]\ngovern = "all"\n'}, "All")
    repo.git("rm", "-q", "-r", ".hkgit")
    assert run("gate", "--staged", cwd=repo.path).code == 6
    repo.git("commit", "-q", "-m", "Back")
    assert run("gate", "--range", "HEAD^..HEAD", cwd=repo.path).code == 6
