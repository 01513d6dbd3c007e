"""commits.py: what is told of a judged commit everywhere, from log to the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone

from hkgit.applying.evidence import KINDS
from hkgit.evidence.ledger.entry import RecordedEdit
from hkgit.evidence.replay.findings import CandidateCommit
from hkgit.gate.rulings import BY_HAND, NO_EVIDENCE, NOTHING, Ruling
from hkgit.text.escaping import visible
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

DERIVED, PARTLY, NOT_DERIVED = "derived", "partly derived", "not derived"
ATTESTED, VOUCHED = "attested", "vouched"

STANDINGS = {
    DERIVED: "every byte follows from the parents and the recorded evidence",
    PARTLY: "what its entries say is derived; the rest was changed by hand",
    ATTESTED: "not derived here: a key that the policy trusts signed that it was",
    VOUCHED: "not derived: a person took an agent's change without evidence upon himself",
    BY_HAND: "made by a person; there is nothing to derive it from",
    NO_EVIDENCE: "made by an agent that left no evidence of what it read and did",
    NOT_DERIVED: "its evidence does not lead to what it changes, or is not all here",
}
"""What can be derived of a commit, in one word each, and what the word means."""

_STANDING_OF = {
    "mixed": PARTLY,
    "attested": ATTESTED,
    "vouched": VOUCHED,
    "fail": NOT_DERIVED,
    "unverifiable": NOT_DERIVED,
}
_AUTHOR_TIME = re.compile(rb"^author [^\n]*> (-?\d{1,12}) ([+-])(\d\d)(\d\d)$", re.MULTILINE)
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AuditedCommit:
    """A commit, what can be derived of it (`replay`), and what the policy says (`passes`, `rule`).

    `agents` are those its entries name; of one without evidence the name by which it is an
    agent's, of one by hand none. `weakest` and `confidence` are those of its weakest edit.
    """

    ruling: Ruling
    id: str
    time: datetime
    author: str
    subject: str
    agents: tuple[str, ...]
    evidence: Counter[str]
    weakest: str | None
    confidence: int | None

    @property
    def replay(self) -> str:
        return self.ruling.replay

    @property
    def passes(self) -> bool:
        return self.ruling.passes

    @property
    def made_by(self) -> str:
        return self.ruling.made_by

    @property
    def standing(self) -> str:
        """Which of `STANDINGS` it is."""
        if self.replay == NOTHING:
            return NO_EVIDENCE if self.made_by == NO_EVIDENCE else BY_HAND
        return _STANDING_OF.get(self.replay, DERIVED)

    @property
    def edits(self) -> tuple[RecordedEdit, ...]:
        return tuple(edit for _, entry in self.ruling.judged.entries for edit in entry.edits)

    @property
    def who(self) -> str:
        """Its agents, else its author."""
        return ", ".join(self.agents) if self.agents else name_of_person(self.author)


def audit_commit(ruling: Ruling) -> AuditedCommit:
    """Describe the commit of a ruling."""
    candidate = ruling.judged.candidate
    edits = [edit for _, entry in ruling.judged.entries for edit in entry.edits]
    message = (candidate.message or b"").decode("utf-8", "replace")
    return AuditedCommit(
        ruling=ruling,
        id=candidate.id or "",
        time=read_author_time(candidate),
        author=candidate.author,
        subject=visible(message.split("\n", 1)[0]),
        agents=_agents(ruling),
        evidence=Counter(edit.evidence for edit in edits),
        weakest=max((edit.evidence for edit in edits), key=strength_of, default=None),
        confidence=min((edit.confidence for edit in edits), default=None),
    )


def _agents(ruling: Ruling) -> tuple[str, ...]:
    if ruling.judged.entries:
        return tuple(dict.fromkeys(visible(entry.agent) for _, entry in ruling.judged.entries))
    is_bare = ruling.agent is not None and ruling.made_by == NO_EVIDENCE
    return (name_of_person(ruling.agent or ""),) if is_bare else ()


def name_of_person(identity: str) -> str:
    """Return the name in `Name <email>`, safe to print."""
    return visible(identity.partition(" <")[0])


def fold_agent(agent: str) -> str:
    """Fold the names of one agent to one: `Claude-Code/2.1` becomes `claude-code`."""
    return agent.partition("/")[0].casefold()


def strength_of(kind: str) -> int:
    """Rank a kind of evidence: 0 is the strongest; what is not known is the weakest."""
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


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


def median(numbers: Iterable[int]) -> int | None:
    """Return the middle number, the lower of two; None of none."""
    ordered = sorted(numbers)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def commit_json(commit: AuditedCommit) -> JsonObject:
    """Render the facts added to a ruling's JSON: time, author, subject, evidence."""
    return {
        "time": commit.time.isoformat(),
        "subject": commit.subject,
        "author": visible(commit.author),
        "standing": commit.standing,
        "agents": list(commit.agents),
        "evidence": dict(commit.evidence),
        "weakest_evidence": commit.weakest,
        "lowest_confidence": None if commit.confidence is None else commit.confidence / 1000,
    }


def count_standings(commits: Sequence[AuditedCommit]) -> dict[str, int]:
    """Count how many commits are of each standing, in the order of `STANDINGS`, none left out."""
    counted = Counter(commit.standing for commit in commits)
    return {name: counted[name] for name in STANDINGS}
