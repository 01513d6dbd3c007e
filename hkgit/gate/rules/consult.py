"""consult.py: where a policy wants people to decide: an edit that is refused again and again waits.

Conflicts that an entry does not claim cannot be seen here; an open CONSULT on its path can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hkgit.edits import REGULAR
from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.replay.findings import (
    CandidateCommit,
    Finding,
    Leftover,
    ReplayResult,
    Verdict,
)
from hkgit.gate.case import JudgedCommit
from hkgit.gate.conflicts.consulting import (
    DIRECTORY_PATH,
    Consult,
    read_allowed_tries,
    read_consult,
    read_consults_of,
)
from hkgit.gate.conflicts.history import list_changing_commits
from hkgit.gate.policy.defaults import ANSWER
from hkgit.gate.policy.model import Policy
from hkgit.git.objects.ids import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.values import replace

_ID = re.compile(r"[0-9a-f]{8,64}")


def find_asking_rule(
    repository: Repository,
    policy: Policy,
    candidate: CandidateCommit,
    paths: Sequence[str],
    agent: str | None,
) -> str | None:
    """Find the rule that lets a commit pass which only asks people, or in which a person answers.

    Such a commit changes CONSULTs alone: it adds open ones, and gives open ones an answer.
    """
    if not paths or len(candidate.parents) > 1:
        return None
    if not all(path.startswith(f"{DIRECTORY_PATH}/") for path in paths):
        return None
    try:
        found = [*_find_asked(repository, candidate, paths)]
    except InvalidInput:
        return None
    if all(each.answer is None for each in found):
        return "consult: it asks a person"
    is_by_agent = any(each.answer and policy.is_agent(each.answer.by) for each in found)
    if agent is not None or is_by_agent or not _may_answer(repository, policy, candidate.id):
        return None
    return "consult: a person answers"


def excuse_questions(repository: Repository, judged: ReplayResult) -> ReplayResult:
    """Leave open CONSULTs out of what a commit changes beside its entries.

    hkgit itself writes them into the checkout, and `git add -A` takes them along.
    """
    if judged.verdict is not Verdict.MIXED:
        return judged
    candidate = judged.candidate
    others = tuple(each for each in judged.leftovers if not _is_open(repository, candidate, each))
    if others or judged.underlying is None:
        return replace(judged, leftovers=others)
    return replace(judged, verdict=judged.underlying, leftovers=(), underlying=None)


def _is_open(repository: Repository, candidate: CandidateCommit, left: Leftover) -> bool:
    """Whether what no entry accounts for is a question that the commit asks."""
    if not left.path.startswith(f"{DIRECTORY_PATH}/"):
        return False
    try:
        return all(each.answer is None for each in _find_asked(repository, candidate, [left.path]))
    except InvalidInput:
        return False


def _find_asked(
    repository: Repository, candidate: CandidateCommit, paths: Sequence[str]
) -> Iterator[Consult]:
    """Find the CONSULTs that a commit adds or answers. Raises InvalidInput for any other change."""
    parent = candidate.parents[0] if candidate.parents else EMPTY_TREE
    before, after = repository.snapshot(parent), repository.snapshot(candidate.tree)
    for path in paths:
        old, new = before.get(path), after.get(path)
        entry = after.entry(path)
        if new is None or entry is None or entry.mode != REGULAR:
            raise InvalidInput(path, "is taken away, or is no file")
        now = read_consult(new.data, path)
        known = None if old is None else read_consult(old.data, path)
        if known is not None and (known.answer is not None or not _is_same(known, now)):
            raise InvalidInput(path, "is not the question that was asked")
        yield now


def _is_same(known: Consult, now: Consult) -> bool:
    """Whether a CONSULT is the one that is known, perhaps with later tries."""
    tries = now.conflict.tries[: len(known.conflict.tries)]
    asked = (now.opened, now.between, now.conflict.path, now.conflict.agent)
    was = (known.opened, known.between, known.conflict.path, known.conflict.agent)
    return tries == known.conflict.tries and asked == was


def _may_answer(repository: Repository, policy: Policy, commit: str | None) -> bool:
    """Whether who made a commit may answer; one that is not made yet has no signature to show."""
    if commit is None or not policy.roles.get(ANSWER):
        return True
    principal = repository.verify_signature(commit, policy.signers)
    return principal is not None and policy.has_role(principal, ANSWER)


def consult_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find where a commit goes on with what a person has to decide first."""
    if not case.candidate.parents or not case.judged.entries:
        return
    parent = case.candidate.parents[0]
    try:
        known = {each.id: each for each in read_consults_of(case.repository, parent)}
        allowed = read_allowed_tries(case.repository.snapshot(parent))
    except InvalidInput as error:
        yield Finding.of("consult", error)
        return
    for _, entry in case.judged.entries:
        yield from _find_open(entry, known)
        yield from _find_undecided(case, entry, known, allowed)


def _find_open(entry: Entry, known: Mapping[str, Consult]) -> Iterator[Finding]:
    """Find the open CONSULTs on paths that an entry edits."""
    edited = {edit.path for edit in entry.edits}
    for consult in known.values():
        if consult.answer is None and consult.conflict.path in edited:
            what = f"CONSULT {consult.id} on this file waits for the answer of a person"
            yield Finding("consult", consult.conflict.path, what, _fix(consult.id))


def _find_undecided(
    case: JudgedCommit, entry: Entry, known: Mapping[str, Consult], allowed: int
) -> Iterator[Finding]:
    """Find the conflicts that an entry claims, tried too often without the answer of a person."""
    claimed = entry.claims.get("conflicts")
    for met in claimed if isinstance(claimed, list) else ():
        name = _conflict_id(met)
        tries = met.get("tries") if isinstance(met, dict) else None
        if not isinstance(tries, int):
            yield Finding("consult", "ledger entry", "its conflicts are malformed", _fix(name))
        elif tries >= allowed and not _is_decided(case, known.get(name)):
            what = f"conflict {name} was refused {tries} times, and no person has decided it"
            path = met.get("path")
            where = path if path in {edit.path for edit in entry.edits} else "ledger entry"
            yield Finding("consult", where, what, _fix(name))


def _conflict_id(met: object) -> str:
    """The id of a conflict that an entry claims; no other words of its maker are passed on."""
    name = met.get("id") if isinstance(met, dict) else None
    return name if isinstance(name, str) and _ID.fullmatch(name) else "?"


def _is_decided(case: JudgedCommit, consult: Consult | None) -> bool:
    """Whether a CONSULT was answered, in a commit of a person or of who has the role for it."""
    if consult is None or consult.answer is None:
        return False
    repository, policy = case.repository, case.policy
    commits = list_changing_commits(repository, consult.path, case.candidate.parents[0])
    if not commits:
        return False
    commit = repository.commit(commits[0])
    if policy.governing_name((commit.author, commit.committer), commit.message) is not None:
        return False
    return _may_answer(repository, policy, commit.id)


def _fix(name: str) -> str:
    return f"A person decides: `hkgit consult answer {name}`."
