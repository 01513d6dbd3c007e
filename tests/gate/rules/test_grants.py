"""Manual grants, and the policy as a thing that only a grant changes (contract, section 10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.evidence.verdict import Verdict
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Grant, Policy
from hkgit.gate.trusted_policy import read_policy
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
    tree_of,
    verdict,
)
from tests.support.gating import PYPROJECT, A, begun, by_hand, good, opened, staged
from tests.support.keys import public
from tests.support.planning import Operation, protocol, replace_range
from tests.support.repos import Repo
from tests.support.rulings import judge_whole


@pytest.fixture
def started(repo: Repo) -> Repo:
    return begun(repo)


def signed(repo: Repo, change: Change, key: Path) -> None:
    repo.git("config", "gpg.format", "ssh")
    tree = tree_of(repo, change)
    made = commit_tree(repo, tree, ["HEAD"], b"Say\n", change.author, f"-S{key}")
    repo.git("reset", "-q", "--hard", made)


def test_a_key_may_be_granted_paths(started: Repo, key: Path) -> None:
    signed(started, by_hand(PERSON), key)
    policy = Policy(govern="all", manual=(Grant(("docs/*",), keys=(public(key),)),))
    assert verdict(started, policy=policy) is Verdict.MANUAL


@cases(
    "paths, is_signed, keys",
    {
        "other paths": ("src/*", True, "{}"),
        "no signature": ("docs/*", False, "{}"),
        "another key": (
            "docs/*",
            True,
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ),
    },
)
def test_a_grant_is_for_its_paths_and_its_key_alone(
    started: Repo, key: Path, paths: str, is_signed: bool, keys: str
) -> None:
    if is_signed:
        signed(started, by_hand(PERSON), key)
    else:
        commit(started, by_hand(PERSON))
    grant = Grant((paths,), keys=(keys.format(public(key)),))
    assert not judge(started, policy=Policy(govern="all", manual=(grant,))).passes


VOUCHED = b"Say\n\nHkgit-Vouched-by: Ada Tester <ada@example.org>\n"
BY_NAME = Policy(govern="all", manual=(Grant(("docs/*",), names=("ada tester <*",)),))


def test_a_name_is_no_proof_on_a_server(started: Repo) -> None:
    commit(started, by_hand(PERSON))
    assert not judge(started, policy=BY_NAME).passes


def test_a_name_will_do_on_a_client_provisionally(started: Repo) -> None:
    ruling = staged(started, {"docs/x.md": "y\n"}, BY_NAME)
    assert ruling.judged.verdict == Verdict.MANUAL
    assert ruling.passes is True
    assert "provisional" in ruling.rule


@cases(
    "files, author",
    {
        "not all paths": ({"docs/x.md": "y\n", "a.txt": "y\n"}, PERSON),
        "another name": ({"docs/x.md": "y\n"}, "Bob <bob@example.org>"),
        "files removed elsewhere": ({"docs/x.md": None, "a.txt": None}, PERSON),
    },
)
def test_a_name_is_granted_its_paths_alone(
    started: Repo, files: dict[str, str | None], author: str
) -> None:
    assert not staged(started, files, BY_NAME, author=author).passes


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


def test_nobody_vouches_in_the_shell_of_an_agent(started: Repo) -> None:
    """There an agent has what a person signs with, and reads how one vouches."""
    policy = replace(BY_NAME, source="a file")
    ruling = staged(started, {"docs/x.md": "y\n"}, policy, shell="Claude Code", message=VOUCHED)
    assert ruling.judged.verdict is not Verdict.VOUCHED


def test_a_persons_own_change_is_by_hand_whatever_its_message_says(started: Repo) -> None:
    ruling = staged(started, {"docs/x.md": "y\n"}, BY_NAME, message=VOUCHED)
    assert ruling.judged.verdict is Verdict.MANUAL


LOOSER = PYPROJECT.replace(b"enforce", b"warn")


def looser(repo: Repo) -> Change:
    operation = replace_range("pyproject.toml", PYPROJECT, 5, 5, "mode = 'warn'")
    return applied(repo, protocol(operation))


def test_a_governed_commit_does_not_change_the_policy(started: Repo) -> None:
    commit(started, looser(started))
    ruling = judge(started)
    assert ruling.passes is False
    assert ruling.rule == "policy"
    assert ruling.findings[0].where == "pyproject.toml"


@cases(
    "line, new_text",
    {
        "another table": (2, "name = 'y'"),
        "a comment": (4, "# strict\n[tool.hkgit.gate]"),
        "the same value": (5, 'mode = "enforce"'),
    },
)
def test_it_may_edit_the_rest_of_the_file(started: Repo, line: int, new_text: str) -> None:
    operation = replace_range("pyproject.toml", PYPROJECT, line, line, new_text)
    commit(started, applied(started, protocol(operation)))
    assert verdict(started) is Verdict.STRICT


def test_it_does_not_break_the_file(started: Repo) -> None:
    operation = replace_range("pyproject.toml", PYPROJECT, 1, 1, "[project")
    commit(started, applied(started, protocol(operation)))
    assert judge(started).rule == "policy"


def test_it_does_not_bring_one(repo: Repo) -> None:
    repo.commit({"a.txt": A}, "Begin")
    text = PYPROJECT.decode()
    create: Operation = {"op": "create_file", "path": "pyproject.toml", "new_text": text}
    commit(repo, applied(repo, protocol(create)))
    assert judge(repo).rule == "policy"


def test_a_grant_allows_it(started: Repo, key: Path) -> None:
    signed(started, looser(started), key)
    grant = Grant(("pyproject.toml",), keys=(public(key),))
    assert verdict(started, policy=Policy(manual=(grant,))) is Verdict.STRICT


def test_a_merge_brings_what_its_parents_say(started: Repo) -> None:
    started.git("switch", "-q", "-c", "topic")
    commit(started, applied(started, protocol(good())))
    topic = started.head
    started.git("switch", "-q", "main")
    main = started.commit({"pyproject.toml": LOOSER}, "A person loosens the policy")
    tree = started.git("merge-tree", "--write-tree", topic, main)
    made = commit_tree(started, tree, [topic, main], b"Merge\n", AGENT)
    assert verdict(started, made) is Verdict.MERGE


def test_the_policy_is_that_of_the_trusted_side(started: Repo) -> None:
    """The commits under test say nothing of how they are to be judged."""
    start = started.head
    commit(started, by_hand(PERSON))
    commit(started, Change({"pyproject.toml": File(LOOSER)}, author=PERSON))
    commit(started, by_hand(AGENT, "Say\n"))
    here = opened(started)
    asked = CommitRange(start, started.head)
    report = judge_whole(here, asked, read_policy(here.snapshot(start)))
    assert report.policy.mode == "enforce"
    assert report.passes is True
