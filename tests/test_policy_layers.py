"""Policies that contradict themselves, extend others, and hold for some refs and paths only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate import Gate, trusted_policy
from hkgit.gate.floors import entry_findings
from hkgit.matching.ladder import LADDER
from hkgit.policy import KNOWN_AGENTS, Floors, Policy, Target, parse_policy, read_policy
from hkgit.policy.extending import extended
from hkgit.policy.parsing import TIERS
from hkgit.policy.words import sentences
from tests.applying.planning import Operation, replace_range
from tests.gating import begun, opened
from tests.ledger.entries import entry_of_protocol
from tests.repos import Repo


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param({"manual": [{"paths": ["*"]}]}, "manual: a grant to nobody", id="nobody"),
        pytest.param({"manual": [{"paths": ["*"], "principals": ["ada"]}]},
                     "manual: grants to principals, but no file lists their keys",
                     id="principals without keys"),
        pytest.param({"manual": [{"paths": ["*"], "pushers": ["ada"]}]},
                     "manual: grants to pushers, but nothing says who pushed", id="pushers"),
        pytest.param({"manual": [{"paths": ["*"], "keys": ["~/.ssh/id.pub"]}]},
                     "manual: '~/.ssh/id.pub' is no SSH public key", id="a path for a key"),
        pytest.param({"attest": {"keys": ["AAAA"]}}, "attest: 'AAAA' is no SSH", id="half a key"),
        pytest.param({"roles": {"break-glass": ["ada"]}}, "roles: names principals", id="roles"),
        pytest.param({"entries": {"signed": True}}, "entries: must be signed, but nobody",
                     id="signed by nobody"),
        pytest.param({"paths": [{"paths": ["a"], "accept": ["quote"]}]},
                     "paths: accepts evidence that the policy as a whole", id="looser evidence"),
        pytest.param({"tiers": ["exact"], "paths": [{"paths": ["a"], "tiers": ["fuzzy"]}]},
                     "paths: accepts tiers that the policy as a whole", id="looser tiers"),
        pytest.param({"min_confidence": 0.9, "paths": [{"paths": ["a"], "min_confidence": 0.8}]},
                     "paths: min_confidence is below", id="a lower floor"),
        pytest.param({"targets": [{"refs": ["*"], "verdicts": ["spliced"]}]},
                     "targets: accepts verdicts", id="looser verdicts"),
        pytest.param({"rewrites": "refuse", "targets": [{"refs": ["*"], "rewrites": "judge"}]},
                     "targets: allows rewrites", id="looser rewrites"),
        pytest.param({"protect": ["a"], "unprotect": ["a"]}, "unprotect: 'a' is protected and",
                     id="protected and not"),
    ],
)  # fmt: skip
def test_a_policy_that_contradicts_itself_is_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(table, "policy")
    assert said in str(refusal.value)
    assert refusal.value.fix


def test_principals_must_be_listed() -> None:
    config = '[gate]\nallowed_signers = "signers"\nroles = {attest = ["bob@example.org"]}\n'
    tree = {".hkgit/config.toml": File(config.encode()),
            "signers": File(b"ada@example.org ssh-ed25519 A\n")}  # fmt: skip
    with pytest.raises(InvalidInput, match=r"signers does not list bob@example\.org"):
        read_policy(MappingSnapshot(tree))


def test_the_file_of_signers_must_be_there() -> None:
    tree = {".hkgit/config.toml": File(b'[gate]\nallowed_signers = "signers"\n')}
    with pytest.raises(InvalidInput, match="there is no signers"):
        read_policy(MappingSnapshot(tree))


def test_every_tier_may_be_named() -> None:
    assert {*LADDER} < {*TIERS}


# One policy over another

SIGNED: dict[str, Any] = {
    "allowed_signers": "signers", "roles": {"sign": ["ada"]}, "entries": {"signed": True},
}  # fmt: skip
LOOSENED = [
    pytest.param("mode", "warn", {}, id="mode"),
    pytest.param("govern", "agents", {"govern": "all"}, id="govern"),
    pytest.param("rewrites", "judge", {"rewrites": "refuse"}, id="rewrites"),
    pytest.param("accept", ["hash", "quote"], {}, id="accept"),
    pytest.param("verdicts", ["strict", "spliced"], {}, id="verdicts"),
    pytest.param("tiers", ["fuzzy"], {"tiers": ["exact"]}, id="tiers"),
    pytest.param("ladders", [1, 2], {"ladders": [1]}, id="ladders"),
    pytest.param("min_confidence", 0.8, {"min_confidence": 0.9}, id="min_confidence"),
    pytest.param("min_threshold", 0.8, {"min_threshold": 0.9}, id="min_threshold"),
    pytest.param("min_tightness", 0, {"min_tightness": 0.1}, id="min_tightness"),
    pytest.param("reject_text", ["bidi"], {}, id="reject_text"),
    pytest.param("max_seconds", 120, {}, id="max_seconds"),
    pytest.param("since", "0" * 40, {}, id="since"),
    pytest.param("manual", [{"paths": ["*"], "names": ["*"]}], {}, id="manual"),
    pytest.param("unprotect", ["*"], {}, id="unprotect"),
    pytest.param("allowed_signers", "signers", {}, id="allowed_signers"),
    pytest.param("pusher_variable", "USER", {}, id="pusher_variable"),
    pytest.param("attest", {"keys": ["ssh-x y"]}, {}, id="attest"),
    pytest.param("consult", {"require": False}, {"consult": {"require": True}}, id="consult"),
    pytest.param("entries", {"signed": False}, SIGNED, id="entries"),
]


@pytest.mark.parametrize(("key", "value", "base"), LOOSENED)
def test_a_repository_does_not_loosen_what_it_extends(
    key: str, value: Any, base: dict[str, Any]
) -> None:
    own = parse_policy({key: value}, ".hkgit/config.toml")
    with pytest.raises(InvalidInput) as refusal:
        extended(own, parse_policy(base, "the organisation"))
    assert str(refusal.value) == (
        f".hkgit/config.toml: {key}: is looser than what it extends\n"
        "the organisation may only be tightened."
    )


TIGHTENED = [
    pytest.param({"govern": "all"}, {}, {"govern": "all"}, id="govern"),
    pytest.param({"mode": "enforce"}, {"mode": "warn"}, {"mode": "enforce"}, id="mode"),
    pytest.param({"accept": ["hash"]}, {}, {"accept": ("hash",)}, id="accept"),
    pytest.param({"min_confidence": 0.9}, {"min_confidence": 0.5}, {"min_confidence": 900},
                 id="a floor"),
    pytest.param({"tiers": ["exact"]}, {}, {"tiers": ("exact",)}, id="tiers of all"),
    pytest.param({"agents": ["b"]}, {"agents": ["a"]}, {"agents": (*KNOWN_AGENTS, "a", "b")},
                 id="more agents"),
    pytest.param({"refs": ["refs/x"]}, {"refs": ["refs/heads/*"]},
                 {"refs": ("refs/heads/*", "refs/x")}, id="more refs"),
    pytest.param({"extends": "/x", "entries": {"signed": True}},
                 {**SIGNED, "entries": {}}, {"entries_signed": True, "roles": {"sign": ("ada",)}},
                 id="signed by whom the base names"),
    pytest.param({}, {"min_tightness": 0.1}, {"min_tightness": 100}, id="nothing of its own"),
    pytest.param({"since": "0" * 40}, {"open": ["since"]}, {"since": "0" * 40},
                 id="what is left open"),
    pytest.param({"paths": [{"paths": ["a"], "accept": ["hash"]}]},
                 {"paths": [{"paths": ["b"], "min_confidence": 1}]},
                 {"paths": (Floors(("b",), min_confidence=1000), Floors(("a",), ("hash",)))},
                 id="floors of paths of both"),
    pytest.param({"targets": [{"refs": ["r"], "rewrites": "refuse"}]}, {},
                 {"targets": (Target(("r",), None, "refuse"),)}, id="targets"),
]  # fmt: skip


@pytest.mark.parametrize(("own", "base", "result"), TIGHTENED)
def test_it_may_tighten_it(
    own: dict[str, Any], base: dict[str, Any], result: dict[str, Any]
) -> None:
    joined = extended(parse_policy(own, "own"), parse_policy(base, "base"))
    assert {key: getattr(joined, key) for key in result} == result


def test_what_is_joined_is_consistent_too() -> None:
    own = parse_policy({"paths": [{"paths": ["a"], "accept": ["receipt"]}]}, "own")
    base = parse_policy({"accept": ["hash"]}, "base")
    with pytest.raises(InvalidInput, match="accepts evidence that the policy as a whole"):
        extended(own, base)


def extending(repo: Repo, named: str) -> Policy:
    start = repo.commit({".hkgit/config.toml": f"[gate]\nextends = '{named}'\n"}, "Extend")
    return trusted_policy(opened(repo), start)


def test_a_policy_extends_a_file_outside(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "org.toml").write_text("[gate]\nmin_confidence = 0.9\n")
    assert extending(repo, str(tmp_path / "org.toml")).min_confidence == 900


@pytest.mark.parametrize("name", ["refs/heads/policies", "{}"])
def test_a_policy_extends_one_of_a_pinned_revision(repo: Repo, name: str) -> None:
    policies = repo.commit({"org.toml": "[gate]\nmin_confidence = 0.9\n"}, "Policies")
    repo.git("branch", "policies")
    assert extending(repo, f"{name.format(policies)}:org.toml").min_confidence == 900


@pytest.mark.parametrize(
    ("named", "said"),
    [
        pytest.param("https://example.org/p.toml", "hkgit fetches nothing", id="a URL"),
        pytest.param("git@example.org:p.toml", "hkgit fetches nothing", id="a host"),
        pytest.param("HEAD:org.toml", "could mean another thing elsewhere", id="a moving revision"),
        pytest.param("main:org.toml", "could mean another thing elsewhere", id="a short name"),
        pytest.param("org.toml", "could mean another thing elsewhere", id="a relative path"),
        pytest.param("/nowhere/org.toml", "cannot be read", id="a file that is not there"),
        pytest.param("refs/heads/main:org.toml", "is not there", id="nothing there"),
        pytest.param("refs/heads/nothing:org.toml", "names no commit here", id="no such ref"),
    ],
)
def test_what_a_policy_does_not_extend(repo: Repo, named: str, said: str) -> None:
    repo.commit({"a": "a"}, "Begin")
    with pytest.raises(InvalidInput) as refusal:
        extending(repo, named)
    assert said in str(refusal.value)


def test_policies_do_not_extend_each_other_for_ever(repo: Repo, tmp_path: Path) -> None:
    file = tmp_path / "org.toml"
    file.write_text(f"[gate]\nextends = '{file}'\n")
    with pytest.raises(InvalidInput, match="more than 5 policies extend one another"):
        extending(repo, str(file))


def test_a_policy_whose_base_was_not_read_judges_nothing(repo: Repo) -> None:
    with pytest.raises(InvalidInput, match="which was not read"):
        Gate(opened(begun(repo)), Policy(extends="/etc/hkgit.toml"))


# Some refs, some paths

STRICTER = Policy(
    targets=(
        Target(("refs/heads/release/*",), ("strict", "merge"), "refuse"),
        Target(("refs/heads/*/lts",), ("strict",)),
    )
)


@pytest.mark.parametrize(
    ("refs", "verdicts", "rewrites"),
    [
        pytest.param(["refs/heads/main"], Policy().verdicts, "judge", id="another"),
        pytest.param(["refs/heads/release/1"], ("strict", "merge"), "refuse", id="one that fits"),
        pytest.param(["refs/heads/release/lts"], ("strict",), "refuse", id="two that fit"),
        pytest.param(["refs/heads/x", "refs/heads/release/1"], ("strict", "merge"), "refuse",
                     id="by another name"),
    ],
)  # fmt: skip
def test_targets_tighten_refs(refs: list[str], verdicts: tuple[str, ...], rewrites: str) -> None:
    policy = STRICTER.for_refs(refs)
    assert (policy.verdicts, policy.rewrites) == (verdicts, rewrites)


@pytest.mark.parametrize(
    ("floors", "rules"),
    [
        pytest.param(Floors(("src/*",), accept=("receipt",)), ["blind"], id="evidence"),
        pytest.param(Floors(("src/*",), tiers=("exact",)), ["tier"], id="tier"),
        pytest.param(Floors(("SRC/*",), tiers=("exact",)), ["tier"], id="in any case"),
        pytest.param(Floors(("docs/*",), accept=()), [], id="other paths"),
        pytest.param(Floors(("src/*",), min_confidence=1000), [], id="a floor that it reaches"),
    ],
)
def test_floors_of_paths_tighten_edits(floors: Floors, rules: list[str]) -> None:
    text = b"one\ntwo\n"
    entry = entry_of_protocol({"src/a": text}, replace_range("src/a", text, 1, 1, "x"))
    found = entry_findings(Policy(paths=(floors,)), entry)
    assert [finding.rule for finding in found] == rules


def test_floors_hold_under_the_old_name_and_the_new_one() -> None:
    text = b"one\ntwo\n"
    rename: Operation = {"op": "rename_file", "path": "src/a", "new_path": "b"}
    entry = entry_of_protocol({"src/a": text}, rename, replace_range("src/a", text, 1, 1, "x"))
    policy = Policy(accept=("hash", "none"), paths=(Floors(("b",), ("hash",)),))
    found = entry_findings(policy, entry)
    assert [finding.rule for finding in found] == ["blind"]


# In words


def test_a_policy_is_said_in_words() -> None:
    table: dict[str, Any] = {
        "govern": "all", "min_confidence": 0.9, "protect": ["deploy/*"], "reject_text": ["bidi"],
        "manual": [{"paths": ["docs/*"], "names": ["Ada *"]}], "rewrites": "refuse",
        "targets": [{"refs": ["refs/heads/x"], "verdicts": ["strict"]}],
        "paths": [{"paths": ["src/*"], "accept": ["hash"]}], **SIGNED,
    }  # fmt: skip
    said = "\n".join(sentences(parse_policy(table, "policy")))
    assert [words for words in (
        "Every commit is held to the rules", "confidence of at least 0.90", "and deploy/*.",
        "adds bidirectional controls.", "Ada * (on clients only, by name) may change docs/*.",
        "On refs/heads/x, only strict passes.", "deletions of them, are refused",
        "An edit of src/* also must have evidence of the kind hash.",
        "Every entry must be signed by ada.", "ada may sign entries.",
    ) if words not in said] == []  # fmt: skip


def test_the_built_in_policy_says_what_it_does_not_close() -> None:
    said = " ".join(sentences(Policy()))
    assert "whoever leaves the names out is not held to anything" in said
