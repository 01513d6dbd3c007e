"""One policy over another: what it may tighten, and where it may be read from."""

from pathlib import Path
from typing import Any

import pytest

from hkgit.errors import InvalidInput
from hkgit.gate.judge import Gate
from hkgit.gate.policy.defaults import KNOWN_AGENTS
from hkgit.gate.policy.key_table import extend_policy, parse_policy
from hkgit.gate.policy.model import Floors, Policy, RefRules
from hkgit.gate.trusted_policy import read_trusted_policy
from tests.support.cases import cases
from tests.support.gating import begun, opened
from tests.support.repos import Repo

SIGNED: dict[str, Any] = {
    "allowed_signers": "signers",
    "roles": {"sign": ["ada"]},
    "entries": {"signed": True},
}
LOOSENED: dict[str, tuple[Any, dict[str, Any]]] = {
    "mode": ("warn", {}),
    "govern": ("agents", {"govern": "all"}),
    "rewrites": ("judge", {"rewrites": "refuse"}),
    "accept": (["hash", "quote"], {}),
    "verdicts": (["strict", "mixed"], {}),
    "tiers": (["fuzzy"], {"tiers": ["exact"]}),
    "min_confidence": (0.8, {"min_confidence": 0.9}),
    "min_tightness": (0, {"min_tightness": 0.1}),
    "reject_text": (["bidi"], {}),
    "max_seconds": (120, {}),
    "since": ("0" * 40, {}),
    "manual": ([{"paths": ["*"], "names": ["*"]}], {}),
    "unprotect": (["*"], {}),
    "allowed_signers": ("signers", {}),
    "pusher_variable": ("USER", {}),
    "attest": ({"keys": ["ssh-x y"]}, {}),
    "entries": ({"signed": False}, SIGNED),
    "assisted_by": ("forbid", {"assisted_by": "require"}),
}


@pytest.mark.parametrize("key", LOOSENED)
def test_a_repository_does_not_loosen_what_it_extends(key: str) -> None:
    value, base = LOOSENED[key]
    own = parse_policy({key: value}, ".hkgit/config.toml")
    with pytest.raises(InvalidInput) as refusal:
        extend_policy(own, parse_policy(base, "the organisation"))
    assert str(refusal.value) == (
        f".hkgit/config.toml: {key}: is looser than the policy that it extends\n"
        "the organisation may only be tightened."
    )


TIGHTENED = {
    "govern": ({"govern": "all"}, {}, {"govern": "all"}),
    "mode": ({"mode": "enforce"}, {"mode": "warn"}, {"mode": "enforce"}),
    "accept": ({"accept": ["hash"]}, {}, {"accept": ("hash",)}),
    "a floor": ({"min_confidence": 0.9}, {"min_confidence": 0.5}, {"min_confidence": 900}),
    "tiers of all": ({"tiers": ["exact"]}, {}, {"tiers": ("exact",)}),
    "more agents": ({"agents": ["b"]}, {"agents": ["a"]}, {"agents": (*KNOWN_AGENTS, "a", "b")}),
    "more refs": (
        {"refs": ["refs/x"]},
        {"refs": ["refs/heads/*"]},
        {"refs": ("refs/heads/*", "refs/x")},
    ),
    "signed by whom the base names": (
        {"extends": "/x", "entries": {"signed": True}},
        {**SIGNED, "entries": {}},
        {"entries_signed": True, "roles": {"sign": ("ada",)}},
    ),
    "nothing of its own": (
        {},
        {"min_tightness": 0.1, "assisted_by": "require"},
        {"min_tightness": 100, "assisted_by": "require"},
    ),
    "what is left open": ({"since": "0" * 40}, {"open": ["since"]}, {"since": "0" * 40}),
    "floors of paths of both": (
        {"paths": [{"paths": ["a"], "accept": ["hash"]}]},
        {"paths": [{"paths": ["b"], "min_confidence": 1}]},
        {"paths": (Floors(("b",), min_confidence=1000), Floors(("a",), ("hash",)))},
    ),
    "targets": (
        {"targets": [{"refs": ["refs/r"], "rewrites": "refuse"}]},
        {},
        {"targets": (RefRules(("refs/r",), None, "refuse"),)},
    ),
}


@cases("own, base, result", TIGHTENED)
def test_it_may_tighten_it(
    own: dict[str, Any], base: dict[str, Any], result: dict[str, Any]
) -> None:
    joined = extend_policy(parse_policy(own, "own"), parse_policy(base, "base"))
    assert {key: getattr(joined, key) for key in result} == result


def test_what_is_joined_is_consistent_too() -> None:
    own = parse_policy({"paths": [{"paths": ["a"], "accept": ["receipt"]}]}, "own")
    base = parse_policy({"accept": ["hash"]}, "base")
    with pytest.raises(InvalidInput, match="accept is looser than that of the policy as a whole"):
        extend_policy(own, base)


def extending(repo: Repo, named: str) -> Policy:
    start = repo.commit({".hkgit/config.toml": f"[gate]\nextends = '{named}'\n"}, "Extend")
    return read_trusted_policy(opened(repo), start)


def test_a_policy_extends_a_file_outside_or_of_a_pinned_revision(
    repo: Repo, tmp_path: Path
) -> None:
    text = "[gate]\nmin_confidence = 0.9\n"
    (tmp_path / "org.toml").write_text(text)
    pinned = repo.commit({"org.toml": text}, "Policies")
    repo.git("branch", "policies")
    for name in (f"{tmp_path}/org.toml", "refs/heads/policies:org.toml", f"{pinned}:org.toml"):
        assert extending(repo, name).min_confidence == 900
    (tmp_path / "org.toml").write_text("# Nothing yet\n")
    assert extending(repo, f"{tmp_path}/org.toml").min_confidence == 0


@pytest.mark.parametrize("folder", ["refs/tags", "refs/heads"])
def test_a_pushed_ref_of_that_name_is_not_the_policy_that_is_extended(
    repo: Repo, folder: str
) -> None:
    """Where refs/org/ was not fetched, git would take refs/tags/refs/org/policy for it."""
    loose = repo.commit({"org.toml": "[gate]\n"}, "Loose")
    repo.git("update-ref", f"{folder}/refs/org/policy", loose)
    with pytest.raises(InvalidInput, match="is not a commit here"):
        extending(repo, "refs/org/policy:org.toml")


@cases(
    "named, said",
    {
        "a URL": ("https://example.org/p.toml", "hkgit fetches nothing"),
        "a host": ("git@example.org:p.toml", "hkgit fetches nothing"),
        "a moving revision": ("HEAD:org.toml", "could mean something else elsewhere"),
        "a short name": ("main:org.toml", "could mean something else elsewhere"),
        "a relative path": ("org.toml", "could mean something else elsewhere"),
        "a file that is not there": ("/nowhere/org.toml", "cannot be read"),
        "nothing there": ("refs/heads/main:org.toml", "is not there"),
        "no such ref": ("refs/heads/nothing:org.toml", "is not a commit here"),
    },
)
def test_what_a_policy_does_not_extend(repo: Repo, named: str, said: str) -> None:
    repo.commit({"a": "a"}, "Begin")
    with pytest.raises(InvalidInput) as refusal:
        extending(repo, named)
    assert said in str(refusal.value)


def test_policies_do_not_extend_each_other_for_ever(repo: Repo, tmp_path: Path) -> None:
    file = tmp_path / "org.toml"
    file.write_text(f"[gate]\nextends = '{file}'\n")
    with pytest.raises(InvalidInput, match="more than 5 policies extend each other"):
        extending(repo, str(file))


def test_a_policy_whose_base_was_not_read_judges_nothing(repo: Repo) -> None:
    with pytest.raises(InvalidInput, match="which was not read"):
        Gate(opened(begun(repo)), Policy(extends="/etc/hkgit.toml"))
