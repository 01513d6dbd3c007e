"""`hkgit show` and `hkgit log` name who signed entries and verdicts, and what that is worth."""

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hkgit.evidence.replay import candidate_of, replay
from hkgit.gate.attestations.keys import sign
from hkgit.gate.attestations.statement import Signature, store_envelope
from hkgit.gate.attestations.trust import NAMESPACE, entry_refs, sign_entry
from tests.support.cases import cases
from tests.support.commits import PERSON, applied, commit, commit_tree
from tests.support.gating import A, good, opened
from tests.support.keys import made_key, public
from tests.support.planning import protocol
from tests.support.repos import Repo
from tests.support.running import run

ADA, BEN, CI = "ada@example.org", "ben@example.org", "ci@example.org"
POLICY = f"""[gate]
allowed_signers = ".hkgit/signers"
[gate.roles]
sign = ["{ADA}"]
attest = ["{CI}"]
break-glass = ["{BEN}"]
"""


@dataclass(frozen=True)
class Signing:
    """A repository whose policy trusts Ada to sign entries and CI verdicts, and their keys."""

    repo: Repo
    keys: dict[str, Path]

    def attest(self, who: str, *options: str) -> None:
        done = run("attest", *options, "main..topic", "--key", self.keys[who], cwd=self.repo.path)
        assert done.code == 0, done.err

    def signatures(self, rev: str) -> list[dict[str, Any]]:
        shown = run("show", rev, "--json", cwd=self.repo.path).json()
        told: list[dict[str, Any]] = shown["signatures"]
        return told

    def fingerprint(self, who: str) -> str:
        """As ssh-keygen says it."""
        said = subprocess.run(
            ["ssh-keygen", "-l", "-f", self.keys[who]], capture_output=True, check=True
        )
        return said.stdout.decode().split()[1]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("keys")
    return {who: made_key(place / who.partition("@")[0]) for who in (ADA, BEN, CI, "stranger")}


@pytest.fixture
def signing(repo: Repo, keys: dict[str, Path]) -> Signing:
    """`main` with the policy, and on it `topic`, checked out: one commit with one entry."""
    listed = "".join(f"{who} {public(keys[who])}\n" for who in (ADA, BEN, CI))
    repo.commit({"a.txt": A, ".hkgit/config.toml": POLICY, ".hkgit/signers": listed}, "Begin")
    repo.git("checkout", "-q", "-b", "topic")
    commit(repo, applied(repo, protocol(good())))
    return Signing(repo, keys)


def test_a_signed_entry_names_whose_key_it_was_and_whether_that_is_trusted(
    signing: Signing,
) -> None:
    """Ada has the role, Ben another one, and nobody knows the stranger."""
    for who in (ADA, BEN, "stranger"):
        signing.attest(who, "--entries")
    found = {each["key"]: each for each in signing.signatures("topic")}
    assert {each["kind"] for each in found.values()} == {"entry"}
    told = [found[signing.fingerprint(who)] for who in (ADA, BEN, "stranger")]
    assert [(each["principal"], each["holds"], each["trusted"]) for each in told] == [
        (ADA, True, True),
        (BEN, True, False),
        (None, True, False),
    ]


def test_a_verdict_is_named_on_the_squash_that_it_speaks_of(signing: Signing) -> None:
    signing.attest(CI)
    repo = signing.repo
    squash = commit_tree(repo, repo.tree("topic"), ["main"], b"Squash\n", PERSON)
    [signed] = signing.signatures(squash)
    between = "..".join(repo.resolve(rev)[:12] for rev in ("main", "topic"))
    assert signed == {
        "kind": "verdict",
        "of": between,
        "principal": CI,
        "key": signing.fingerprint(CI),
        "holds": True,
        "trusted": True,
    }


@cases(
    "altered, has_key",
    {
        "no signature": ({"signatures": (Signature("", b"rubbish"),)}, False),
        "a payload that speaks of something else": ({"payload": b"{}"}, True),
        "a payload of another type": ({"payload_type": "text/plain"}, True),
        "a signature over other bytes": ({}, True),
    },
)
def test_what_was_altered_does_not_hold(
    signing: Signing, altered: dict[str, Any], has_key: bool
) -> None:
    repository = opened(signing.repo)
    judged = replay(repository, candidate_of(repository, signing.repo.head))
    assert judged is not None
    [(name, entry)] = judged.entries
    over_other = {"signatures": (Signature("", sign(signing.keys[ADA], b"other", NAMESPACE)),)}
    envelope = replace(sign_entry(name, entry, signing.keys[ADA]), **(altered or over_other))
    store_envelope(repository, entry_refs(name), envelope)
    [signed] = signing.signatures("topic")
    assert (signed["holds"], signed["trusted"], signed["principal"]) == (False, False, None)
    assert (signed["key"] is not None) == has_key


def test_the_keys_that_a_branch_itself_lists_are_not_trusted(signing: Signing) -> None:
    repo = signing.repo
    listed = f"{ADA} {public(signing.keys['stranger'])}\n"
    theirs = repo.read(".hkgit/signers") + listed.encode()
    signing.attest("stranger", "--entries")
    repo.commit({".hkgit/signers": theirs}, "Trust a stranger")
    of_range = run("log", "main..topic", "--json", cwd=repo.path).json()
    assert [each["trusted"] for row in of_range for each in row["signatures"]] == [False]
    repo.git("checkout", "-q", "main")
    assert [each["trusted"] for each in signing.signatures("topic~")] == [False]


def test_text_has_a_line_for_each_signature(signing: Signing) -> None:
    signing.attest(ADA, "--entries")
    line = f"signed    {ADA}  {signing.fingerprint(ADA)}  holds, trusted"
    shown = run("show", "topic", cwd=signing.repo.path).out.splitlines()
    assert shown[[row[:5] for row in shown].index("entry") + 1] == line
    rows = run("log", cwd=signing.repo.path).out.splitlines()
    assert [row.strip() for row in rows if "signed " in row] == [line]


def test_where_nothing_is_signed_there_is_one_look_at_the_refs(signing: Signing) -> None:
    told = run("-v", "log", cwd=signing.repo.path).err
    assert told.count("for-each-ref") == 1
    assert "ssh-keygen" not in told
