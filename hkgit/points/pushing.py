"""pushing.py: pre-push, where a clone says what it is about to send; a server may say more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.errors import HkgitError
from hkgit.git.repository import Repository
from hkgit.points.judging import Point
from hkgit.points.trust import peeled, side_of
from hkgit.points.updates import Answer, Update
from hkgit.policy import Policy


def judge_pushed(
    repository: Repository, updates: Sequence[Update], remote: str, given: Policy | None
) -> Iterator[Answer]:
    """The answer on every ref of a push to a remote, provisional as everything on a client.

    What the remote has is known from the ids that it told git, and from its remote-tracking
    branches: a new ref is judged from where it leaves the remote's default branch, or any branch
    where that is not known.
    """
    point = Point(repository, on_client=True)
    tips = _tracked(repository, remote)
    for update in updates:
        try:
            yield _answer(point, update, remote, tips, given)
        except HkgitError as error:
            yield Answer(update, given or Policy(), refusal=error)


def _answer(
    point: Point, update: Update, remote: str, tips: Sequence[str], given: Policy | None
) -> Answer:
    repository = point.repository
    old, new = peeled(repository, update.old), peeled(repository, update.new)
    left = _left(repository, new, tips) if new is not None else None
    side = side_of(repository, [update.ref], old, left, given)
    if not side.policy.protects(update.ref):
        return Answer(update, side.policy, note="the policy does not protect it")
    if new is not None and side.start is None:
        what = f"nothing of {remote} is known here to hold it against"
        return Answer(update, side.policy, unjudged=what)
    return point.answer(update, side)


def _tracked(repository: Repository, remote: str) -> list[str]:
    """The tip of the remote's default branch as last fetched; else those of all its branches."""
    for refs in (f"refs/remotes/{remote}/HEAD", f"refs/remotes/{remote}/"):
        tips = repository.git("for-each-ref", "--format=%(objectname)", "--", refs).text.split()
        if tips:
            return tips
    return []


def _left(repository: Repository, new: str, tips: Sequence[str]) -> str | None:
    """Where the history of a commit leaves these tips."""
    if not tips:
        return None
    return repository.git("merge-base", new, *tips, check=False).text or None
