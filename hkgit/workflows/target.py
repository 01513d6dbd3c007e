"""Options of `apply`, and the branch on which its commits land."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hkgit.applying.planner import Options, PlannedSpec
from hkgit.edits import Read, Snapshot, Spec
from hkgit.errors import GitRefused, InvalidInput
from hkgit.gate.entrypoints.hook_scripts import FOREIGN, list_hooks
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.repository import FIRST_COMMIT, Repository
from hkgit.values import dataclass, field, replace
from hkgit.workflows.merge_plan import MergePlan, find_merging

if TYPE_CHECKING:
    from hkgit.workflows.reflection import Reflection


@dataclass(frozen=True)
class PlannedCommit(PlannedSpec):
    """One spec, planned, and what becomes of it as a commit when all of its edits apply.

    `base` is None where that is the commit of the step before, which is not made yet; `before` are
    the files that this one leaves.
    """

    base: str | None
    before: Snapshot


def _ignore(sentence: str) -> None:
    pass


@dataclass(frozen=True)
class ApplyRequest:
    """Specs, each of which becomes one commit. Nothing lands unless all of their edits apply.

    The rest is None where nothing was asked. `reads` are evidence; `merge` is a revision to be
    merged. With `retry` the specs are planned again where the branch has moved meanwhile. With
    `allow_blind` nothing asks for evidence, and the entry says that this was wanted. A dry run
    changes nothing. A `reflection` is asked to correct edits that are refused, and what a failing
    `verify` printed. Of slow work `say` gets a sentence, and `watch` passes the steps on.
    """

    specs: tuple[Spec, ...] = ()
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
    allow_blind: bool = False
    dry_run: bool = False
    reflection: Reflection | None = None
    say: Callable[[str], None] = _ignore
    watch: Callable[[Sequence[PlannedCommit]], Iterable[PlannedCommit]] = iter


@dataclass(frozen=True)
class LandingTarget:
    """Where what was asked lands: on `tip`, moving `branch` from `old` (None: it is made).

    `policy` is what they are held to, and stops them where its mode is "enforce". `checkout` says
    that the branch is checked out here; with `merging` the one commit is a merge.
    """

    repository: Repository
    request: ApplyRequest
    branch: str
    tip: str
    old: str | None
    checkout: bool
    policy: Policy
    merging: MergePlan | None = None


def read_landing_policy(repository: Repository, branch: str, tip: str) -> Policy:
    """Read the policy for commits that land on a branch with a tip. Raises InvalidInput.

    The built-in policy only warns where no hook of the gate is installed: nobody chose it.
    """
    policy = read_trusted_policy(repository, tip).for_refs([f"refs/heads/{branch}"])
    is_chosen = policy.source != BUILT_IN or _has_gate(repository)
    return policy if is_chosen else replace(policy, mode="warn")


def find_target(repository: Repository, request: ApplyRequest) -> LandingTarget:
    """Choose the branch to land on. Raises GitRefused when there is none, or it is in use.

    Raises InvalidInput for a revision that cannot be merged there, and for a broken policy.
    """
    branch, tip, old = _find_branch(repository, request)
    target = LandingTarget(
        repository=repository,
        request=request,
        branch=branch,
        tip=tip,
        old=old,
        checkout=request.branch is None,
        policy=read_landing_policy(repository, branch, tip),
    )
    if request.merge is None:
        return target
    if len(request.specs) > 1:
        raise InvalidInput(
            "--merge", "is one commit, so it needs one spec", "Put the edits into one spec."
        )
    return replace(target, merging=find_merging(repository, request.merge, branch, tip))


def _find_branch(repository: Repository, request: ApplyRequest) -> tuple[str, str, str | None]:
    """The name of the branch, the commit to land on, and where the branch is now."""
    branch = request.branch
    if branch is None:
        return _find_current_branch(repository)
    used = repository.list_checked_out_branches().get(branch)
    if used is not None:
        fix = "Leave --branch out there, or name another branch."
        raise GitRefused(branch, f"is checked out at {used}", fix)
    tip = repository.branch_tip(branch)
    start = tip or repository.resolve(_find_stated_base(request.specs[0], request) or "HEAD")
    return branch, start, tip


def _find_current_branch(repository: Repository) -> tuple[str, str, str]:
    if repository.is_bare:
        what = "a bare repository has no checkout to land in"
        raise GitRefused("HEAD", what, "Name the branch to land on: --branch NAME")
    head = repository.head()
    if head.branch is None:
        fix = "Switch to a branch, or name one with --branch."
        raise GitRefused("HEAD", "is detached: there is no branch to land on", fix)
    if head.commit is None:
        what = "has no commit yet, so there is nothing to edit"
        raise GitRefused(head.branch, what, FIRST_COMMIT)
    return head.branch, head.commit, head.commit


def find_base(target: LandingTarget, spec: Spec) -> str | None:
    """Find the commit that a spec was written against; None where it does not say.

    Raises InvalidInput for one that is not in the history of the branch.
    """
    rev = _find_stated_base(spec, target.request)
    if rev is None:
        return None
    base = target.repository.resolve(rev)
    if not target.repository.is_ancestor(base, target.tip):
        fix = "Name a commit in the branch's history, or rebase the spec by reading again."
        raise InvalidInput(rev, f"is not an ancestor of {target.branch}", fix)
    return base


def _find_stated_base(spec: Spec, request: ApplyRequest) -> str | None:
    return spec.base if request.base is None else request.base


def _has_gate(repository: Repository) -> bool:
    """Whether a hook of this clone asks the gate about each commit."""
    hooks = list_hooks(repository, ("commit-msg", "pre-commit"))
    return any(each.owner != FOREIGN for each in hooks)
