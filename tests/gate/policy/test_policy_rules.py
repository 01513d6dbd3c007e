"""Policies that contradict themselves, that hold for some refs and paths only; and in words."""

from typing import Any

import pytest

from hkgit.edits import File, MappingSnapshot
from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import PROTECTED
from hkgit.gate.policy.key_table import describe_policy, parse_policy, policy_schema
from hkgit.gate.policy.model import Floors, Policy, RefRules
from hkgit.gate.rules.floors import entry_findings
from hkgit.gate.trusted_policy import read_policy
from tests.support.cases import cases
from tests.support.entries import entry_of_protocol
from tests.support.planning import Operation, replace_range


@cases(
    "table, said",
    {
        "nobody": ({"manual": [{"paths": ["*"]}]}, "manual: a grant without a recipient"),
        "principals without keys": (
            {"manual": [{"paths": ["*"], "principals": ["ada"]}]},
            "manual: grants to principals, but no file lists their keys",
        ),
        "pushers": (
            {"manual": [{"paths": ["*"], "pushers": ["ada"]}]},
            "manual: grants to pushers, but pusher_variable is not set",
        ),
        "a path for a key": (
            {"manual": [{"paths": ["*"], "keys": ["~/.ssh/id.pub"]}]},
            "manual[0]: keys[0]: expected an SSH public key",
        ),
        "roles": ({"roles": {"break-glass": ["ada"]}}, "roles: names principals"),
        "signed by nobody": ({"entries": {"signed": True}}, "entries: must be signed, but nobody"),
        "looser evidence": (
            {"paths": [{"paths": ["a"], "accept": ["quote"]}]},
            "paths: accept is looser than that of the policy as a whole",
        ),
        "a lower floor": (
            {"min_confidence": 0.9, "paths": [{"paths": ["a"], "min_confidence": 0.8}]},
            "paths: min_confidence is looser than that of",
        ),
        "looser verdicts": (
            {"targets": [{"refs": ["*"], "verdicts": ["mixed"]}]},
            "targets: verdicts is looser than that of",
        ),
        "protected and not": (
            {"protect": ["a"], "unprotect": ["a"]},
            "unprotect: 'a' is protected and",
        ),
        "a root": ({"protect": ["/deploy/*"]}, "protect[0]: expected a glob from the root"),
        "a short name": ({"refs": ["main"]}, "refs[0]: expected a glob on full names"),
    },
)
def test_a_policy_that_contradicts_itself_is_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_policy(table, "policy")
    assert said in str(refusal.value)
    assert refusal.value.fix


@cases(
    "path, is_kept",
    {
        "right below": ("deploy/run.sh", True),
        "further below": ("deploy/eu/west/run.sh", True),
        "beside": ("deployed/run.sh", False),
    },
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


def test_principals_and_the_file_of_signers_must_be_there() -> None:
    config = '[gate]\nallowed_signers = "signers"\nroles = {attest = ["bob@example.org"]}\n'
    tree = {".hkgit/config.toml": File(config.encode())}
    with pytest.raises(InvalidInput, match="there is no signers"):
        read_policy(MappingSnapshot(tree))
    tree["signers"] = File(b"ada@example.org ssh-ed25519 A\n")
    with pytest.raises(InvalidInput, match=r"signers does not list bob@example\.org"):
        read_policy(MappingSnapshot(tree))


# Some refs, some paths

STRICTER = Policy(
    targets=(
        RefRules(("refs/heads/release/*",), ("strict", "merge"), "refuse"),
        RefRules(("refs/heads/*/lts",), ("strict",)),
    )
)


@cases(
    "refs, verdicts, rewrites",
    {
        "another": (["refs/heads/main"], Policy().verdicts, "judge"),
        "one that fits": (["refs/heads/release/1"], ("strict", "merge"), "refuse"),
        "two that fit": (["refs/heads/release/lts"], ("strict",), "refuse"),
        "by another name": (
            ["refs/heads/x", "refs/heads/release/1"],
            ("strict", "merge"),
            "refuse",
        ),
    },
)
def test_targets_tighten_refs(refs: list[str], verdicts: tuple[str, ...], rewrites: str) -> None:
    policy = STRICTER.for_refs(refs)
    assert policy.verdicts == verdicts
    assert policy.rewrites == rewrites


@cases(
    "floors, rules",
    {
        "evidence": (Floors(("src/*",), accept=("receipt",)), ["blind"]),
        "tier": (Floors(("src/*",), tiers=("exact",)), ["tier"]),
        "in any case": (Floors(("SRC/*",), tiers=("exact",)), ["tier"]),
        "other paths": (Floors(("docs/*",), accept=()), []),
        "a floor that it reaches": (Floors(("src/*",), min_confidence=1000), []),
    },
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
    told = policy_schema()["properties"]
    for line in describe_policy(Policy()):
        name, _, said = line.partition(": ")
        assert said.endswith(f"({told[name]['description']})")
