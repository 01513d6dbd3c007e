"""scanning.py: which commits have evidence, and which could have it; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.evidence.ledger.names import LEDGER
from hkgit.evidence.replay.recovered import REFS as RECORDS
from hkgit.gate.policy import Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass
from hkgit.workflows.adopting.adopting import Adoption, AdoptRequest, Transcripts, adopt


@dataclass(frozen=True, slots=True)
class ScannedCommit:
    """A commit that an agent made, or that transcripts know of.

    `agent` is the name of its author or co-authors that makes it an agent's, None where none does;
    `adoption` what transcripts explain, None where the commit has entries of its own. With
    `is_kept` a record of it stands beside the history already.
    """

    commit: str
    parent: str | None
    subject: str
    agent: str | None
    adoption: Adoption | None
    is_kept: bool = False


def scan_commits(
    repository: Repository, transcripts: Transcripts, commits: Sequence[str], policy: Policy
) -> list[ScannedCommit]:
    """Scan commits, parents first. Raises Unverifiable where their parents are not here."""
    bare = [commit for commit in commits if not _has_entries(repository, commit)]
    request = AdoptRequest(transcripts, commits=tuple(bare), keeps=False)
    adopted = {each.commit: each for each in adopt(repository, request)} if bare else {}
    found = []
    refs = repository.git("for-each-ref", "--format=%(refname)", "--", RECORDS).text.split()
    kept = {ref.removeprefix(RECORDS) for ref in refs}
    for commit in commits:
        raw, adoption = repository.commit(commit), adopted.get(commit)
        agent = policy.governing_name((raw.author, raw.committer), raw.message)
        if agent is not None or adoption is None or adoption.explanation.explained:
            subject = raw.message.partition(b"\n")[0].decode("utf-8", "replace")
            parent = next(iter(raw.parents), None)
            found.append(
                ScannedCommit(
                    commit=commit,
                    parent=parent,
                    subject=subject,
                    agent=agent,
                    adoption=adoption,
                    is_kept=commit in kept,
                )
            )
    return found


def _has_entries(repository: Repository, commit: str) -> bool:
    """Whether a commit adds entries to the ledger."""
    parents = repository.commit(commit).parents
    before = repository.commit(parents[0]).tree if parents else None
    changes = repository.changes(before, repository.commit(commit).tree)
    return any(each.old is None and each.path.startswith(f"{LEDGER}/") for each in changes)
