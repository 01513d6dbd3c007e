"""Judge a range and sign what came out; sign the entries of a range."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from hkgit import __version__
from hkgit.errors import InvalidInput, Rejected
from hkgit.evidence.additions import read_new_entries
from hkgit.gate.attestations.statement import PAYLOAD_TYPE, Envelope, Statement, store_envelope
from hkgit.gate.attestations.trust import entry_refs, sign_entry, sign_payload
from hkgit.gate.commit_range import CommitRange, judge_range, list_commits_of
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.defaults import ATTEST
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git import program
from hkgit.git.repository import Repository
from hkgit.matching.place import LADDER_VERSION


def attest(
    repository: Repository,
    commits: CommitRange,
    policy: Policy,
    key: Path,
    target: str | None,
    resource: str | None,
) -> Envelope:
    """Judge a range, and sign the statement that every commit passes.

    `resource` is the repository's URI, by default the Software Heritage id of the range's base.
    Raises Rejected when one does not, whatever the policy's mode, and InvalidInput for an empty
    range, and for one whose head does not descend from its base: the tree of the one would undo
    what the other has.
    """
    old, new = commits.old or "", commits.new
    if old == new:
        what = "is empty: there is no commit whose verdict could be signed"
        fix = "Name the commit before the work and its last commit: A..B."
        raise InvalidInput(f"{old[:12]}..{new[:12]}", what, fix)
    if not repository.is_ancestor(old, new):
        what = "its head does not descend from its base"
        fix = "Rebase onto the base, or merge it, and attest the result."
        raise InvalidInput(f"{old[:12]}..{new[:12]}", what, fix)
    policy = policy if target is None else policy.for_refs([target])
    rulings = tuple(judge_range(repository, commits, policy, JudgeContext(ref=target)))
    failed = next((ruling for ruling in rulings if not ruling.passes), None)
    if failed is not None:
        where, what = (failed.judged.candidate.id or "")[:12], f"does not pass ({failed.rule})"
        raise Rejected(where, f"{what}, so it cannot be attested", "hkgit gate --range says why.")
    statement = Statement(
        base=old,
        base_tree=repository.commit(old).tree,
        head=new,
        tree=repository.commit(new).tree,
        target=target,
        policy=hash_policy(policy),
        accepted=policy.verdicts,
        ladder=LADDER_VERSION,
        counts=Counter(str(ruling.judged.verdict) for ruling in rulings),
        git=".".join(map(str, program.read_version())),
        hkgit=__version__,
        resource=resource or f"swh:1:rev:{old}",
        time=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return sign_payload(PAYLOAD_TYPE, statement.to_bytes(), key, ATTEST)


def sign_entries(repository: Repository, old: str, new: str, key: Path) -> dict[str, str]:
    """Sign and keep every entry that a commit of `old..new` adds: the ref of each, by its id.

    Nothing is judged: a signature says whose an entry is, not that it holds. Raises InvalidInput
    when the key cannot be used.
    """
    refs: dict[str, str] = {}
    listed = list_commits_of(repository, CommitRange(old, new), Policy())
    for commit in map(repository.commit, listed):
        for name, entry in read_new_entries(repository, commit.parents[:1], commit.tree):
            if name not in refs:
                envelope = sign_entry(name, entry, key)
                refs[name] = store_envelope(repository, entry_refs(name), envelope)
    return refs
