"""ranges.py: which commits are judged, and as what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.gate.judge import Gate
from hkgit.gate.rulings import Report
from hkgit.git.repository import Repository
from hkgit.policy.model import Policy
from hkgit.replay.findings import Candidate
from hkgit.replay.judging import candidate_of as candidate_of

Watch = Callable[[Sequence[str]], Iterator[str]]


def split_range(argument: str) -> tuple[str, str]:
    """The two sides of `A..B`. Raises InvalidInput for anything else."""
    old, dots, new = argument.partition("..")
    if not dots or not old or not new or new.startswith(".") or ".." in new:
        raise InvalidInput(argument, "is not a range A..B", "Write OLD..NEW, with two dots.")
    return old, new


def commits_of(
    repository: Repository, old: str | None, new: str, policy: Policy, *beside: str
) -> list[str]:
    """The commits of `old..new`, parents first, without what came before the policy's `since`.

    Without `old` all that `new` has; never what a commit of `beside` has. Raises InvalidInput for
    a range that runs backwards.
    """
    if old is not None and old != new and repository.is_ancestor(new, old):
        fix = "Write the older revision first."
        raise InvalidInput(f"{old[:12]}..{new[:12]}", "the range runs backwards", fix)
    commits = list(repository.commits_between(old, new, *beside))
    if policy.since is None:
        return commits
    since = repository.resolve(policy.since)
    return [commit for commit in commits if not repository.is_ancestor(commit, since)]


def judge_range(
    repository: Repository,
    old: str | None,
    new: str,
    policy: Policy,
    *beside: str,
    on_client: bool = False,
    pusher: str | None = None,
    coming: Mapping[str, str] | None = None,
    trusts: bool = True,
    ref: str | None = None,
    watch: Watch = iter,
) -> Report:
    """The rulings on every commit of `old..new`, each judged on its own parents.

    What a commit of `beside` has is not judged again. `pusher` is whom a server has authenticated,
    `coming` the refs that a push brings, with what they name (see Gate). Unless `trusts` is
    false, `old` is the trusted side, and only its entries may be pruned. `ref` is what the commits
    are for, where that is known.
    `watch` gets the commits and gives them on, one by one, to show how far the work has come.
    """
    trusted = old if trusts else None
    gate = Gate(
        repository, policy, on_client, pusher, coming or {}, tip=new, trusted=trusted, ref=ref
    )
    commits = commits_of(repository, old, new, policy, *beside)
    rulings = tuple(gate.judge(candidate_of(repository, each)) for each in watch(commits))
    return Report(policy, rulings, provisional=on_client)


def verify_range(
    repository: Repository, old: str, new: str, policy: Policy, *, watch: Watch = iter
) -> Report:
    """The verdicts of `judge_range` without the policy's floors, and without a trusted side."""
    return judge_range(repository, old, new, without_floors(policy), trusts=False, watch=watch)


def without_floors(policy: Policy) -> Policy:
    """The policy with everything accepted that replays; who is governed stays as it is."""
    return replace(
        policy, mode="enforce", accept=KINDS, any_verdict=True,
        tiers=None, ladders=None, min_confidence=0, min_threshold=0, min_tightness=0, paths=(),
        reject_text=(), entries_signed=False,
    )  # fmt: skip


def judge_index(
    repository: Repository, policy: Policy, *, author: str, committer: str, message: bytes | None
) -> Report:
    """The provisional ruling on the commit that git is about to make."""
    gate = Gate(repository, policy, on_client=True)
    tree = repository.index_tree()
    candidates = [
        Candidate(None, tree, parents, author, committer, message)
        for parents in repository.commit_in_progress_parents()
    ]
    return Report(policy, (gate.judge_any(candidates),), provisional=True)
