"""Policies that contradict themselves, that hold for some refs and paths only; and in words."""

from __future__ import annotations

from typing import Any

import pytest

from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import PROTECTED
from hkgit.gate.policy.key_table import KEYS, TIERS, describe_policy, parse_policy
from hkgit.gate.policy.model import Floors, Policy, RefRules
from hkgit.gate.rules.floors import entry_findings
from hkgit.gate.trusted_policy import read_policy
from hkgit.matching.place import TABLE
from tests.support.entries import entry_of_protocol
from tests.support.planning import Operation, replace_range


@pytest.mark.parametrize(
    ("table", "said"),
    [
        pytest.param(
            {"manual": [{"paths": ["*"]}]}, "manual: a grant without a recipient", id="nobody"
        ),
        pytest.param(
            {"manual": [{"paths": ["*"], "principals": ["ada"]}]},
            "manual: grants to principals, but no file lists their keys",
            id="principals without keys",
        ),
        pytest.param(
            {"manual": [{"paths": ["*"], "pushers": ["ada"]}]},
            "manual: grants to pushers, but pusher_variable is not set",
            id="pushers",
        ),
        pytest.param(
            {"manual": [{"paths": ["*"], "keys": ["~/.ssh/id.pub"]}]},
            "manual: keys: expected SSH public keys",
            id="a path for a key",
        ),
        pytest.param(
            {"attest": {"keys": ["AAAA"]}},
            "attest: keys: expected SSH public keys",
            id="half a key",
        ),
        pytest.param({"roles": {"break-glass": ["ada"]}}, "roles: names principals", id="roles"),
        pytest.param(
            {"entries": {"signed": True}},
            "entries: must be signed, but nobody",
            id="signed by nobody",
        ),
        pytest.param(
            {"paths": [{"paths": ["a"], "accept": ["quote"]}]},
            "paths: accept is looser than that of the policy as a whole",
            id="looser evidence",
        ),
        pytest.param(
            {"tiers": ["exact"], "paths": [{"paths": ["a"], "tiers": ["fuzzy"]}]},
            "paths: tiers is looser than that of the policy as a whole",
            id="looser tiers",
        ),
        pytest.param(
            {"min_confidence": 0.9, "paths": [{"paths": ["a"], "min_confidence": 0.8}]},
            "paths: min_confidence is looser than that of",
            id="a lower floor",
        ),
        pytest.param(
            {"targets": [{"refs": ["*"], "verdicts": ["mixed"]}]},
            "targets: verdicts is looser than that of",
            id="looser verdicts",
        ),
        pytest.param(
            {"rewrites": "refuse", "targets": [{"refs": ["*"], "rewrites": "judge"}]},
            "targets: rewrites is looser than that of",
            id="looser rewrites",
        ),
        pytest.param(
            {"protect": ["a"], "unprotect": ["a"]},
            "unprotect: 'a' is protected and",
            id="protected and not",
        ),
        pytest.param(
            {"protect": ["/deploy/*"]}, "protect: expected globs from the root", id="a root"
        ),
        pytest.param(
            {"paths": [{"paths": ["src/"], "accept": ["hash"]}]},
            "paths: paths: expected globs from the root",
            id="a directory",
        ),
        pytest.param({"refs": ["main"]}, "refs: expected globs on full names", id="a short name"),
        pytest.param(
            {"targets": [{"refs": ["release/*"], "rewrites": "refuse"}]},
            "targets: refs: expected globs on full names",
            id="short names of targets",
        ),
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(table, "policy")
    assert said in str(refusal.value)
    assert refusal.value.fix


@pytest.mark.parametrize(
    ("path", "is_kept"),
    [
        pytest.param("deploy/run.sh", True, id="right below"),
        pytest.param("deploy/eu/west/run.sh", True, id="further below"),
        pytest.param("deployed/run.sh", False, id="beside"),
    ],
)
def test_two_stars_also_stand_for_no_directory_where_something_is_kept_out(
    path: str, is_kept: bool
) -> None:
    glob = ("deploy/**/*.sh",)
    kept = Policy(protect=glob).protects_path(path), Floors(glob).cover(path)
    assert kept == (is_kept, is_kept)


@pytest.mark.parametrize(("path", "is_kept"), [("docs/a", True), ("docs/eu/a", False)])
def test_they_let_go_of_no_more_than_they_fit(path: str, is_kept: bool) -> None:
    assert Policy(protect=("*",), unprotect=("docs/**/*",)).protects_path(path) == is_kept


def test_principals_must_be_listed() -> None:
    config = '[gate]\nallowed_signers = "signers"\nroles = {attest = ["bob@example.org"]}\n'
    tree = {
        ".hkgit/config.toml": File(config.encode()),
        "signers": File(b"ada@example.org ssh-ed25519 A\n"),
    }
    with pytest.raises(InvalidInput, match=r"signers does not list bob@example\.org"):
        read_policy(MappingSnapshot(tree))


def test_the_file_of_signers_must_be_there() -> None:
    tree = {".hkgit/config.toml": File(b'[gate]\nallowed_signers = "signers"\n')}
    with pytest.raises(InvalidInput, match="there is no signers"):
        read_policy(MappingSnapshot(tree))


def test_every_tier_may_be_named() -> None:
    assert {*TABLE} < {*TIERS}


# Some refs, some paths

STRICTER = Policy(
    targets=(
        RefRules(("refs/heads/release/*",), ("strict", "merge"), "refuse"),
        RefRules(("refs/heads/*/lts",), ("strict",)),
    )
)


@pytest.mark.parametrize(
    ("refs", "verdicts", "rewrites"),
    [
        pytest.param(["refs/heads/main"], Policy().verdicts, "judge", id="another"),
        pytest.param(["refs/heads/release/1"], ("strict", "merge"), "refuse", id="one that fits"),
        pytest.param(["refs/heads/release/lts"], ("strict",), "refuse", id="two that fit"),
        pytest.param(
            ["refs/heads/x", "refs/heads/release/1"],
            ("strict", "merge"),
            "refuse",
            id="by another name",
        ),
    ],
)
def test_targets_tighten_refs(refs: list[str], verdicts: tuple[str, ...], rewrites: str) -> None:
    policy = STRICTER.for_refs(refs)
    assert policy.verdicts == verdicts
    assert policy.rewrites == rewrites


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
        "govern": "all",
        "min_confidence": 0.9,
        "protect": ["deploy/*"],
        "reject_text": ["bidi"],
        "manual": [{"paths": ["docs/*"], "names": ["Ada *"]}],
        "rewrites": "refuse",
        "targets": [{"refs": ["refs/heads/x"], "verdicts": ["strict"]}],
        "paths": [{"paths": ["src/*"], "accept": [], "recovered": True}],
        "allowed_signers": "signers",
        "roles": {"sign": ["ada"]},
        "entries": {"signed": True},
    }
    lines = dict(line.split(": ", 1) for line in describe_policy(parse_policy(table, "policy")))
    assert {
        "govern": "all",
        "min_confidence": "0.90",
        "protect": f"{len(PROTECTED)} of hkgit's own, deploy/*",
        "reject_text": "bidi",
        "manual": "paths docs/*; names Ada *",
        "rewrites": "refuse",
        "targets": "refs refs/heads/x; verdicts strict",
        "paths": "paths src/*; accept nothing; recovered yes",
        "roles": "sign ada",
        "entries": "yes",
    }.items() <= {key: line.partition(" (")[0] for key, line in lines.items()}.items()


def test_each_key_that_says_anything_says_what_it_is_for() -> None:
    words = {key.name: key.words for key in KEYS}
    for line in describe_policy(Policy()):
        name, _, said = line.partition(": ")
        assert said.endswith(f"({words[name]})")
