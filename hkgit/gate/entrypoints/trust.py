"""trust.py: the trusted side of an update: which commit's policy judges it, and from where on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hkgit.errors import InvalidInput
from hkgit.gate import read_trusted_policy
from hkgit.gate.policy import BUILT_IN, Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class TrustedSide:
    """Where an update starts: commits that are trusted, and the policy that stands there.

    `old` is the commit that the ref names now. `default` is that of the default branch, where a
    new ref leaves what is trusted. `excluding` are the commits whose history is not judged again.
    `is_given` says that the policy is a server's own, whatever stands in the history.
    """

    policy: Policy
    old: str | None
    default: str | None
    excluding: tuple[str, ...] = ()
    is_given: bool = False

    @property
    def start(self) -> str | None:
        """The commit that the range is judged from; None for all there is."""
        return self.old if self.old is not None else self.default


def choose_trusted_side(
    repository: Repository,
    names: Iterable[str],
    old: str | None,
    default: str | None,
    given: Policy | None = None,
    read: Callable[[Repository, str], Policy] = read_trusted_policy,
) -> TrustedSide:
    """Find the trusted side of an update of a ref that has these names and is at `old` now.

    The ref's own policy holds where it has one that protects it. Else it is the default branch's:
    a branch from before there was a policy, or from before it was protected, is as a new one,
    and what the default branch has is not judged again. `given` is a policy of the server's own.
    A ref with stricter rules than others is judged from its own tip on alone. `read` gives the
    policy of a commit.
    """
    names = tuple(names)
    if given is not None:
        return replace(_side(given, names, old, default), is_given=True)
    if old is not None:
        own = read(repository, old)
        if own.source != BUILT_IN and any(map(own.protects, names)):
            return _side(own, names, old, default)
    if default is None:
        return TrustedSide(Policy(), old, None)
    side = _side(read(repository, default), names, old, default)
    return side if side.default is None else replace(side, excluding=(default,))


def _side(
    policy: Policy, names: tuple[str, ...], old: str | None, default: str | None
) -> TrustedSide:
    """Where a ref has stricter rules, that the default branch took a commit says nothing."""
    stricter = policy.for_refs(names)
    if old is not None and stricter != policy:
        default = None
    return TrustedSide(stricter, old, default)


def peel_commit(repository: Repository, object_id: str | None) -> str | None:
    """Find the commit that an object is or that a tag names; None for anything else."""
    if object_id is None:
        return None
    try:
        return repository.resolve(object_id)
    except InvalidInput:
        return None
