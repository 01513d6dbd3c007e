"""What git asks in a clone: pre-push and reference-transaction.

So it meets cherry-picks, rebases, `git am` and fast-forwards, which run no other hook. A rebase
works on a detached HEAD: its branch moves once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.gate.entrypoints.arrival import EntryPoint, TrustedSide, choose_trusted_side, peel_commit
from hkgit.gate.entrypoints.updates import Update, UpdateResult
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.repository import Repository


def judge_pushed(
    repository: Repository, updates: Sequence[Update], remote: str, given: Policy | None
) -> Iterator[UpdateResult]:
    """Judge every ref of a push to a remote; provisional, as everything on a client is.

    What the remote has is known from the ids that it told git, and from its remote-tracking
    branches: a new ref is judged from where it leaves the remote's default branch, or any branch
    where that is not known.
    """
    tips = _find_tracking_tips(repository, remote)

    def find_side(update: Update) -> TrustedSide | UpdateResult:
        old, new = peel_commit(repository, update.old), peel_commit(repository, update.new)
        left = None  # where its history leaves these tips
        if new is not None and tips:
            left = repository.git("merge-base", new, *tips, check=False).text or None
        side = choose_trusted_side(repository, [update.ref], old, left, given)
        if not side.policy.protects(update.ref):
            return UpdateResult(update, side.policy, note="the policy does not protect it")
        if new is not None and side.start is None:
            what = f"nothing of {remote} is known here to hold it against"
            return UpdateResult(update, side.policy, unjudged=what)
        return side

    return EntryPoint(repository, on_client=True).answer_each(updates, find_side, given)


def _find_tracking_tips(repository: Repository, remote: str) -> list[str]:
    """Find the fetched tip of the remote's default branch, else the tips of all branches."""
    for refs in (f"refs/remotes/{remote}/HEAD", f"refs/remotes/{remote}/"):
        tips = repository.git("for-each-ref", "--format=%(objectname)", "--", refs).text.split()
        if tips:
            return tips
    return []


BRANCHES = "refs/heads/"


def judge_moved(
    repository: Repository, updates: Sequence[Update], given: Policy | None
) -> Iterator[UpdateResult]:
    """Judge every branch that is about to move in this clone.

    What the remote's default branch or the branch's own upstream has is trusted; so a pull brings
    nothing to judge. A new branch is judged for what no branch, tag or remote has.
    """
    moved = [each for each in updates if each.ref.startswith(BRANCHES) and each.new is not None]
    return EntryPoint(repository, on_client=True).answer_each(
        moved, lambda each: _side(repository, each, given), given
    )


def _side(repository: Repository, update: Update, given: Policy | None) -> TrustedSide:
    """The trusted side. git may tell zeros for what a ref is at, so the ref itself is asked."""
    old = repository.branch_tip(update.ref.removeprefix(BRANCHES))
    if old is None:
        policy = given or read_trusted_policy(repository, repository.head().commit)
        known = _tips(repository, "refs/heads", "refs/remotes", "refs/tags")
        return TrustedSide(policy, None, None, known)
    policy = choose_trusted_side(repository, [update.ref], old, None, given).policy
    # Not as its old side: what its owner has not pushed may be amended and set back at will.
    return TrustedSide(policy, None, old, _find_published(repository, update.ref))


def _find_published(repository: Repository, ref: str) -> tuple[str, ...]:
    """Find where the branch's upstream stands, and the default branches of remotes."""
    asked = repository.git("for-each-ref", "--format=%(upstream)", "--", ref).text
    return _tips(repository, *filter(None, [asked]), "refs/remotes/*/HEAD")


def _tips(repository: Repository, *patterns: str) -> tuple[str, ...]:
    form = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    listed = repository.git("for-each-ref", form, "--", *patterns).text.splitlines()
    words = [line.split() for line in listed]
    return tuple(each[-1] for each in words if "commit" in each)
