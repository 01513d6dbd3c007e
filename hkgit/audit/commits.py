"""The commits of a history, each with its ruling and its evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from fnmatch import fnmatchcase

from hkgit.applying.evidence import RECOVERED, STRONGEST_FIRST, is_weak
from hkgit.evidence.entry import Entry, RecordedEdit
from hkgit.evidence.replay import candidate_of
from hkgit.evidence.trailers import list_agents
from hkgit.evidence.verdict import CandidateCommit, Verdict
from hkgit.gate.clock import Watch
from hkgit.gate.commit_range import CommitRange, drop_floors, judge_range, list_commits_of
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import BEFORE_SINCE, BY_HAND, NO_EVIDENCE, Ruling
from hkgit.git.objects import TreeChange
from hkgit.git.repository import Repository
from hkgit.text.escape import visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import cached_property, dataclass, replace

DERIVED = {
    "strict": "replayed and recomputed: every byte, range and hash",
    "reanchored": "replayed on a moved base: each change at the only place it matches",
    "recovered": "replayed from a record of transcripts beside the history",
    "merge": "the merge that git makes of the parents on its own",
    "revert": "the exact inverse of an earlier commit that passes",
    "prune": "removes only ledger entries that history keeps",
    "empty": "changes nothing",
}
"""What replay says where every byte follows from parents and recorded evidence, and its meaning."""

REPLAYS = DERIVED | {
    "mixed": "what its entries say is derived; the rest was changed by hand",
    "attested": "not derived here: a key that the policy trusts signed that it was",
    "vouched": "not derived: a person vouches for an agent's change without evidence",
    BY_HAND: "made by a person; there is nothing to derive it from",
    NO_EVIDENCE: "made by an agent that left no evidence of what it read and did",
    "fail": "its evidence does not lead to what it changes",
    "unverifiable": "what is needed to derive it is not in this repository",
}
"""What replay says of a commit, in one word, and what the word means."""

_AUTHOR_TIME = re.compile(rb"^author [^\n]*> (-?\d{1,12}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AuditedCommit:
    """A commit, what can be derived of it (`replay`), and what the policy says (`passes`)."""

    ruling: Ruling

    @property
    def id(self) -> str:
        return self.ruling.judged.candidate.id or ""

    @cached_property
    def time(self) -> datetime:
        return read_author_time(self.ruling.judged.candidate)

    @property
    def author(self) -> str:
        return self.ruling.judged.candidate.author

    @cached_property
    def subject(self) -> str:
        message = (self.ruling.judged.candidate.message or b"").decode("utf-8", "replace")
        return visible(message.split("\n", 1)[0])

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Those its entries name, else the name by which it is an agent's; of one by hand none."""
        if self.ruling.judged.entries:
            return list_agents(visible(entry.agent) for _, entry in self.ruling.judged.entries)
        return (name_of_person(self.ruling.agent or ""),) if self.ruling.is_agents else ()

    @property
    def who(self) -> str:
        """Its agents, else its author."""
        return ", ".join(self.agents) if self.agents else name_of_person(self.author)

    @property
    def replay(self) -> str:
        return self.ruling.replay

    @property
    def passes(self) -> bool:
        return self.ruling.passes

    @property
    def is_derived(self) -> bool:
        """Whether every byte follows from the parents and the recorded evidence."""
        return self.replay in DERIVED

    @property
    def edits(self) -> tuple[RecordedEdit, ...]:
        return self.ruling.judged.edits

    @cached_property
    def evidence(self) -> Counter[str]:
        """Its edits by the kind of their evidence."""
        entries = (entry for _, entry in self.ruling.judged.entries)
        pairs = ((entry, edit) for entry in entries for edit in entry.edits)
        return Counter(name_evidence(self.ruling, *each) for each in pairs)

    @property
    def weakest(self) -> str | None:
        """The evidence of its weakest edit."""
        return max(self.evidence, key=strength_of, default=None)

    @property
    def confidence(self) -> int | None:
        """The lowest of its edits."""
        return min((edit.confidence for edit in self.edits), default=None)


def name_evidence(ruling: Ruling, entry: Entry, edit: RecordedEdit) -> str:
    """Name the kind of an edit's evidence as it is shown."""
    is_told = ruling.judged.is_recovered(entry) and not is_weak(edit.evidence)
    return RECOVERED if is_told else edit.evidence


def name_of_person(identity: str) -> str:
    """Return the name in `Name <email>`, safe to print."""
    return visible(identity.partition(" <")[0])


def fold_agent(agent: str) -> str:
    """Fold the names of one agent to one: `Claude-Code/2.1` becomes `claude-code`."""
    return agent.partition("/")[0].casefold()


def strength_of(kind: str) -> int:
    """Rank a kind of evidence: 0 is the strongest; what is not known is the weakest."""
    return STRONGEST_FIRST.index(kind) if kind in STRONGEST_FIRST else len(STRONGEST_FIRST)


def list_changes(repository: Repository, candidate: CandidateCommit) -> tuple[TreeChange, ...]:
    """List what a commit changes in its first parent's tree. Raises Unverifiable."""
    parent = repository.commit(candidate.parents[0]).tree if candidate.parents else None
    return repository.changes(parent, candidate.tree)


def read_author_time(candidate: CandidateCommit) -> datetime:
    """Read when the author made the commit, in the author's zone; 1970 if it cannot be read."""
    found = _AUTHOR_TIME.search(candidate.header)
    if found is None:
        return _NO_TIME
    away = timedelta(hours=int(found[3]), minutes=int(found[4]))
    try:
        zone = timezone(-away if found[2] == b"-" else away)
        return datetime.fromtimestamp(int(found[1]), zone)
    except (ValueError, OverflowError, OSError):
        return _NO_TIME


def commit_json(commit: AuditedCommit) -> JsonObject:
    """Render the facts added to a ruling's JSON: time, author, subject, evidence."""
    return {
        "time": commit.time.isoformat(),
        "subject": commit.subject,
        "author": visible(commit.author),
        "agents": list(commit.agents),
        "evidence": dict(commit.evidence),
        "weakest_evidence": commit.weakest,
        "lowest_confidence": None if commit.confidence is None else commit.confidence / 1000,
    }


@dataclass(frozen=True)
class History:
    """The commits of a range, or all up to a revision, and the policy that judges them."""

    repository: Repository
    asked: CommitRange
    policy: Policy

    @cached_property
    def gate(self) -> Gate:
        """The judge of its commits; the old side of a range is the trusted one."""
        old, new = self.asked.old, self.asked.new
        return Gate(self.repository, self.policy, tip=new, trusted=old, landing=old)

    def rule(self, commit: str) -> Ruling:
        """Judge a commit; one before the policy's `since` passes."""
        ruling = self.gate.judge(candidate_of(self.repository, commit))
        since = self.policy.since
        if ruling.passes or since is None:
            return ruling
        start = self.repository.resolve(since)
        is_before = self.repository.is_ancestor(commit, start)
        return replace(ruling, passes=True, rule=BEFORE_SINCE) if is_before else ruling

    def list(self) -> Sequence[str]:
        """List its commits, parents first. Raises InvalidInput for a range that runs backwards."""
        return list_commits_of(self.repository, self.asked, self.policy)

    def judge(self, commits: Sequence[str], watch: Watch = iter) -> Iterator[Ruling]:
        """Judge those of its commits that are given."""
        return judge_range(self.repository, self.asked, self.policy, commits=commits, watch=watch)

    def replay(self, commits: Sequence[str], watch: Watch, jobs: int = 1) -> Iterator[Ruling]:
        """Replay them; the policy says who is governed, and its floors do not count."""
        return judge_range(
            self.repository,
            self.asked,
            drop_floors(self.policy),
            commits=commits,
            has_trusted_side=False,
            jobs=jobs,
            watch=watch,
        )


_UNREAD = ("fail", "unverifiable")


def is_weak_commit(commit: AuditedCommit) -> bool:
    """Whether an agent may have written some of it unseen, as far as anybody can tell."""
    if commit.weakest is None:
        return is_unexplained(commit.ruling)
    is_open = commit.replay in _UNREAD or bool(commit.ruling.judged.leftovers)
    return is_open or is_weak(commit.weakest)


def needs_a_look(commit: AuditedCommit) -> bool:
    """Whether a person should look at it first."""
    return not commit.passes or is_weak_commit(commit)


_ORDER = {
    **dict.fromkeys((NO_EVIDENCE, *_UNREAD), 0),
    **dict.fromkeys(("vouched", "mixed"), 1),
    **dict.fromkeys(DERIVED, 2),
    "attested": 3,
    BY_HAND: 4,
}
"""Where commits are in the order of review; what git made by itself is last."""


def rank_weakness(commit: AuditedCommit) -> tuple[int, int, int, float]:
    """Rank a commit for a review, the weakest first."""
    is_by_git = commit.is_derived and not commit.ruling.is_agents
    group = 5 if is_by_git else _ORDER[commit.replay]
    strength = 0 if commit.weakest is None else strength_of(commit.weakest)
    sure = 1000 if commit.confidence is None else commit.confidence
    return group, -strength, sure, -commit.time.timestamp()


def is_unexplained(ruling: Ruling) -> bool:
    """Whether an agent may have made what no edit of the commit explains."""
    is_unread = ruling.replay in _UNREAD
    return (ruling.is_agents or is_unread) and ruling.judged.verdict is not Verdict.ATTESTED


def fits_agent(agents: Iterable[str], glob: str) -> bool:
    """Whether one of some agents fits a glob, with or without its version."""
    return any(fits(each, glob) or fits(fold_agent(each), glob) for each in agents)


def fits(text: str, glob: str) -> bool:
    """Whether a text fits a glob, whatever the case; a plain word fits anywhere in it."""
    folded, wanted = text.casefold(), glob.casefold()
    has_star = any(char in wanted for char in "*?[")
    return fnmatchcase(folded, wanted) if has_star else wanted in folded
