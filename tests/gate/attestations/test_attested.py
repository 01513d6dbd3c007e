"""A squash that a host makes of judged work passes where a trusted key attested it."""

from dataclasses import replace
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import InvalidInput, Rejected
from hkgit.evidence.replay import candidate_of
from hkgit.evidence.verdict import Verdict
from hkgit.gate.attestations.keys import sign
from hkgit.gate.attestations.statement import (
    Envelope,
    Signature,
    Statement,
    change_refs,
    encode_pae,
    read_envelopes,
    read_statement,
    store_envelope,
)
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.defaults import ACCEPTED
from hkgit.gate.policy.key_table import extend_policy, parse_policy
from hkgit.gate.policy.model import Policy, RefRules
from hkgit.gate.ruling import Ruling, is_lasting
from hkgit.matching.place import LADDER_VERSION
from hkgit.workflows.attestation import attest
from tests.support.commits import AGENT, Change, applied, commit, commit_tree
from tests.support.gating import blind, opened
from tests.support.keys import made_key, public
from tests.support.planning import protocol
from tests.support.repos import Repo
from tests.support.running import run


def attested(repo: Repo, key: Path, policy: Policy | None = None, target: str | None = None) -> str:
    """`topic` attested and kept; the name of the ref."""
    old, new = (repo.resolve(rev) for rev in ("main", "topic"))
    envelope = attest(opened(repo), CommitRange(old, new), policy or Policy(), key, target, None)
    return kept(repo, envelope)


def kept(repo: Repo, envelope: Envelope) -> str:
    """Store an envelope where its statement, or else `topic`, belongs."""
    try:
        said = read_statement(envelope.payload)
    except InvalidInput:
        return store_envelope(opened(repo), of_topic(repo), envelope)
    return store_envelope(opened(repo), change_refs(said.base_tree, said.tree), envelope)


def of_topic(repo: Repo) -> str:
    return change_refs(repo.tree("main"), repo.tree("topic"))


def squash(repo: Repo, tree: str = "topic", parent: str = "main") -> str:
    """What a host makes of `topic`: its tree, an agent's name, a message of its own."""
    return commit_tree(repo, repo.tree(tree), [parent], b"Title (#1)\n", AGENT)


def ruling(repo: Repo, made: str, policy: Policy, ref: str | None = None) -> Ruling:
    return Gate(opened(repo), policy, JudgeContext(ref=ref)).judge(candidate_of(opened(repo), made))


def trusting(key: Path) -> Policy:
    return Policy(attest_keys=(public(key),))


def test_a_hosted_squash_of_attested_work_is_attested(judged: Repo, key: Path) -> None:
    attested(judged, key)
    made = ruling(judged, squash(judged), trusting(key))
    assert made.passes is True
    assert made.judged.verdict == Verdict.ATTESTED
    assert made.rule == "verdict attested"
    assert "..".join(judged.resolve(rev)[:12] for rev in ("main", "topic")) in (
        made.judged.basis or ""
    )
    replayed = ruling(judged, judged.resolve("topic^"), trusting(key))
    assert replayed.judged.verdict is Verdict.STRICT, "what replays needs no attestation"


def by_role(key: Path, principal: str, whose: str = "ci@example.org") -> Policy:
    signers = f"{whose} {public(key)}\n"
    return Policy(signers=signers, roles={"attest": (principal,)})


def test_only_keys_that_the_policy_trusts_count(judged: Repo, key: Path, tmp_path: Path) -> None:
    """Nor what was not attested, under another policy, or where no attestation is accepted."""
    other, trusted = made_key(tmp_path / "other"), trusting(key)
    assert not ruling(judged, squash(judged), trusted).passes
    kept = tuple(verdict for verdict in ACCEPTED if verdict != "attested")
    attested(judged, key)
    assert ruling(judged, squash(judged), trusted).passes
    for policy in (
        Policy(),
        trusting(other),
        replace(trusted, table={"govern": "all"}),
        replace(trusted, verdicts=kept),
    ):
        assert not ruling(judged, squash(judged), policy).passes


def test_only_a_principal_with_the_role_counts(judged: Repo, key: Path, tmp_path: Path) -> None:
    policy = by_role(key, "ci@example.org")
    attested(judged, key, policy)
    assert (ruling(judged, squash(judged), policy).judged.basis or "").startswith("ci@example.org,")
    other = made_key(tmp_path / "other")
    for policy in (
        by_role(other, "ci@example.org"),
        by_role(key, "ci@example.org", whose="ada@example.org"),
    ):
        attested(judged, key, policy)
        assert not ruling(judged, squash(judged), policy).passes


def test_another_tree_is_not_attested(judged: Repo, key: Path) -> None:
    """Nor on another parent."""
    attested(judged, key)
    good = judged.resolve("topic")
    evil = commit(judged, Change({"a.txt": File(b"evil\n")}))
    assert not ruling(judged, squash(judged, evil), trusting(key)).passes
    assert ruling(judged, squash(judged, good), trusting(key)).passes
    judged.git("checkout", "-q", "main")
    judged.commit({"c": "x\n"}, "Meanwhile")
    assert not ruling(judged, squash(judged, good), trusting(key)).passes


def over(key: Path, **base: object) -> Policy:
    """The policy of a repository over that of its organisation."""
    own = {"extends": "/etc/org.toml", "attest": {"keys": [public(key)]}}
    below = parse_policy({"open": ["attest"], **base}, "/etc/org.toml")
    return extend_policy(parse_policy(own, "own"), below)


def test_what_was_attested_before_the_organisation_tightened_is_not(
    judged: Repo, key: Path
) -> None:
    attested(judged, key, over(key))
    tightened = over(key, accept=["hash"])
    passes = [ruling(judged, squash(judged), each).passes for each in (over(key), tightened)]
    assert passes == [True, False]


def test_verdicts_that_no_longer_pass_are_not_attested(judged: Repo, key: Path) -> None:
    attested(judged, key, Policy(verdicts=(*ACCEPTED, "mixed")))
    assert not ruling(judged, squash(judged), trusting(key)).passes


@pytest.mark.parametrize(("ref", "passes"), [("refs/heads/main", True), ("refs/heads/x", False)])
def test_what_was_judged_for_one_ref_does_not_pass_on_another(
    judged: Repo, key: Path, ref: str, passes: bool
) -> None:
    attested(judged, key, target="refs/heads/main")
    assert ruling(judged, squash(judged), trusting(key), ref).passes == passes


def test_a_target_tightens_what_is_attested(judged: Repo, key: Path) -> None:
    strict = RefRules(("refs/heads/main",), verdicts=("strict", "attested"))
    with pytest.raises(Rejected, match="does not pass"):
        attested(judged, key, Policy(targets=(strict,)), "refs/heads/main")


def test_what_hangs_on_a_statement_is_asked_again_another_day(judged: Repo, key: Path) -> None:
    """Its ref may go, or its key be taken out; what replays stays as it is."""
    attested(judged, key)
    policy, topic = trusting(key), judged.resolve("topic")
    assert not is_lasting(ruling(judged, squash(judged), policy))
    assert is_lasting(ruling(judged, topic, policy))


def test_a_forged_name_of_a_ref_says_nothing(judged: Repo, key: Path) -> None:
    ref = attested(judged, key)
    commit(judged, Change({"a.txt": File(b"evil\n")}))
    evil = squash(judged, "HEAD")
    forged = f"refs/hkgit/attestations/{judged.tree('HEAD')}/{judged.tree('main')}/0"
    judged.git("update-ref", forged, judged.resolve(ref))
    assert not ruling(judged, evil, trusting(key)).passes


def test_a_payload_that_was_altered_says_nothing(judged: Repo, key: Path) -> None:
    ref = attested(judged, key)
    [envelope] = read_envelopes(opened(judged), of_topic(judged))
    judged.git("update-ref", "-d", ref)
    commit(judged, Change({"a.txt": File(b"evil\n")}))
    said = replace(read_statement(envelope.payload), tree=judged.tree("HEAD"))
    kept(judged, replace(envelope, payload=said.to_bytes()))
    assert not ruling(judged, squash(judged, "HEAD"), trusting(key)).passes


@pytest.mark.parametrize("data", [b"nonsense", b"{}", b"\xff"])
def test_rubbish_in_an_attestations_ref_does_no_harm(judged: Repo, key: Path, data: bytes) -> None:
    attested(judged, key)
    blob = judged.store(data)
    trees = f"{judged.tree('topic')}/{judged.tree('main')}"
    judged.git("update-ref", f"refs/hkgit/attestations/{trees}/0", blob)
    assert ruling(judged, squash(judged), trusting(key)).passes


def test_a_signed_document_of_another_type_says_nothing(judged: Repo, key: Path) -> None:
    attested(judged, key)
    [envelope] = read_envelopes(opened(judged), of_topic(judged))
    signature = Signature("", sign(key, encode_pae("text/plain", envelope.payload)))
    for ref in judged.git("for-each-ref", "--format=%(refname)", "refs/hkgit").splitlines():
        judged.git("update-ref", "-d", ref)
    kept(judged, Envelope("text/plain", envelope.payload, (signature,)))
    assert not ruling(judged, squash(judged), trusting(key)).passes


# Making one


def test_what_does_not_pass_or_descend_is_not_attested(judged: Repo, key: Path) -> None:
    """The tree of a head beside its base would undo what the base has."""
    judged.git("branch", "good", "topic")
    commit(judged, applied(judged, protocol(blind()), on="main"))
    judged.git("checkout", "-q", "-B", "topic")
    with pytest.raises(Rejected, match="cannot be attested"):
        attested(judged, key, Policy(mode="warn"))
    judged.git("checkout", "-q", "-B", "topic", "good")
    judged.git("branch", "-f", "main", commit_tree(judged, judged.tree(), ["main"], b"M\n", AGENT))
    with pytest.raises(InvalidInput, match="does not descend"):
        attested(judged, key)
    judged.git("branch", "-f", "main", "topic")
    with pytest.raises(InvalidInput, match="is empty: there is no commit"):
        attested(judged, key)


def test_the_statement_says_what_was_judged(judged: Repo, key: Path) -> None:
    attested(judged, key, target="refs/heads/main")
    [envelope] = read_envelopes(opened(judged), of_topic(judged))
    said: Statement = read_statement(envelope.payload)
    assert said.head == judged.resolve("topic")
    assert said.tree == judged.tree("topic")
    assert said.target == "refs/heads/main"
    assert said.ladder == LADDER_VERSION
    assert said.counts == {"strict": 1, "ungoverned": 1}


def test_the_command_attests_and_the_gate_accepts(judged: Repo, key: Path, tmp_path: Path) -> None:
    judged.git("checkout", "-q", "main")
    table = f"[tool.hkgit.gate.attest]\nkeys = ['{public(key)}']\n"
    judged.commit({"pyproject.toml": table}, "Trust a key")
    judged.git("rebase", "-q", "main", "topic")
    file = tmp_path / "verdict.json"
    done = run("attest", "main..topic", "--key", key, "--output", file, cwd=judged.path)
    assert done.code == 0, done.err
    assert run("attest", "--add", file, cwd=judged.path).code == 0
    spoilt = tmp_path / "spoilt.json"
    spoilt.write_bytes(file.read_bytes()[:-9])
    done = run("attest", "--add", spoilt, cwd=judged.path)
    assert (done.code, str(spoilt) in done.err) == (4, True)
    made = squash(judged)
    gated = run("gate", "--range", f"main..{made}", "--format", "json", cwd=judged.path).json()
    assert [each["replay"] for each in gated["commits"]] == ["attested"]
    assert run("attest", "main..topic", cwd=judged.path).code == 64  # no key
