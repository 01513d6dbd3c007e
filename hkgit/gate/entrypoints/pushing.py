"""pushing.py: pre-push, where a clone says what it is about to send; a server may say more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.errors import HkgitError
from hkgit.gate.entrypoints.judging import EntryPoint
from hkgit.gate.entrypoints.trust import choose_trusted_side, peel_commit
from hkgit.gate.entrypoints.updates import Update, UpdateResult
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository


def judge_pushed(
    repository: Repository, updates: Sequence[Update], remote: str, given: Policy | None
) -> Iterator[UpdateResult]:
    """Judge every ref of a push to a remote; provisional, as everything on a client is.

    What the remote has is known from the ids that it told git, and from its remote-tracking
    branches: a new ref is judged from where it leaves the remote's default branch, or any branch
    where that is not known.
    """
    point = EntryPoint(repository, on_client=True)
    tips = _find_tracking_tips(repository, remote)
    for update in updates:
        try:
            yield _answer(point, update, remote, tips, given)
        except HkgitError as error:
            yield UpdateResult(update, given or Policy(), refusal=error)


def _answer(
    point: EntryPoint, update: Update, remote: str, tips: Sequence[str], given: Policy | None
) -> UpdateResult:
    repository = point.repository
    old, new = peel_commit(repository, update.old), peel_commit(repository, update.new)
    left = _find_fork_point(repository, new, tips) if new is not None else None
    side = choose_trusted_side(repository, [update.ref], old, left, given)
    if not side.policy.protects(update.ref):
        return UpdateResult(update, side.policy, note="the policy does not protect it")
    if new is not None and side.start is None:
        what = f"nothing of {remote} is known here to hold it against"
        return UpdateResult(update, side.policy, unjudged=what)
    return point.answer(update, side)


def _find_tracking_tips(repository: Repository, remote: str) -> list[str]:
    """Find the fetched tip of the remote's default branch, else the tips of all branches."""
    for refs in (f"refs/remotes/{remote}/HEAD", f"refs/remotes/{remote}/"):
        tips = repository.git("for-each-ref", "--format=%(objectname)", "--", refs).text.split()
        if tips:
            return tips
    return []


def _find_fork_point(repository: Repository, new: str, tips: Sequence[str]) -> str | None:
    """Find where the history of a commit leaves these tips."""
    if not tips:
        return None
    return repository.git("merge-base", new, *tips, check=False).text or None
