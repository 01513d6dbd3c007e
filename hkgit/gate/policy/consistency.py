"""Where one part of a policy speaks against another."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.errors import InvalidInput
from hkgit.gate.policy.defaults import SIGN
from hkgit.gate.policy.model import Floors, Grant, Policy, RefRules

Fault = tuple[str, str, str]
"""A key, what is wrong with it, and what to do about it."""


def expect_consistent(policy: Policy) -> None:
    """Raise InvalidInput for the first contradiction: a rule that can never do what it says."""
    for key, what, fix in find_contradictions(policy):
        raise InvalidInput(f"{policy.source}: {key}", what, fix)


def find_contradictions(policy: Policy) -> Iterator[Fault]:
    """Find everything in which a policy contradicts itself."""
    for grant in policy.manual:
        yield from _check_grant(policy, grant)
    for floors in policy.paths:
        yield from _check_floors(policy, floors)
    for target in policy.targets:
        yield from _check_target(policy, target)
    if policy.roles and policy.allowed_signers is None:
        yield "roles", "names principals, but no file lists their keys", _SIGNERS
    if policy.entries_signed and not policy.roles.get(SIGN) and policy.extends is None:
        what = "must be signed, but nobody may sign them"
        yield "entries", what, "Name principals in roles.sign."
    protected = (policy.table or {}).get("protect")
    for glob in policy.unprotect:
        if glob in policy.protect and isinstance(protected, list) and glob in protected:
            yield "unprotect", f"{glob!r} is protected and unprotected", "Keep one of them."


_SIGNERS = 'Set allowed_signers = ".hkgit/allowed_signers", a file in the format of ssh-keygen(1).'


def _check_grant(policy: Policy, grant: Grant) -> Iterator[Fault]:
    if not (grant.names or grant.keys or grant.principals or grant.pushers):
        yield "manual", "a grant without a recipient", "Give it names, keys, principals or pushers."
    if grant.principals and policy.allowed_signers is None:
        yield "manual", "grants to principals, but no file lists their keys", _SIGNERS
    if grant.pushers and policy.pusher_variable is None:
        fix = 'Set pusher_variable, to "GL_USERNAME" on GitLab or what your server sets.'
        yield "manual", "grants to pushers, but pusher_variable is not set", fix


def _check_floors(policy: Policy, floors: Floors) -> Iterator[Fault]:
    """Floors of paths only tighten, so one that is looser would do nothing."""
    base, fix = policy.floors, "Tighten it, or loosen the policy's own."
    if floors.accept is not None and not set(floors.accept) <= set(base.accept or ()):
        yield "paths", "accepts evidence that the policy as a whole does not accept", fix
    if not set(floors.tiers or ()) <= set(base.tiers or floors.tiers or ()):
        yield "paths", "accepts tiers that the policy as a whole does not accept", fix
    for name in ("min_confidence", "min_tightness"):
        if 0 < getattr(floors, name) < getattr(base, name):
            yield "paths", f"{name} is below that of the policy as a whole", fix


def _check_target(policy: Policy, target: RefRules) -> Iterator[Fault]:
    if target.verdicts is not None and not set(target.verdicts) <= set(policy.verdicts):
        fix = "Let the policy accept them, or remove them."
        yield "targets", "accepts verdicts that the policy as a whole does not accept", fix
    if target.rewrites == "judge" and policy.rewrites == "refuse":
        yield "targets", "allows rewrites that the policy as a whole refuses", "Remove it."
