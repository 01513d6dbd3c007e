"""The commits of a range, judged as a stream, in several processes.

Every commit is judged on its own parents, so the parts do not depend on each other. What passed
once may be kept in a file in the git directory, for `hkgit verify --incremental` alone: no hook
and no server reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hkgit import __version__
from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput
from hkgit.evidence.replay import candidate_of
from hkgit.evidence.verdict import ReplayResult, Verdict
from hkgit.gate.clock import Watch
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import UNKNOWN, JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Report, Ruling, is_lasting
from hkgit.git import program
from hkgit.git.repository import Repository
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.hashes import digest
from hkgit.values import dataclass, replace

_LINE = r"([0-9a-f]{40,64}) ([a-z]+)\Z"


@dataclass(frozen=True)
class VerifiedCommits:
    """The verified commits of one policy, ladder, hkgit and git.

    Its file is used only if nobody but the user can have written it.
    """

    path: Path

    @classmethod
    def of(cls, repository: Repository, policy: Policy) -> VerifiedCommits:
        """Open what is known in a repository under everything that a verdict depends on."""
        parts = (repr(policy), LADDER_VERSION, __version__, program.read_version())
        name = digest(repr(parts).encode())
        return cls(repository.common_dir / "hkgit" / "verified" / name)

    def verdicts(self, commits: Sequence[str]) -> dict[str, Verdict]:
        """Look up the verdicts of those of some commits that passed before."""
        if not self._is_own():
            return {}
        wanted = set(commits)
        lines = map(re.compile(_LINE).match, self.path.read_text("ascii", "replace").splitlines())
        return {
            found[1]: Verdict(found[2])
            for found in lines
            if found is not None and found[1] in wanted and found[2] in set(Verdict)
        }

    def add(self, rulings: Iterable[Ruling]) -> None:
        """Note what passes for its history alone."""
        lines = [
            f"{each.judged.candidate.id} {each.judged.verdict}\n"
            for each in rulings
            if each.passes and is_lasting(each)
        ]
        if self.path.exists() and not self._is_own():
            self.path.unlink()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(self.path, flags, 0o600), "a", encoding="ascii") as file:
            file.write("".join(lines))

    def _is_own(self) -> bool:
        if not hasattr(os, "geteuid") or not self.path.is_file() or self.path.is_symlink():
            return False
        status = self.path.stat()
        return status.st_uid == os.geteuid() and status.st_mode & 0o022 == 0


@dataclass(frozen=True)
class CommitRange:
    """What `new` has and `old` has not, without `old` all of it; never what is in `excluding`."""

    old: str | None
    new: str
    excluding: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{(self.old or '')[:12]}..{self.new[:12]}"


@dataclass(frozen=True)
class RulingStream:
    """The rulings as they are made, to be read once, and the policy that they are made under.

    `tip` is the newest of the commits, None where there is none; `provisional` is as of a report.
    """

    policy: Policy
    rulings: Iterator[Ruling]
    tip: str | None
    provisional: bool = False

    def collect(self) -> Report:
        """Read all the rulings that are left into one report."""
        return Report(self.policy, tuple(self.rulings), self.provisional)


def split_range(argument: str) -> tuple[str, str]:
    """Split `A..B` into its sides. Raises InvalidInput for anything else."""
    old, dots, new = argument.partition("..")
    if not dots or not old or not new or new.startswith(".") or ".." in new:
        raise InvalidInput(argument, "is not a range A..B", "Write OLD..NEW, with two dots.")
    return old, new


def select_share(commits: Sequence[str], number: int, of: int) -> Sequence[str]:
    """Select one of some equal parts, counted from 1, whose commits follow each other.

    All parts together are all commits, each once.
    """
    first, last = (len(commits) * each // of for each in (number - 1, number))
    return commits[first:last]


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
    commits: Sequence[str] | None = None,
    has_trusted_side: bool = True,
    jobs: int = 1,
    known: VerifiedCommits | None = None,
    watch: Watch = iter,
) -> RulingStream:
    """Judge every commit of a range on its own parents, each when its ruling is read.

    Its `old` is the trusted side: only entries that it has may be pruned, and merges must account
    for its text. Without one the policy is taken as it is, and any entry may be pruned. `commits`
    are what `list_commits_of` has listed already, or a part of it. So many `jobs` work on them;
    those that `known` has are not judged again, and those that pass are added to it.
    """
    if commits is None:
        commits = list_commits_of(repository, asked, policy)
    trusted = asked.old if has_trusted_side else None
    gate = Gate(repository, policy, context, tip=asked.new, trusted=trusted, landing=asked.old)
    if known is None:
        rulings = _judge_commits(gate, commits, jobs, watch)
    else:
        rulings = _judge_unknown(gate, commits, jobs, known, watch)
    return RulingStream(policy, rulings, commits[-1] if commits else None, context.on_client)


def _judge_unknown(
    gate: Gate, commits: Sequence[str], jobs: int, known: VerifiedCommits, watch: Watch
) -> Iterator[Ruling]:
    """Judge what has not passed before, and note what passes by the chunk.

    So a run that is interrupted has not been for nothing.
    """
    before = known.verdicts(commits)
    fresh = [commit for commit in commits if commit not in before]
    rulings = _judge_commits(gate, fresh, jobs, watch)
    chunk: list[Ruling] = []
    for commit in commits:
        if commit in before:
            yield _rule_verified(gate.repository, commit, before[commit])
            continue
        ruling = next(rulings)
        chunk.append(ruling)
        if len(chunk) == CHUNK:
            known.add(chunk)
            chunk.clear()
        yield ruling
    yield from rulings  # what is begun comes to its end, so that progress is wiped
    known.add(chunk)


def _rule_verified(repository: Repository, commit: str, verdict: Verdict) -> Ruling:
    judged = ReplayResult(candidate_of(repository, commit), verdict)
    replayed = None if verdict in (Verdict.MANUAL, Verdict.UNGOVERNED) else verdict
    return Ruling(judged, replayed, True, "verified before")


CHUNK = 100
"""Commits that a process judges in a row: they share most of their trees."""


def _judge_commits(gate: Gate, commits: Sequence[str], jobs: int, watch: Watch) -> Iterator[Ruling]:
    if jobs == 1 or len(commits) <= CHUNK:
        for commit in watch(commits):
            yield gate.judge(candidate_of(gate.repository, commit))
        return
    chunks = [commits[at : at + CHUNK] for at in range(0, len(commits), CHUNK)]
    place = (gate.repository.start, gate.repository.in_hook)
    how = (gate.policy, gate.context, gate.tip, gate.trusted, gate.landing)
    from concurrent.futures import ProcessPoolExecutor  # it loads sockets

    workers = min(jobs, len(chunks))
    with ProcessPoolExecutor(workers, initializer=_open_gate, initargs=(place, how)) as pool:
        done = (ruling for rulings in pool.map(_judge_chunk, chunks) for ruling in rulings)
        for _ in watch(commits):
            yield next(done)


_GATES: list[Gate] = []
"""The gate of a worker, which keeps what it has read."""


def _open_gate(place: tuple[Path, bool], how: tuple[Any, ...]) -> None:
    _GATES[:] = [Gate(Repository.discover(place[0], in_hook=place[1]), *how)]


def _judge_chunk(commits: Sequence[str]) -> list[Ruling]:
    [gate] = _GATES
    return [gate.judge(candidate_of(gate.repository, commit)) for commit in commits]


def drop_floors(policy: Policy) -> Policy:
    """Accept everything that replays; who is governed stays as it is."""
    return replace(
        policy,
        mode="enforce",
        accept=KINDS,
        any_verdict=True,
        tiers=None,
        min_confidence=0,
        min_threshold=0,
        min_tightness=0,
        paths=(),
        reject_text=(),
        entries_signed=False,
    )
