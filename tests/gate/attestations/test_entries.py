"""Ledger entries are signed by their ids, and stay signed through every rewrite."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.evidence.entry import Entry
from hkgit.evidence.replay import candidate_of, replay
from hkgit.gate.attestations.statement import read_envelope
from hkgit.gate.attestations.trust import ENTRY_PAYLOAD_TYPE, NAMESPACE, find_signer
from hkgit.gate.policy.model import Policy
from hkgit.workflows.attestation import sign_entries
from tests.support.cases import cases
from tests.support.commits import PERSON, applied, commit, commit_tree
from tests.support.gating import A, opened
from tests.support.keys import public
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.running import run

ADA = "ada@example.org"


@pytest.fixture
def topic(judged: Repo) -> Repo:
    """With one more commit of the agent on `topic`, and its entry."""
    edited = A.replace(b"two", b"zwei")
    commit(judged, applied(judged, protocol(replace_range("a.txt", edited, 1, 1, "eins"))))
    return judged


def trusting(key: Path) -> Policy:
    return Policy(signers=f"{ADA} {public(key)}\n", roles={"sign": (ADA,)})


def signed(repo: Repo, key: Path) -> dict[str, str]:
    old, new = (repo.resolve(rev) for rev in ("main", "topic"))
    return sign_entries(opened(repo), old, new, key)


def entries(repo: Repo, rev: str) -> tuple[tuple[str, Entry], ...]:
    """The entries that a commit adds."""
    judged = replay(opened(repo), candidate_of(opened(repo), repo.resolve(rev)))
    assert judged is not None
    return tuple(judged.entries)


def signers(repo: Repo, key: Path, rev: str) -> list[str | None]:
    policy = trusting(key)
    return [
        find_signer(opened(repo), policy, name, entry, {}) for name, entry in entries(repo, rev)
    ]


def test_each_entry_of_a_range_is_signed_by_the_principal_with_the_role(
    topic: Repo, key: Path
) -> None:
    assert signers(topic, key, "topic") == [None]
    made = signed(topic, key)
    assert {*made} == {name for rev in ("topic~2", "topic") for name, _ in entries(topic, rev)}
    assert signers(topic, key, "topic") == [ADA]
    assert signed(topic, key) == made, "signing again adds nothing"


def test_what_is_signed_names_the_entry_and_its_agent(topic: Repo, key: Path) -> None:
    [(name, entry)] = entries(topic, "topic")
    envelope = read_envelope(topic.git("cat-file", "blob", signed(topic, key)[name]).encode())
    assert envelope.payload_type == ENTRY_PAYLOAD_TYPE
    assert json.loads(envelope.payload) == {
        "schema": 1,
        "entry": f"sha256:{name}",
        "agent": entry.agent,
    }
    assert NAMESPACE.encode() in envelope.signatures[0].sig


def squashed(repo: Repo) -> str:
    return commit_tree(repo, repo.tree("topic"), ["main"], b"Squash\n", PERSON)


def rebased(repo: Repo) -> str:
    repo.git("checkout", "-q", "main")
    repo.commit({"c": "x\n"}, "Meanwhile")
    repo.git("rebase", "-q", "main", "topic")
    return "topic"


def picked(repo: Repo) -> str:
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", "topic~2")
    return "HEAD"


@pytest.mark.parametrize("rewritten", [squashed, rebased, picked])
def test_a_signature_survives(topic: Repo, key: Path, rewritten: Callable[[Repo], str]) -> None:
    signed(topic, key)
    made = signers(topic, key, rewritten(topic))
    assert made
    assert {*made} == {ADA}


def test_the_command_says_what_it_signed(topic: Repo, key: Path) -> None:
    done = run("attest", "--entries", "main..topic", "--key", key, "--json", cwd=topic.path).json()
    assert done["status"] == "signed"
    assert {each["ref"] for each in done["entries"]} == {*signed(topic, key).values()}


@cases(
    "arguments",
    {
        "with an attestation to keep": ("--add", "file"),
        "into a file": ("main..topic", "--key", "k", "--output", "f"),
        "for a ref": ("main..topic", "--key", "k", "--target", "refs/heads/main"),
        "without a key": ("main..topic",),
    },
)
def test_the_command_signs_entries_of_a_range_with_a_key(
    topic: Repo, arguments: tuple[str, ...]
) -> None:
    assert run("attest", "--entries", *arguments, cwd=topic.path).code == 64
