"""pinning.py: what an auditor trusts, written down before looking: `hkgit verify --trust FILE`.

The file is TOML, and nobody's but the auditor's:

    policy_commit = "<40 digits>"      # the policy is read from this commit, not from A
    policy_digest = "sha256:<64>"      # and this is its value
    allowed_signers = "signers"        # a file beside this one, in place of the policy's signers
    attest_keys = ["ssh-ed25519 ..."]  # in place of the policy's keys for attested verdicts
    ladders = [1]                      # entries of other ladders do not count

Every key is optional; what is not pinned comes from A, and the answer says so.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from hkgit.errors import InvalidInput, Rejected
from hkgit.gate import read_trusted_policy
from hkgit.gate.policy import Policy
from hkgit.gate.policy.digest import hash_policy
from hkgit.gate.policy.table import Table
from hkgit.git.repository import Repository
from hkgit.matching.places import LADDER_VERSION
from hkgit.values import dataclass, replace

KEYS = ("policy_commit", "policy_digest", "allowed_signers", "attest_keys", "ladders")


@dataclass(frozen=True, slots=True)
class Trust:
    """What is pinned; None for what is not. `signers` is text in the format of ssh-keygen(1)."""

    source: str
    policy_commit: str | None = None
    policy_digest: str | None = None
    signers: str | None = None
    attest_keys: tuple[str, ...] | None = None
    ladders: tuple[int, ...] | None = None


def read_trust(path: Path) -> Trust:
    """Read the pins of a file. Raises InvalidInput, naming the key."""
    try:
        reader = Table(str(path), tomllib.loads(path.read_text()))
    except (OSError, ValueError) as error:
        raise InvalidInput(str(path), f"cannot be read: {error}") from error
    reader.check_keys(*KEYS)
    listed = reader.text("allowed_signers")
    return Trust(
        source=str(path),
        policy_commit=reader.commit("policy_commit"),
        policy_digest=reader.text("policy_digest"),
        signers=None if listed is None else _text(path.parent / listed),
        attest_keys=reader.texts("attest_keys", None),
        ladders=reader.integers("ladders"),
    )


@dataclass(frozen=True, slots=True)
class PinnedPolicy:
    """The policy that pins come to, the commit it was read from, and its digest there."""

    trust: Trust
    policy: Policy
    commit: str
    digest: str


def resolve_pins(repository: Repository, trust: Trust, start: str) -> PinnedPolicy:
    """Read the policy that the pins name; `start` is the commit of A, for what is not pinned.

    Raises Rejected when the policy is another than the one that is pinned.
    """
    commit = start if trust.policy_commit is None else repository.resolve(trust.policy_commit)
    policy = read_trusted_policy(repository, commit)
    digest = hash_policy(policy)
    if trust.policy_digest not in (None, digest):
        what = f"is {digest}, and {trust.policy_digest} is pinned"
        fix = f"Find out who changed it, or pin it in {trust.source}."
        raise Rejected(f"policy of {commit[:12]}", what, fix)
    if trust.signers is not None:
        policy = replace(policy, signers=trust.signers)
    if trust.attest_keys is not None:
        policy = replace(policy, attest_keys=trust.attest_keys)
    return PinnedPolicy(trust, policy, commit, digest)


def describe_pins(pinned: PinnedPolicy, repository: Repository) -> dict[str, str]:
    """Describe each thing that an answer rests on, and whether it was pinned."""
    trust, policy = pinned.trust, pinned.policy
    return {
        "policy": _describe_policy(pinned),
        "signers": _describe(trust.signers, _count(policy.signers), "of the policy's commit"),
        "attest_keys": _describe(
            trust.attest_keys, f"{len(policy.attest_keys)} keys", "the policy's"
        ),
        "ladders": _describe_ladders(trust),
        "file": _describe_file(trust, repository),
    }


def _describe_policy(pinned: PinnedPolicy) -> str:
    trust = pinned.trust
    by_name = {"commit": trust.policy_commit, "digest": trust.policy_digest}
    pins = [word for word, pin in by_name.items() if pin is not None]
    named = f"{pinned.policy.source} of {pinned.commit[:12]}, {pinned.digest}"
    return f"{named}: pinned by its {' and '.join(pins)}" if pins else f"{named}: NOT pinned"


def _describe_ladders(trust: Trust) -> str:
    carried = f"this hkgit carries ladder {LADDER_VERSION}"
    if trust.ladders is None:
        return f"every ladder: NOT pinned; {carried}"
    return f"{', '.join(map(str, trust.ladders))}: pinned; {carried}"


def _describe_file(trust: Trust, repository: Repository) -> str:
    root, path = repository.work_tree, Path(trust.source).resolve()
    if root is not None and path.is_relative_to(root.resolve()):
        return f"{trust.source}, WITHIN the repository that it judges"
    return trust.source


def _describe(pin: object, what: str, otherwise: str) -> str:
    return f"{what}: pinned" if pin is not None else f"{what}, {otherwise}: NOT pinned"


def _count(signers: str) -> str:
    lines = [line for line in signers.splitlines() if line.strip() and not line.startswith("#")]
    return f"{len(lines)} allowed signers"


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, ValueError) as error:
        raise InvalidInput(str(path), f"cannot be read: {error}") from error
