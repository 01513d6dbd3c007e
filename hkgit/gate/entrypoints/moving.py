"""moving.py: reference-transaction, the net of a clone: whatever moves a branch comes by here.

So it meets cherry-picks, rebases, `git am` and fast-forwards, which run no other hook. A rebase
works on a detached HEAD: its branch moves once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.errors import HkgitError
from hkgit.gate import read_trusted_policy
from hkgit.gate.entrypoints.judging import EntryPoint
from hkgit.gate.entrypoints.trust import TrustedSide, choose_trusted_side
from hkgit.gate.entrypoints.updates import Update, UpdateResult
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository

BRANCHES = "refs/heads/"


def judge_moved(
    repository: Repository, updates: Sequence[Update], given: Policy | None
) -> Iterator[UpdateResult]:
    """Judge every branch that is about to move in this clone.

    What the remote's default branch or the branch's own upstream has is trusted; so a pull brings
    nothing to judge. A new branch is judged for what no branch, tag or remote has.
    """
    point = EntryPoint(repository, on_client=True)
    for update in updates:
        if update.ref.startswith(BRANCHES) and update.new is not None:
            try:
                yield point.answer(update, _side(repository, update, given))
            except HkgitError as error:
                yield UpdateResult(update, given or Policy(), refusal=error)


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
