"""Branches of a server that are set back, rewritten or deleted."""

from __future__ import annotations

from tests.support.serving import Served, commit

GOVERN_ALL = {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}


def test_a_branch_is_set_back_and_rewritten_from_where_it_left_the_old_one(served: Served) -> None:
    served.take("good:main")
    served.take("+main")
    served.take("human:main")
    served.take("+good:main")
    served.refuse("+blind:main")
    served.take("human")
    served.take(":human")  # which is not the default branch


def test_a_rewrite_does_not_bring_back_an_older_policy(served: Served) -> None:
    served.take("human")
    served.clone.git("checkout", "-q", "-b", "tight")
    commit(served.clone, GOVERN_ALL, {})
    served.take("tight")
    assert "has a different policy" in served.refuse("+main:tight")  # that of the default branch
    served.take("tight:main")
    assert "has a different policy" in served.refuse("+main")
    served.clone.git("rebase", "-q", "tight", "human")
    served.take("+human")  # onto a policy that the default branch came to


def test_the_policy_may_refuse_rewrites(served: Served) -> None:
    served.clone.git("checkout", "-q", "-b", "other")
    commit(served.clone, {".hkgit/config.toml": "[gate]\nrewrites = 'refuse'\n"}, {})
    served.take("other")
    served.clone.git("commit", "-q", "--amend", "-m", "Again")
    for refspec in ("+other", ":other"):
        assert "FAIL refs/heads/other: " in served.refuse(refspec)
