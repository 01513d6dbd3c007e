"""consult.py: where a policy wants people to decide: an edit that is refused again and again waits.

Conflicts that an entry does not claim cannot be seen here; an open CONSULT on its path can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hkgit.conflicts.consulting import Consult, consults_in, tries_before
from hkgit.conflicts.history import changing
from hkgit.errors import InvalidInput
from hkgit.gate.case import Case
from hkgit.ledger.entry import Entry
from hkgit.policy.model import ANSWER
from hkgit.replay.findings import Finding

_ID = re.compile(r"[0-9a-f]{8,64}")


def consult_findings(case: Case) -> Iterator[Finding]:
    """Where a commit goes on with what a person has to decide first."""
    if not case.candidate.parents or not case.judged.entries:
        return
    parent = case.candidate.parents[0]
    try:
        known = {each.id: each for each in consults_in(case.repository, parent)}
        allowed = tries_before(case.repository.snapshot(parent))
    except InvalidInput as error:
        yield Finding.of("consult", error)
        return
    for _, entry in case.judged.entries:
        yield from _waiting(entry, known)
        yield from _undecided(case, entry, known, allowed)


def _waiting(entry: Entry, known: Mapping[str, Consult]) -> Iterator[Finding]:
    """The open CONSULTs on paths that an entry edits."""
    edited = {edit.path for edit in entry.edits}
    for consult in known.values():
        if consult.answer is None and consult.conflict.path in edited:
            what = f"CONSULT {consult.id} on this file waits for the answer of a person"
            yield Finding("consult", consult.conflict.path, what, _fix(consult.id))


def _undecided(
    case: Case, entry: Entry, known: Mapping[str, Consult], allowed: int
) -> Iterator[Finding]:
    """The conflicts that an entry claims, tried too often without the answer of a person."""
    claimed = entry.claims.get("conflicts")
    for met in claimed if isinstance(claimed, list) else ():
        name = _named(met)
        tries = met.get("tries") if isinstance(met, dict) else None
        if not isinstance(tries, int):
            yield Finding("consult", "ledger entry", "its conflicts are malformed", _fix(name))
        elif tries >= allowed and not _is_decided(case, known.get(name)):
            what = f"conflict {name} was refused {tries} times, and no person has decided it"
            path = met.get("path")
            where = path if path in {edit.path for edit in entry.edits} else "ledger entry"
            yield Finding("consult", where, what, _fix(name))


def _named(met: object) -> str:
    """The id of a conflict that an entry claims; no other words of its maker are passed on."""
    name = met.get("id") if isinstance(met, dict) else None
    return name if isinstance(name, str) and _ID.fullmatch(name) else "?"


def _is_decided(case: Case, consult: Consult | None) -> bool:
    """Whether a CONSULT was answered, in a commit of a person or of who has the role for it."""
    if consult is None or consult.answer is None:
        return False
    repository, policy = case.repository, case.policy
    commits = changing(repository, consult.path, case.candidate.parents[0])
    if not commits:
        return False
    commit = repository.commit(commits[0])
    if policy.governing_name((commit.author, commit.committer), commit.message) is not None:
        return False
    if not policy.roles.get(ANSWER):
        return True
    principal = repository.verify_signature(commit.id, policy.signers)
    return principal is not None and policy.has_role(principal, ANSWER)


def _fix(name: str) -> str:
    return f"A person decides: `hkgit consult answer {name}`."
