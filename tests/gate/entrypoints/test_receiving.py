"""A server with the pre-receive hook, real pushes to it, and what its operator has set."""

import json

import pytest

from tests.support.commands import AGENT, git, hkgit, start
from tests.support.repos import Repo
from tests.support.serving import Served, commit, copied

TAKEN = {
    "refs/heads/main": "good",
    "refs/heads/good": "good",
    "refs/heads/human": "human",
    "refs/heads/merged": "merged",
    "refs/heads/copy": "main",
    "refs/heads/ours": "human",
    "refs/tags/v1": "good",
    "refs/tags/tree": "main^{tree}",
    "refs/scratch/blind": "blind",
}
"""Refs of the server, and what is pushed to them; the last one the policy does not protect."""


@pytest.fixture(scope="module")
def taken(served_template: Served, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server that was sent all of these in one push."""
    served = copied(served_template, tmp_path_factory.mktemp("taken"))
    served.clone.git("checkout", "-q", "-b", "merged", "good")
    served.clone.git("merge", "-q", "--no-ff", "-m", "Merge", "human", env=AGENT)
    served.push(*(f"{rev}:{ref}" for ref, rev in TAKEN.items()))
    return served


@pytest.mark.sampled
@pytest.mark.parametrize("ref", TAKEN)
def test_what_is_accounted_for_is_taken(taken: Served, ref: str) -> None:
    assert taken.refs.get(ref) == taken.clone.git("rev-parse", TAKEN[ref])


def test_a_push_is_refused_as_a_whole_and_leaves_nothing(served: Served) -> None:
    clone, server = served.clone, served.server
    clone.git("tag", "-a", "-m", "Blind", "annotated", "blind")
    clone.git("checkout", "-q", "-b", "above", "blind")
    commit(clone, {"notes.md": "Fine\n"}, {})
    clone.git("checkout", "-q", "-b", "merged", "main")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge", "blind")
    server.git("config", "receive.denyDeleteCurrent", "ignore")
    server.git("symbolic-ref", "refs/also/main", "refs/heads/main")
    before, blind, said = served.refs, clone.resolve("blind"), ""
    for refspecs in (
        ["blind:main"],
        ["annotated"],
        [":main"],
        ["above:main"],
        ["merged:main"],
        ["blind:refs/also/main"],
        ["good", "blind"],
    ):
        said = served.refuse(*refspecs)
        assert (served.refs, served.quarantines) == (before, []), said
    assert "FAIL refs/heads/blind" in said
    assert f"FAIL {blind[:12]}" in said
    assert "refs/heads/blind refused, so no ref is updated" in said
    assert start("git", "cat-file", "-e", blind, cwd=server.path).returncode != 0


def test_what_was_first_pushed_to_a_scratch_ref_is_judged_when_it_comes_to_main(
    served: Served,
) -> None:
    served.take("blind:refs/scratch/blind")

    served.refuse("blind:main")


def test_what_the_default_branch_has_is_judged_when_it_comes_to_a_branch_with_a_policy(
    served: Served,
) -> None:
    served.push("main:refs/heads/release")
    served.server.git("fetch", "-q", str(served.clone.path), "+blind:main")

    served.refuse("blind:refs/heads/release")


def test_the_policy_that_is_pushed_does_not_judge_its_own_push(served: Served) -> None:
    served.clone.git("checkout", "-q", "relaxed")
    commit(served.clone, {"app.py": "one\n2\nthree\n"}, AGENT)

    served.refuse("HEAD:main")
    served.take("HEAD~1:main")
    served.take("HEAD:main")  # but the next one


def test_a_new_branch_is_judged_from_where_it_leaves_the_default_branch(served: Served) -> None:
    """What the default branch took before there was a gate is not judged again."""
    served.server.path.joinpath("hooks/pre-receive").rename(served.server.path / "aside")
    served.push("blind:main")
    served.server.path.joinpath("aside").rename(served.server.path / "hooks/pre-receive")
    served.clone.git("checkout", "-q", "-b", "later", "blind")
    commit(served.clone, {"notes.md": "Fine\n"}, {})

    served.take("later")


def test_a_branch_from_before_the_policy_is_judged_under_that_of_the_default_branch(
    served: Served,
) -> None:
    served.clone.git("checkout", "-q", "--orphan", "elder")
    served.clone.git("rm", "-q", "--cached", ".hkgit/config.toml")
    served.clone.git("commit", "-q", "-m", "From before")
    served.server.git("fetch", "-q", str(served.clone.path), "elder:elder")
    served.clone.git("checkout", "-q", "-f", "main")
    served.clone.write(".hkgit/config.toml", "[gate]\ngovern = 'all'\n")
    served.clone.git("commit", "-q", "-a", "-m", "Govern all")
    served.take("main")
    served.clone.git("checkout", "-q", "-f", "elder")
    commit(served.clone, {"notes.md": "By hand\n"}, {})

    assert "the policy governs everyone" in served.refuse("elder")


# Names


def test_a_policy_may_protect_fewer_refs(served: Served) -> None:
    served.clone.git("checkout", "-q", "relaxed")
    commit(served.clone, {".hkgit/config.toml": "[gate]\nrefs = ['refs/heads/main']\n"}, {})
    served.take("HEAD:main")

    served.take("blind")
    served.refuse("blind:refs/heads/main", "--force")


# The command itself


def test_the_answer_is_one_json_document_and_judges_once_what_two_refs_bring(
    served: Served,
) -> None:
    served.server.git("fetch", "-q", str(served.clone.path), "good:refs/scratch/good")
    new = served.clone.resolve("good")
    told = "".join(f"{'0' * 40} {new} refs/heads/{name}\n" for name in ("first", "second"))

    said = hkgit(served.server, "gate", "--pre-receive", "--format", "json", stdin=told)

    document = json.loads(said)
    assert [document["passes"], document["refs"][0]["ref"]] == [True, "refs/heads/first"]
    assert [each["replay"] for each in document["refs"][0]["report"]["commits"]] == ["strict"]
    assert document["refs"][1]["report"] is None


def test_a_namespace_and_lines_that_git_would_not_write_are_refused(served: Served) -> None:
    env = {"GIT_NAMESPACE": "x"}
    hkgit(served.server, "gate", "--pre-receive", stdin="", env=env, code=7)
    hkgit(served.server, "gate", "--pre-receive", stdin="refs/heads/main\n", code=4)


def test_a_push_whose_history_is_cut_off_is_not_taken(served: Served) -> None:
    served.server.git("config", "receive.shallowUpdate", "true")
    served.server.git("symbolic-ref", "HEAD", "refs/heads/none")
    for ref in served.refs:
        served.server.git("update-ref", "-d", ref)
    served.server.git("gc", "-q", "--prune=now")
    shallow = Repo(served.clone.path.parent / "shallow")
    source = f"file://{served.clone.path}"
    served.clone.git("clone", "-q", "--depth=1", "--branch=human", source, str(shallow.path))

    done, said = git(shallow, "push", str(served.server.path), "human")

    assert not done
    assert "unverifiable" in said


# Branches that are set back, rewritten or deleted


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


# What the operator of a server has set


def test_a_first_push_is_judged_from_the_beginning_under_the_built_in_policy(
    served: Served,
) -> None:
    for ref in served.refs:
        served.server.git("update-ref", "-d", ref)

    served.refuse("main", "blind")
    served.take("main", "good")


def test_past_its_time_a_push_is_refused_with_the_way_out(served: Served) -> None:
    served.server.git("config", "hkgit.budget", "0")
    said = served.refuse("good:main")
    assert "judging takes more than 0 s" in said
    assert "git config hkgit.budget" in said


def test_the_operator_may_name_a_policy_of_the_server(served: Served) -> None:
    served.server.git("config", "hkgit.gate.policy", "policy.toml")
    served.server.write("policy.toml", "[gate]\nmode = 'perhaps'\n")
    served.refuse("good:main")  # it cannot be read
    served.server.write("policy.toml", "[gate]\nmode = 'report'\n")
    served.take("blind:main")
    served.server.git("config", "hkgit.budget", "0")
    served.take("+good:main")  # a policy that only reports stops no push for want of time


# The server itself


def test_a_server_with_a_checkout_judges_too(served: Served) -> None:
    served.server.git("clone", "-q", str(served.server.path), "../checkout")
    checkout = Repo(served.server.path.parent / "checkout")
    checkout.git("config", "receive.denyCurrentBranch", "updateInstead")
    hkgit(checkout, "init", "--server")

    assert not git(served.clone, "push", str(checkout.path), "blind:main")[0]
    assert git(served.clone, "push", str(checkout.path), "good:main")[0]
