"""Manual grants, and the policy as a thing that only a grant changes (contract, section 10)."""

from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Grant, Policy
from hkgit.values import replace
from tests.support.cases import cases
from tests.support.commits import (
    AGENT,
    PERSON,
    Change,
    applied,
    commit,
    commit_tree,
    judge,
    rejection,
    tree_of,
    verdict,
)
from tests.support.gating import PYPROJECT, begun, by_hand, good, opened, staged
from tests.support.keys import public
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo


@pytest.fixture
def started(repo: Repo) -> Repo:
    return begun(repo)


def signed(repo: Repo, change: Change, key: Path) -> None:
    repo.git("config", "gpg.format", "ssh")
    tree = tree_of(repo, change)
    made = commit_tree(repo, tree, ["HEAD"], b"Say\n", change.author, f"-S{key}")
    repo.git("reset", "-q", "--hard", made)


ANOTHER = f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{'A' * 43}"


def test_a_grant_is_for_its_paths_and_its_key_alone(started: Repo, key: Path) -> None:
    start = started.head
    commit(started, by_hand(PERSON))
    assert rejection(started, policy=granting("docs/*", public(key))) == "blind"  # not signed
    started.git("reset", "-q", "--hard", start)
    signed(started, by_hand(PERSON), key)
    assert rejection(started, policy=granting("src/*", public(key))) == "blind"
    assert rejection(started, policy=granting("docs/*", ANOTHER)) == "blind"
    assert verdict(started, policy=granting("docs/*", public(key))) is Verdict.MANUAL


def granting(paths: str, key: str) -> Policy:
    return Policy(govern="all", manual=(Grant((paths,), keys=(key,)),))


VOUCHED = b"Say\n\nHkgit-Vouched-by: Ada Tester <ada@example.org>\n"
BY_NAME = Policy(govern="all", manual=(Grant(("docs/*",), names=("ada tester <*",)),))


def test_a_name_will_do_on_a_client_provisionally_and_is_no_proof_on_a_server(
    started: Repo,
) -> None:
    ruling = staged(started, {"docs/x.md": "y\n"}, BY_NAME)
    assert (ruling.passes, ruling.judged.verdict) == (True, Verdict.MANUAL)
    assert "provisional" in ruling.rule
    other = staged(started, {"docs/x.md": "y\n"}, BY_NAME, author="Bob <bob@example.org>")
    assert not other.passes
    assert not staged(started, {"docs/x.md": "y\n", "a.txt": "y\n"}, BY_NAME).passes
    assert not staged(started, {"docs/x.md": None, "a.txt": None}, BY_NAME).passes
    started.git("reset", "-q", "--hard")
    commit(started, by_hand(PERSON))
    assert rejection(started, policy=BY_NAME) == "blind"


def test_a_grant_does_not_reach_the_ledger(started: Repo, key: Path) -> None:
    commit(started, applied(started, protocol(good())))
    [path] = started.git("ls-tree", "-r", "--name-only", "HEAD", ".hkgit/ledger").splitlines()
    signed(started, Change({path: File(b"{}\n")}, author=PERSON), key)
    policy = Policy(govern="all", manual=(Grant(("*",), keys=(public(key),)),))
    assert judge(started, policy=policy).rule == "entry"


@cases(
    "voucher, committer, pusher, verdict",
    {
        "the pusher": ("Ada <a@b.org>", "A. <A@B.org>", "ada", Verdict.VOUCHED),
        "names somebody else": ("Bob <b@b.org>", PERSON, "ada", Verdict.MANUAL),
        "another pusher": ("Ada <a@b.org>", "Ada <a@b.org>", "bob", Verdict.FAIL),
        "nobody known": ("Ada <a@b.org>", "Ada <a@b.org>", None, Verdict.FAIL),
    },
)
def test_who_pushes_vouches_as_the_committer(
    started: Repo, voucher: str, committer: str, pusher: str | None, verdict: Verdict
) -> None:
    """A pusher's own grant holds whomever the trailer names: then nobody vouches."""
    commit(started, by_hand(AGENT))
    made = replace(
        judge(started).judged.candidate,
        committer=committer,
        message=f"Say\n\nHkgit-Vouched-by: {voucher}\n".encode(),
    )
    policy = Policy(manual=(Grant(("docs/*",), pushers=("ada",)),), pusher_variable="GL_USERNAME")
    ruling = Gate(opened(started), policy, JudgeContext(pusher=pusher)).judge(made)
    assert ruling.judged.verdict is verdict
    assert ruling.passes is (verdict is not Verdict.FAIL)


@cases(
    "message, verdict",
    {
        "before its message is known": (None, Verdict.VOUCHED),
        "named": (VOUCHED, Verdict.VOUCHED),
        "nobody is named": (b"Say\n", Verdict.FAIL),
        "somebody else is named": (VOUCHED.replace(b"Ada", b"Bob"), Verdict.FAIL),
    },
)
def test_in_a_clone_who_vouches_is_named_in_the_message(
    started: Repo, message: bytes | None, verdict: Verdict
) -> None:
    """What is not signed yet passes in a clone for the name, as a grant by name does."""
    policy = Policy(manual=(Grant(("docs/*",), names=("ada tester <*",)),))
    ruling = staged(started, {"docs/x.md": "y\n"}, policy, author=AGENT, message=message)
    assert ruling.judged.verdict is verdict
    assert ruling.passes is (verdict is Verdict.VOUCHED)


def test_a_persons_own_change_is_by_hand_whatever_its_message_says(started: Repo) -> None:
    ruling = staged(started, {"docs/x.md": "y\n"}, BY_NAME, message=VOUCHED)
    assert ruling.judged.verdict is Verdict.MANUAL


def with_line(repo: Repo, line: int, text: str) -> Change:
    """An agent's edit of a line of pyproject.toml, which has the policy."""
    return applied(repo, protocol(replace_range("pyproject.toml", PYPROJECT, line, line, text)))


@cases(
    "line, text, rule",
    {
        "its mode": (5, "mode = 'warn'", "policy"),
        "a broken file": (1, "[project", "policy"),
        "the rest of the file": (2, "name = 'y'", "verdict strict"),
        "a comment": (4, "# strict\n[tool.hkgit.gate]", "verdict strict"),
    },
)
def test_a_governed_commit_does_not_change_the_policys_value(
    started: Repo, line: int, text: str, rule: str
) -> None:
    commit(started, with_line(started, line, text))
    ruling = judge(started)
    assert ruling.rule == rule
    assert [finding.where for finding in ruling.findings] == (
        ["pyproject.toml"] if rule == "policy" else []
    )


def test_a_grant_allows_it(started: Repo, key: Path) -> None:
    signed(started, with_line(started, 5, "mode = 'warn'"), key)
    grant = Grant(("pyproject.toml",), keys=(public(key),))
    assert verdict(started, policy=Policy(manual=(grant,))) is Verdict.STRICT
