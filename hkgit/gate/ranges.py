"""ranges.py: list the commits of a range and judge each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.evidence.replay.judging import candidate_of as candidate_of
from hkgit.gate.context import UNKNOWN, JudgeContext
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.rulings import Report, Ruling
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace

Watch = Callable[[Sequence[str]], Iterator[str]]
"""Passes commits on one by one, to show progress."""


@dataclass(frozen=True, slots=True)
class CommitRange:
    """What `new` has and `old` has not, without `old` all of it; never what is in `excluding`."""

    old: str | None
    new: str
    excluding: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{(self.old or '')[:12]}..{self.new[:12]}"


@dataclass(frozen=True, slots=True)
class RulingStream:
    """The rulings as they are made, to be read once, and the policy that they are made under.

    `tip` is the newest of the commits, None where there is none.
    """

    policy: Policy
    rulings: Iterator[Ruling]
    tip: str | None

    def collect(self) -> Report:
        """Read all the rulings that are left into one report."""
        return Report(self.policy, tuple(self.rulings))


def split_range(argument: str) -> tuple[str, str]:
    """Split `A..B` into its sides. Raises InvalidInput for anything else."""
    old, dots, new = argument.partition("..")
    if not dots or not old or not new or new.startswith(".") or ".." in new:
        raise InvalidInput(argument, "is not a range A..B", "Write OLD..NEW, with two dots.")
    return old, new


def list_commits_of(repository: Repository, asked: CommitRange, policy: Policy) -> list[str]:
    """List the commits of a range, parents first, without those before the policy's `since`.

    Raises InvalidInput for a range that runs backwards.
    """
    old, new = asked.old, asked.new
    if old is not None and old != new and repository.is_ancestor(new, old):
        fix = "Write the older revision first."
        raise InvalidInput(str(asked), "the range runs backwards", fix)
    commits = list(repository.commits_between(old, new, *asked.excluding))
    if policy.since is None:
        return commits
    since = repository.resolve(policy.since)
    return [commit for commit in commits if not repository.is_ancestor(commit, since)]


def judge_range(
    repository: Repository,
    asked: CommitRange,
    policy: Policy,
    context: JudgeContext = UNKNOWN,
    *,
    watch: Watch = iter,
) -> Report:
    """Judge every commit of a range, each on its own parents.

    Its `old` is the trusted side: only entries that it has may be pruned, and merges must account
    for its text.
    """
    commits = list_commits_of(repository, asked, policy)
    return judge_listed(repository, asked, commits, policy, context, watch=watch)


def stream_range(
    repository: Repository,
    asked: CommitRange,
    policy: Policy,
    context: JudgeContext = UNKNOWN,
    *,
    watch: Watch = iter,
) -> RulingStream:
    """Judge as `judge_range` does, each commit when its ruling is read."""
    commits = list_commits_of(repository, asked, policy)
    rulings = stream_listed(repository, asked, commits, policy, context, watch=watch)
    return RulingStream(policy, rulings, commits[-1] if commits else None)


def judge_listed(
    repository: Repository,
    asked: CommitRange,
    commits: Sequence[str],
    policy: Policy,
    context: JudgeContext = UNKNOWN,
    *,
    watch: Watch = iter,
) -> Report:
    """Judge the commits of a range that `list_commits_of` has listed already."""
    rulings = tuple(stream_listed(repository, asked, commits, policy, context, watch=watch))
    return Report(policy, rulings, provisional=context.on_client)


def stream_listed(
    repository: Repository,
    asked: CommitRange,
    commits: Sequence[str],
    policy: Policy,
    context: JudgeContext = UNKNOWN,
    *,
    watch: Watch = iter,
) -> Iterator[Ruling]:
    """Judge as `judge_listed` does, each commit when its ruling is read."""
    gate = Gate(repository, policy, context, tip=asked.new, trusted=asked.old, landing=asked.old)
    return (gate.judge(candidate_of(repository, each)) for each in watch(commits))


def drop_floors(policy: Policy) -> Policy:
    """Accept everything that replays; who is governed stays as it is."""
    return replace(
        policy,
        mode="enforce",
        accept=KINDS,
        any_verdict=True,
        tiers=None,
        ladders=None,
        min_confidence=0,
        min_threshold=0,
        min_tightness=0,
        paths=(),
        reject_text=(),
        entries_signed=False,
    )


def judge_index(
    repository: Repository,
    policy: Policy,
    *,
    author: str,
    committer: str,
    message: bytes | None,
    explain: bool = False,
    shell: str | None = None,
) -> Report:
    """Judge the commit that git is about to make; the ruling is provisional.

    Under the built-in policy a shell makes nobody an agent: somebody may be setting hkgit up.

    `shell` names the agent in whose shell git runs, if any.
    """
    known = shell if policy.source != BUILT_IN else None
    gate = Gate(repository, policy, JudgeContext(on_client=True, explain=explain, shell=known))
    tree = repository.index_tree()
    candidates = [
        CandidateCommit(
            id=None,
            tree=tree,
            parents=parents,
            author=author,
            committer=committer,
            message=message,
            amends=number > 0,
        )
        for number, parents in enumerate(repository.commit_in_progress_parents())
    ]
    return Report(policy, (gate.judge_any(candidates),), provisional=True)
