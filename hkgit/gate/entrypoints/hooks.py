"""Pushes as hooks of a clone and of a server see them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from hkgit.errors import GitRefused, Rejected
from hkgit.evidence.replay import REFS as RECOVERED
from hkgit.gate.attestations.trust import REFS as ENTRIES
from hkgit.gate.clock import Budget
from hkgit.gate.entrypoints.arrival import (
    EntryPoint,
    TrustedSide,
    Update,
    UpdateResult,
    choose_trusted_side,
    peel_commit,
)
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.rules.grants import BREAK_GLASS
from hkgit.gate.ruling import Report, is_of_one_ref
from hkgit.gate.trusted_policy import hash_policy, read_trusted_policy
from hkgit.git.objects import Head
from hkgit.git.repository import Repository
from hkgit.values import dataclass, field, replace

ON_CLIENT = JudgeContext(on_client=True)


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
            return UpdateResult(update, Report(side.policy), note="the policy does not protect it")
        if new is not None and side.start is None:
            what = f"this clone knows no commits of {remote} to compare with"
            return UpdateResult(update, Report(side.policy), unjudged=what)
        return side

    return EntryPoint(repository, ON_CLIENT).answer_each(updates, find_side, given)


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
    return EntryPoint(repository, ON_CLIENT).answer_each(
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
    upstream = repository.git("for-each-ref", "--format=%(upstream)", "--", update.ref).text
    published = _tips(repository, *filter(None, [upstream]), "refs/remotes/*/HEAD")
    return TrustedSide(policy, None, old, published)


def _tips(repository: Repository, *patterns: str) -> tuple[str, ...]:
    form = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    listed = repository.git("for-each-ref", form, "--", *patterns).text.splitlines()
    words = [line.split() for line in listed]
    return tuple(each[-1] for each in words if "commit" in each)


def judge_received(
    repository: Repository, updates: Sequence[Update], given: Policy | None, seconds: float
) -> Iterator[UpdateResult]:
    """Judge every ref of a push to this repository, within a time in seconds for all of them.

    `given` is a policy that is on the server instead of those in the history. Raises
    GitRefused for a namespace, whose default branch cannot be told.
    """
    if os.environ.get("GIT_NAMESPACE"):
        raise GitRefused("GIT_NAMESPACE", "pushes to a namespace are not judged")
    server = _Server(repository, given, _find_aliases(repository, updates))
    speaking = (BREAK_GLASS, ENTRIES, RECOVERED)  # for other commits of the push
    brought = ((each.ref, each.new) for each in updates if each.ref.startswith(speaking))
    incoming = {ref: new for ref, new in brought if new is not None}
    point = EntryPoint(repository, JudgeContext(incoming=incoming), on_server=True)
    for answer in point.answer_each(updates, server.find_side, given, Budget(seconds)):
        rulings = answer.report.rulings
        if answer.judged and all(each.passes and not is_of_one_ref(each) for each in rulings):
            server.passed.append(answer)  # it passes for other refs under the same policy too
        yield answer


_REPLACEMENTS = "refs/replace/"
"""Where git looks for what it shows in place of an object."""


@dataclass(frozen=True)
class _Server:
    repository: Repository
    given: Policy | None
    aliases: Mapping[str, str]
    passed: list[UpdateResult] = field(default_factory=list)

    @cached_property
    def head(self) -> Head:
        """The default branch, whose policy new refs get."""
        return _find_default(self.repository)

    @cached_property
    def _read_policy(self) -> Callable[[Repository, str], Policy]:
        """The policies of commits, each read once: a push may have very many refs."""
        return lru_cache(64)(read_trusted_policy)

    def find_side(self, update: Update) -> TrustedSide | UpdateResult:
        """Find the trusted side of an update, under whichever of its names is protected.

        What has passed for another ref of the push under an equal policy is not judged again.
        """
        old = peel_commit(self.repository, update.old)
        names = (update.ref, self.aliases.get(update.ref, update.ref))
        side = choose_trusted_side(
            self.repository, names, old, self.head.commit, self.given, self._read_policy
        )
        if self.head.branch == _AMBIGUOUS and side.policy.source == BUILT_IN:
            what = "HEAD names a branch that does not exist, and branches have different policies"
            fix = "On the server: git symbolic-ref HEAD refs/heads/BRANCH"
            raise Rejected(update.ref, what, fix)
        report, refusal = Report(side.policy), None
        if update.new is not None and any(name.startswith(_REPLACEMENTS) for name in names):
            what = "would show readers of this repository an object other than the one judged"
            refusal = Rejected(update.ref, what, "Keep replacements in the clone that needs them.")
        elif not any(map(side.policy.protects, names)):
            return UpdateResult(update, report, note="the policy does not protect it")
        elif update.new is None and f"refs/heads/{self.head.branch}" in names:
            what = "is the default branch, which gives new branches their policy"
            refusal = Rejected(update.ref, what, "Make another branch the default one first.")
        if refusal is not None:
            return UpdateResult(update, report, refusal)
        known = (each.update.new for each in self.passed if each.report.policy == side.policy)
        excluding = (*side.excluding, *filter(None, known))
        return replace(side, excluding=excluding, head=self.head.commit)


def _find_default(repository: Repository) -> Head:
    """Find the default branch; where HEAD names none that is there, the branches decide.

    One of them does, if all have one policy: else no ref without a policy of its own moves.
    """
    head = repository.head()
    if head.commit is not None:
        return head
    listed = repository.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
    tips = {
        ref: commit for commit, ref in (line.split(" ", 1) for line in listed.text.splitlines())
    }
    if not tips:
        return head
    if len({hash_policy(read_trusted_policy(repository, each)) for each in {*tips.values()}}) > 1:
        return replace(head, branch=_AMBIGUOUS)
    ref = next((ref for ref in _USUAL if ref in tips), min(tips))
    return replace(head, branch=ref.removeprefix("refs/heads/"), commit=tips[ref])


_USUAL = ("refs/heads/main", "refs/heads/master")
_AMBIGUOUS = ""
"""The name of the default branch where nothing says which it is."""


def _find_aliases(repository: Repository, updates: Sequence[Update]) -> dict[str, str]:
    """Find the pushed refs that are symbolic, each with the ref that it represents."""
    pushed = {update.ref for update in updates}
    # All are listed: a push of very many refs does not fit on a command line.
    listed = repository.git("for-each-ref", "--format=%(refname) %(symref)")
    lines = (line.split(" ") for line in listed.text.split("\n") if line)
    return {ref: stands_for for ref, stands_for in lines if stands_for and ref in pushed}
