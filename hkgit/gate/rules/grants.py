"""What people may do by hand.

What breaks the glass is an annotated tag `break-glass/...` on the commit: its message is the
reason, its tagger's time the date, and an SSH key signs it, whose principal has the role
`break-glass` under the trusted side's policy. No format of hkgit's own: `git tag -s` writes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from hkgit.evidence.entry import is_ledgers
from hkgit.evidence.trailers import list_credited, read_trailers
from hkgit.evidence.verdict import BLIND, CandidateCommit, Finding, Verdict
from hkgit.gate.judged_commit import JudgedCommit
from hkgit.gate.policy.defaults import BREAK_GLASS as ROLE
from hkgit.gate.policy.defaults import matches
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import APPLY
from hkgit.gate.ruling import Ruling
from hkgit.git.layout import HEX
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.values import dataclass

BREAK_GLASS = "refs/tags/break-glass/"
_TAG = (
    rb"(?s)object (" + HEX.encode() + rb")\ntype commit\ntag ([^\n]+)\n"
    rb"tagger [^\n]*> (\d+) [-+]\d{4}\n\n(.*?)-----BEGIN SSH SIGNATURE-----\n"
)
LONGEST = 65_536
"""Bytes that a record may have."""


@dataclass(frozen=True)
class Record:
    """Who let a commit pass, when (seconds since 1970) and why."""

    name: str
    time: int
    reason: str
    principal: str

    def __str__(self) -> str:
        from datetime import UTC, datetime  # few commits break the glass

        day = datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%dT%H:%MZ")
        return f"break-glass {self.name} by {self.principal} on {day}: {self.reason}"


def find_record(
    repository: Repository, policy: Policy, commit: str, incoming: Mapping[str, str]
) -> Record | None:
    """Find the record that lets a commit pass, among its tags and those that a push brings."""
    if not policy.roles.get(ROLE):
        return None
    listed = ("for-each-ref", f"--points-at={commit}", "--format=%(objectname)", BREAK_GLASS)
    tags = (tag for ref, tag in incoming.items() if ref.startswith(BREAK_GLASS))
    for tag in dict.fromkeys((*repository.git(*listed).text.split(), *tags)):
        record = _read(repository, policy, commit, tag)
        if record is not None:
            return record
    return None


def _read(repository: Repository, policy: Policy, commit: str, tag: str) -> Record | None:
    """Read the record of a commit that a tag is, if it is signed by one who may make it."""
    if repository.blob_size(tag) > LONGEST:
        return None
    found = re.match(_TAG, repository.git("cat-file", "tag", tag, check=False).stdout)
    if found is None or found[1].decode() != commit or not found[2].startswith(b"break-glass/"):
        return None
    reason = " ".join(found[4].decode("utf-8", "replace").split())
    principal = repository.verify_tag(tag, policy.signers) if reason else None
    if principal is None or principal not in policy.roles[ROLE]:
        return None
    return Record(found[2].decode("utf-8", "replace"), int(found[3]), reason, principal)


def read_pusher(policy: Policy) -> str | None:
    """Read who the server says is pushing; only for a hook that a server runs."""
    return os.environ.get(policy.pusher_variable or "") or None


def is_granted(case: JudgedCommit, paths: Sequence[str]) -> bool:
    """Whether its author, or who vouches for it, may change these paths whatever they are."""
    return find_grant(case, paths) is not None or find_voucher(case, paths) is not None


def find_grant(case: JudgedCommit, paths: Sequence[str], voucher: str | None = None) -> str | None:
    """Find the rule by which these paths may be changed by hand, or None.

    With a `voucher` (`Name <email>`), the rule by which that very person may change them.
    """
    policy, candidate, context = case.policy, case.candidate, case.context
    for grant in policy.manual:
        if not grant.covers(paths):
            continue
        name = candidate.author if voucher is None else voucher
        if context.on_client and matches(name, grant.names):
            return f"manual grant to {name} (by name: provisional)"
        if context.on_client and candidate.id is None and _is_named(voucher, grant.principals):
            return f"manual grant to {name} (who has to sign it: provisional)"
        # A key and a pusher have no name of their own: as with Signed-off-by, the committer's.
        is_own = voucher is None or _address(voucher) == _address(candidate.committer)
        if is_own and context.pusher is not None and context.pusher in grant.pushers:
            return f"manual grant to {context.pusher}, who pushed it"
        if candidate.id is None:
            continue
        signers = "".join(f"granted {key}\n" for key in grant.keys)
        verify = case.repository.verify_signature
        if is_own and grant.keys and verify(candidate.id, signers) is not None:
            return "manual grant to the key that signed it"
        if grant.principals:
            signer = verify(candidate.id, policy.signers)
            if signer in grant.principals and (voucher is None or _is_named(voucher, (signer,))):
                return f"manual grant to {signer}, who signed it"
    return None


def _is_named(voucher: str | None, principals: Sequence[str]) -> bool:
    """Whether a `Name <email>` is one of some principals, by address or by name."""
    if voucher is None:
        return False
    called = (_address(voucher), voucher.partition(" <")[0].lower())
    return any(principal.lower() in called for principal in principals)


def _address(identity: str) -> str:
    return identity.partition("<")[2].partition(">")[0].lower()


@dataclass(frozen=True)
class Voucher:
    """Who takes a commit upon himself, and the rule by which he may."""

    person: str
    rule: str


def find_voucher(case: JudgedCommit, paths: Sequence[str]) -> Voucher | None:
    """Find the person who vouches for what a commit changes without evidence, and may.

    An agent vouches for nothing; in its shell nobody does. Before commit-msg no message is known:
    then whoever may vouch can still do so.
    """
    policy, message = case.policy, case.candidate.message
    if case.context.shell is not None:
        return None
    if message is None:
        is_open = case.context.on_client and any(grant.covers(paths) for grant in policy.manual)
        return Voucher("", "somebody may vouch for it in the message") if is_open else None
    for person in read_trailers(message).vouchers:
        if not policy.is_agent(person):
            rule = find_grant(case, paths, person)
            if rule is not None:
                return Voucher(person, f"vouched for by {person}: {rule}")
    return None


def refuse_vouchers(case: JudgedCommit, paths: Sequence[str]) -> Iterator[Finding]:
    """Say why whoever the message names may not vouch for a commit; nothing where nobody is."""
    people = read_trailers(case.candidate.message or b"").vouchers
    shell, vouch = case.context.shell, _vouch(case.candidate)
    if not people:
        return
    if shell is not None:
        why, fix = f"this is the shell of {shell}", "A person vouches, in their own shell."
    elif all(map(case.policy.is_agent, people)):
        why, fix = "that is an agent", f"A person vouches, and signs it: {vouch}"
    elif not any(grant.covers(paths) for grant in case.policy.manual):
        why = "the policy grants nobody all that the commit changes"
        fix = "Only people with a [[gate.manual]] grant for these paths may vouch."
    else:
        why = "nothing proves that a grant of these paths is for them"
        fix = f"Names alone count only in clones. A person with the grant signs: {vouch}"
    yield Finding(BLIND, "Hkgit-Vouched-by", f"names {people[0]}, but {why}", fix)


def _vouch(candidate: CandidateCommit) -> str:
    """Write how a person takes a commit upon himself; what says who made it is kept."""
    if candidate.id is None:
        return 'git commit -S --trailer "Hkgit-Vouched-by: NAME <EMAIL>"'
    return f"hkgit redo --vouch {candidate.id[:12]}"


BY_GRANT = "A person with a manual grant changes it."
"""What is left for a path that no evidence lets an agent change."""

HOSTS = ("github <noreply@github.com>", "gitlab <*", "*@users.noreply.gitlab.com>", "gitea <*")
"""Committers of hosted squash merges; not treated as people."""


def hand_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find changes beside a commit's entries that neither a person nor a grant allows.

    A commit with entries is governed, whoever made it. So a person's name is enough only where
    the policy itself says that `mixed` passes.
    """
    left = case.judged.leftovers
    is_theirs = Verdict.MIXED in case.policy.verdicts and _has_person(case)
    if not left or is_theirs or find_grant(case, [each.path for each in left]) is not None:
        return
    yield from (each.finding for each in left)


def _has_person(case: JudgedCommit) -> bool:
    """Whether, where only agents are governed, somebody who is none has a part in the commit."""
    if case.policy.govern != "agents":
        return False
    candidate = case.candidate
    co_authors = list_credited(candidate.message or b"", "co-authored")
    everyone = (candidate.author, candidate.committer, *co_authors)
    return any(not case.policy.is_agent(name) and not matches(name, HOSTS) for name in everyone)


OF_EVIDENCE = frozenset({BLIND, "tier", "confidence", "tightness", "claimed", "verdict"})
"""Rules by which evidence is missing or weak; those by which it is false are not among them."""
_LEFT = ("bytes", "mode")


def find_vouched_paths(case: JudgedCommit, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Find what a person would vouch for in a commit with entries; nothing if none can.

    Nobody vouches for evidence that is false: for entries that do not replay, or for other bytes
    than they make in a file of theirs.
    """
    judged = case.judged
    if not judged.entries or judged.verdict in (Verdict.FAIL, Verdict.UNVERIFIABLE):
        return ()
    own = {path for file in judged.files for path in file.paths}
    left = {each.path for each in judged.leftovers}
    known = (each.rule in OF_EVIDENCE or (left and each.rule in _LEFT) for each in findings)
    if left & own or not all(known):
        return ()
    paths = find_changed_paths(case.repository, case.candidate)
    return tuple(path for path in paths if not is_ledgers(path))


def find_changed_paths(repository: Repository, candidate: CandidateCommit) -> list[str]:
    """Find every path that a commit changes; of a merge, where it is not what git makes of it.

    So a merge that drops a side changes all that the side brought.
    """
    if len(candidate.parents) == 2:
        with repository.merge(candidate.parents) as merged:
            return sorted({*merged.conflicts, *merged.list_differing(candidate.tree)})
    trees = [repository.commit(each).tree for each in candidate.parents] or [EMPTY_TREE]
    changes = (repository.changes(tree, candidate.tree) for tree in trees)
    return sorted({change.path for each in changes for change in each})


def choose_redo(repository: Repository, policy: Policy, ruling: Ruling) -> str | None:
    """Choose the option with which `hkgit redo` makes a commit that the policy accepts; or None.

    Beside entries that hold, lines by hand and merges by git it has only `late` evidence, or a
    person who vouches. Raises Unverifiable where the commit cannot be read.
    """
    judged, candidate = ruling.judged, ruling.judged.candidate
    if ruling.rule in ("trailer", "prune") or len(candidate.parents) > 2:
        return ""
    is_persons = judged.entries and ruling.agent is None and policy.govern == "agents"
    if is_persons and (ruling.rule in _LEFT or judged.leftovers):
        return ""
    paths = find_changed_paths(repository, candidate)
    if not policy.any_verdict and all(map(policy.accepts_late, paths)):
        return ""
    proved = (each for each in policy.manual if each.keys or each.principals or each.pushers)
    return "--vouch " if candidate.id and any(each.covers(paths) for each in proved) else None


_NAMES = (
    "A [[gate.manual]] covers this only by name, and names count only in clones, not under"
    " --range, --ci or on a server: give that grant keys, principals or pushers."
)


def explain_blind_commit(case: JudgedCommit, paths: Sequence[str]) -> Finding:
    """Say why a commit without evidence does not pass."""
    candidate, agent = case.candidate, case.agent
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    if len(candidate.parents) > 2:
        fix = "Merge them one by one."
        return Finding("merge", shown, "has more than two parents, and no ledger entry", fix)
    if len(candidate.parents) == 2:
        what = "differs from git's merge of its parents, and has no ledger entry"
        fix = (
            "Merge without other changes, and make those in a later commit. Conflicts are"
            " resolved by a spec: git merge --abort, then"
            f" hkgit apply --merge {candidate.parents[1][:12]} SPEC"
        )
        return Finding("merge", shown, what, fix)
    who = f"{agent} is an agent" if agent is not None else "the policy governs everyone"
    fix = _describe_way(case, paths)
    return Finding(BLIND, shown, f"blind commit: no ledger entry, and {who}", fix)


def _describe_way(case: JudgedCommit, paths: Sequence[str]) -> str:
    """Say what whoever made a commit without evidence can do: an agent, a bot, or a person."""
    policy, candidate, agent = case.policy, case.candidate, case.agent
    is_protected = any(policy.protects_path(path) for path in paths)
    way = BY_GRANT if is_protected and agent is not None else APPLY
    if any(
        grant.covers(paths) and matches(candidate.author, grant.names) for grant in policy.manual
    ):
        return f"{_NAMES} {way}"
    if agent is not None and "[bot]" in agent.lower():
        listed = ", ".join(f'"{path}"' for path in paths[:5])
        return (
            f"{way} Or let the bot change these by hand: [[gate.manual]] with paths = [{listed}]"
            " and keys (what signs its commits), or pushers on a server."
        )
    if agent is not None and any(grant.covers(paths) for grant in policy.manual):
        return f"{way} Or let a person with a grant for these paths vouch: {_vouch(candidate)}"
    return way
