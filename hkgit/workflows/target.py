"""Options of `apply`, and the branch on which its commits land."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hkgit.applying.planner import Options
from hkgit.edits import Read, Spec
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.repository import FIRST_COMMIT, Repository
from hkgit.values import dataclass, field, replace
from hkgit.workflows.merge_plan import MergePlan, find_merging

if TYPE_CHECKING:
    from hkgit.evidence.refusal_log import RefusalLog


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """How a spec is applied, as asked on the command line; None where nothing was asked.

    `reads` are evidence, `refused` is the record of refusals; `merge` is a revision to be merged.
    With `retry` the specs are planned again where the branch has moved meanwhile. With
    `allow_blind` nothing asks for evidence, and the entry says that this was wanted. With
    `hears_verify` the failure of `verify` carries what the command printed.
    """

    branch: str | None = None
    merge: str | None = None
    base: str | None = None
    agent: str | None = None
    message: str | None = None
    verify: str | None = None
    options: Options = field(default_factory=Options)
    reads: tuple[Read, ...] = ()
    accept_hook_changes: bool = False
    retry: bool = True
    refused: RefusalLog | None = None
    allow_blind: bool = False
    hears_verify: bool = False


@dataclass(frozen=True, slots=True)
class LandingTarget:
    """Where commits land: on `tip`, moving `branch` from `old` (None: the branch is made).

    `checkout` says that it is checked out here; with `merging` the one commit is a merge.
    """

    branch: str
    tip: str
    old: str | None
    checkout: bool
    merging: MergePlan | None = None


def find_target(
    repository: Repository, specs: Sequence[Spec], choices: ApplyOptions
) -> LandingTarget:
    """Choose the branch to land on. Raises GitRefused when there is none, or it is in use.

    Raises InvalidInput for a revision that cannot be merged there.
    """
    target = _target(repository, specs, choices)
    if choices.merge is None:
        return target
    if len(specs) > 1:
        raise InvalidInput(
            "--merge", "is one commit, so it needs one spec", "Put the edits into one spec."
        )
    merging = find_merging(repository, choices.merge, target.branch, target.tip)
    return replace(target, merging=merging)


def _target(repository: Repository, specs: Sequence[Spec], choices: ApplyOptions) -> LandingTarget:
    if choices.branch is not None:
        return _find_named_target(repository, choices.branch, _find_stated_base(specs[0], choices))
    head = repository.head()
    if repository.is_bare:
        what = "a bare repository has no checkout to land in"
        raise GitRefused("HEAD", what, "Name the branch to land on: --branch NAME")
    fix = "Switch to a branch, or name one with --branch."
    if head.branch is None:
        raise GitRefused("HEAD", "is detached: there is no branch to land on", fix)
    if head.commit is None:
        what = "has no commit yet, so there is nothing to edit"
        raise GitRefused(head.branch, what, FIRST_COMMIT)
    return LandingTarget(head.branch, head.commit, head.commit, checkout=True)


def _find_named_target(repository: Repository, branch: str, base: str | None) -> LandingTarget:
    used = repository.list_checked_out_branches().get(branch)
    if used is not None:
        fix = "Leave --branch out there, or name another branch."
        raise GitRefused(branch, f"is checked out at {used}", fix)
    tip = repository.branch_tip(branch)
    if tip is not None:
        return LandingTarget(branch, tip, tip, checkout=False)
    start = repository.resolve("HEAD" if base is None else base)
    return LandingTarget(branch, start, None, checkout=False)


def find_base(
    repository: Repository, spec: Spec, choices: ApplyOptions, target: LandingTarget
) -> str | None:
    """Find the commit that a spec was written against; None where it does not say.

    Raises InvalidInput for one that is not in the history of the branch.
    """
    rev = _find_stated_base(spec, choices)
    if rev is None:
        return None
    base = repository.resolve(rev)
    if not repository.is_ancestor(base, target.tip):
        fix = "Name a commit in the branch's history, or rebase the spec by reading again."
        raise InvalidInput(rev, f"is not an ancestor of {target.branch}", fix)
    return base


def _find_stated_base(spec: Spec, choices: ApplyOptions) -> str | None:
    return spec.base if choices.base is None else choices.base
