"""Branches of a server that are set back, rewritten or deleted."""

from __future__ import annotations

from tests.support.cases import cases
from tests.support.serving import Served, commit


def test_a_branch_may_be_set_back(served: Served) -> None:
    served.push("good:main")

    assert served.push("+main")[0]


def test_a_rewritten_branch_is_judged_from_where_it_left_the_old_one(served: Served) -> None:
    served.push("human:main")

    assert served.push("+good:main")[0]
    assert not served.push("+blind:main")[0]


def test_a_rewrite_does_not_bring_back_an_older_policy(served: Served) -> None:
    served.clone.git("checkout", "-q", "-b", "tight")
    commit(served.clone, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})
    assert served.push("tight:main")[0]

    done, said = served.push("+main")

    assert not done
    assert "has a different policy" in said


def test_a_branch_may_be_rebased_onto_a_policy_that_the_default_branch_came_to(
    served: Served,
) -> None:
    served.push("human")
    served.clone.git("checkout", "-q", "-b", "tight")
    commit(served.clone, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})
    assert served.push("tight:main")[0]
    served.clone.git("rebase", "-q", "tight", "human")

    done, said = served.push("+human")

    assert done, said


def test_a_stricter_branch_is_not_set_to_the_policy_of_the_default_branch(served: Served) -> None:
    served.clone.git("checkout", "-q", "-b", "strict")
    commit(served.clone, {".hkgit/config.toml": "[gate]\ngovern = 'all'\n"}, {})
    assert served.push("strict")[0]

    done, said = served.push("+main:strict")

    assert not done
    assert "has a different policy" in said


@cases("refspec", {"rewritten": "+other", "deleted": ":other"})
def test_the_policy_may_refuse_rewrites(served: Served, refspec: str) -> None:
    served.clone.git("checkout", "-q", "-b", "other")
    commit(served.clone, {".hkgit/config.toml": "[gate]\nrewrites = 'refuse'\n"}, {})
    assert served.push("other")[0]
    served.clone.git("commit", "-q", "--amend", "-m", "Again")

    done, said = served.push(refspec)

    assert not done
    assert "FAIL refs/heads/other: " in said


def test_a_branch_that_is_not_the_default_one_may_be_deleted(served: Served) -> None:
    served.push("human")

    assert served.push(":human")[0]
