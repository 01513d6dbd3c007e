"""Rows of a judged commit, and the name of their repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from hkgit import __version__
from hkgit.applying.evidence import covers
from hkgit.audit.commits import (
    AuditedCommit,
    fold_agent,
    is_weak_commit,
    list_changes,
    name_evidence,
    strength_of,
)
from hkgit.audit.page.hunks import ReviewHunk, list_hunks
from hkgit.edits import Read
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.entry import Entry, is_record
from hkgit.evidence.refusal_log import RefusedAttempt, find_claimed_conflicts
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import find_blind_edits
from hkgit.gate.ruling import Ruling, is_lasting
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git import program
from hkgit.git.objects import TreeChange
from hkgit.git.repository import Repository
from hkgit.matching.place import LADDER_VERSION
from hkgit.text.escape import to_json_text, visible
from hkgit.text.hashes import digest
from hkgit.values import dataclass

Row = dict[str, Any]
Rows = dict[str, list[Row]]
"""Rows by the name of their table. Of a commit: exactly one in `commits`."""


_MOST = 10**9


def _refusals(commit: AuditedCommit) -> Iterator[Row]:
    """List the refusals that its entries claim; a claim may be anything."""
    for _, entry in commit.ruling.judged.entries:
        claimed = entry.claims.get("refusals")
        for each in claimed if isinstance(claimed, list) else ():
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                yield _claim(commit.id, entry, each)


def _claim(commit: str, entry: Entry, claim: dict[str, Any]) -> Row:
    time, tries = claim.get("time"), claim.get("tries")
    return {
        "refusal": visible(claim["id"]),
        "commit": commit,
        "landed": commit,
        "source": "ledger",
        "time": to_moment(time) if isinstance(time, int) else None,
        "agent": fold_agent(visible(entry.agent)),
        "call": None,
        "path": to_json_text(str(claim.get("path", ""))),
        "status": visible(str(claim.get("status", ""))),
        "reason": None,
        "tries": tries if isinstance(tries, int) and 0 < tries < _MOST else 1,
    }


def make_rows_of_clone(attempts: Iterable[RefusedAttempt]) -> list[Row]:
    """Make the rows of the refusals that a clone has noted; no commit carries them."""
    return [
        {
            "refusal": visible(each.id),
            "commit": None,
            "landed": each.landed,
            "source": "clone",
            "time": to_moment(each.time),
            "agent": fold_agent(visible(each.agent)),
            "call": visible(each.call),
            "path": to_json_text(each.path),
            "status": visible(each.status),
            "reason": visible(each.reason),
            "tries": each.tries,
        }
        for each in attempts
    ]


def _reads(commit: AuditedCommit) -> Iterator[Row]:
    for name, entry in commit.ruling.judged.entries:
        for number, each in enumerate(entry.reads):
            yield {
                "commit": commit.id,
                "entry": name,
                "read": number,
                "path": to_json_text(each.path),
                "first_line": each.start_line,
                "last_line": each.end_line,
                "range_hash": each.range_hash,
                "kind": each.kind,
                "hunks_covered": _count_covered(entry, each),
            }


def _count_covered(entry: Entry, read: Read) -> int:
    """Count how many net hunks of its file a reading covers."""
    hunks = (hunk for file in entry.files if file.path == read.path for hunk in file.hunks)
    if read.start_line is None or read.end_line is None:
        return sum(1 for _ in hunks)
    seen = read.start_line, read.end_line
    return sum(covers(seen, (each.start_line, each.end_line)) for each in hunks)


def to_moment(seconds: float) -> str | None:
    """Write a moment in UTC; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


_EVERY_HUNK = 10**9


def describe_versions() -> tuple[str, ...]:
    """Name what a ruling depends on besides the repository: versions of hkgit, ladder and git."""
    git = ".".join(map(str, program.read_version()))
    return f"hkgit {__version__}", f"ladder {LADDER_VERSION}", f"git {git}"


def describe_judges(policy: Policy) -> dict[str, str]:
    """Fill the columns that say on what a row depends: the policy, and the versions used."""
    alone = ("replay only",) if policy.any_verdict else ()
    return {"policy": hash_policy(policy), "judged_by": ", ".join((*describe_versions(), *alone))}


def make_rows(
    rulings: Iterable[Ruling], policy: Policy, repository: Repository | None = None
) -> Iterator[Rows]:
    """Make the rows of commits that were judged under a policy; those of one at a time.

    Without the repository the files are missing.
    """
    judge = describe_judges(policy)
    for commit in map(AuditedCommit, rulings):
        rows: Rows = {
            "edits": [*_edits(commit, policy)],
            "files": [] if repository is None else [*_files(repository, commit)],
            "findings": [*_findings(commit)],
            "refusals": [*_refusals(commit)],
            "reads": [*_reads(commit)],
        }
        yield rows | {"commits": [_commit(commit, rows) | judge]}


def _commit(commit: AuditedCommit, rows: Rows) -> Row:
    judged = commit.ruling.judged
    candidate = judged.candidate
    return {
        "commit": commit.id,
        "time": to_moment(commit.time.timestamp()),
        "day": commit.time.date().isoformat(),
        "author": visible(commit.author),
        "committer": visible(candidate.committer),
        "subject": commit.subject,
        "parents": len(candidate.parents),
        "agent": fold_agent(commit.agents[0]) if commit.agents else None,
        "agents": list(commit.agents),
        "replay": commit.replay,
        "derived": commit.is_derived,
        "policy_passes": commit.passes,
        "rule": commit.ruling.rule,
        "reverts": judged.basis if judged.verdict is Verdict.REVERT else None,
        "weak": is_weak_commit(commit),
        "weakest_evidence": commit.weakest,
        "lowest_confidence": _share(commit.confidence),
        "entries": len(judged.entries),
        "edits": len(rows["edits"]),
        "blind_edits": sum(each["blind"] for each in rows["edits"]),
        "conflicts": sum(len(find_claimed_conflicts(each.claims)) for _, each in judged.entries),
        "files": len(rows["files"]),
        "findings": len(rows["findings"]),
        "lasting": is_lasting(commit.ruling),
    }


def _edits(commit: AuditedCommit, policy: Policy) -> Iterator[Row]:
    for name, entry in commit.ruling.judged.entries:
        blind = {edit.id for edit, _ in find_blind_edits(policy, entry)}
        version = visible(entry.agent).partition("/")[2]
        for edit in entry.edits:
            places = edit.base_lines or ((None, None),)
            yield {
                "commit": commit.id,
                "entry": name,
                "agent": fold_agent(visible(entry.agent)),
                "agent_version": version or None,
                "blind": edit.id in blind,
                "edit": edit.id,
                "path": to_json_text(edit.path),
                "dialect": edit.dialect,
                "expected_hash": edit.expected_hash,
                "first_line": places[0][0],
                "last_line": places[-1][1],
                "places": len(edit.base_lines),
                "tier": edit.tier,
                "repairs": list(edit.repairs),
                "relocated": edit.relocated,
                "similarity": _share(edit.similarity),
                "confidence": _share(edit.confidence),
                "runner_up": _share(edit.runner_up),
                "evidence": name_evidence(commit.ruling, entry, edit),
            }


def _files(repository: Repository, commit: AuditedCommit) -> Iterator[Row]:
    """What differs from the parent, with what the evidence says of it."""
    candidate = commit.ruling.judged.candidate
    if len(candidate.parents) > 1:
        return
    moved = {
        file.new_path: file.path
        for file in commit.ruling.judged.files
        if file.path is not None and file.new_path not in (None, file.path)
    }
    hunks: dict[str, list[ReviewHunk]] = {}
    for hunk in list_hunks(repository, commit, _EVERY_HUNK):
        hunks.setdefault(hunk.path, []).append(hunk)
    try:
        changes = list_changes(repository, candidate)
    except HkgitError:  # what cannot be read is said by the verdict
        return
    for change in changes:
        is_gone = change.new is None and change.path in moved.values()
        if not is_gone and not is_record(change.path):
            row = _file(change, moved.get(change.path))
            counted = _count_hunks(hunks.get(visible(change.path), []))
            yield {"commit": commit.id, **row, **counted}


def _file(change: TreeChange, old_path: str | None) -> Row:
    old, new = change.old, change.new
    kind = "deleted" if new is None else "changed" if old is not None else "added"
    either = new or old
    return {
        "path": to_json_text(change.path),
        "old_path": to_json_text(old_path),
        "change": "moved" if old_path is not None else kind,
        "blob_before": None if old is None else old.id,
        "blob_after": None if new is None else new.id,
        "mode": "" if either is None else f"{either.mode:06o}",
    }


def _count_hunks(hunks: Sequence[ReviewHunk]) -> Row:
    """Count what the hunks of a file come to; nothing where none is known."""
    if not hunks:
        return dict.fromkeys(("evidence", "hunks", "lines_removed", "lines_added", "lines_unseen"))
    return {
        "evidence": max((each.evidence for each in hunks), key=strength_of),
        "hunks": len(hunks),
        "lines_removed": sum(each.changed for each in hunks),
        "lines_added": sum(each.added for each in hunks),
        "lines_unseen": sum(each.unseen for each in hunks),
    }


def _findings(commit: AuditedCommit) -> Iterator[Row]:
    for number, each in enumerate(commit.ruling.findings):
        yield {
            "commit": commit.id,
            "finding": number,
            "rule": each.rule,
            "blocks": not commit.passes,
            "place": visible(each.where),
            "path": to_json_text(each.path),
            "first_line": each.start_line,
            "last_line": each.end_line,
            "what": visible(each.what),
            "fix": visible(each.fix),
        }


def _share(per_mille: int | None) -> float | None:
    return None if per_mille is None else per_mille / 1000


_SCP = re.compile(r"(?P<host>\[[^\]/]+\]|[^/:\[\]]{2,}):(?!:)(?P<path>[^?#]*)")
_HOST = re.compile(r"(\[[0-9a-f:.%]+\]|[^:@\[\]]+)(:\d*)?")
_PORTS = {"http": 80, "https": 443, "ssh": 22, "git+ssh": 22, "ssh+git": 22, "git": 9418}
_DRIVE = re.compile(r"[a-z]:[\\/]", re.I)
_LONGEST = 200
"""Characters of a name in a path: file systems end at 255."""


@dataclass(frozen=True)
class RepositoryIdentity:
    """A repository: its name, the address that the name comes from, the ids of its roots.

    `url` has no credentials; None where the name comes from elsewhere. A shallow clone knows no
    roots.
    """

    name: str
    url: str | None = None
    roots: tuple[str, ...] = ()


def identify(repository: Repository, tip: str | None = None) -> RepositoryIdentity:
    """Identify a repository by its remote, else by the roots of what leads to `tip`.

    Raises InvalidInput where it has neither.
    """
    url = find_url(repository)
    roots = find_roots(repository, tip)
    if url is not None:
        return RepositoryIdentity(name_url(url), url, roots)
    if not roots:
        fix = "Add a remote, or fetch the whole history: git fetch --unshallow"
        raise InvalidInput("repository", "has no remote and no first commit to identify it by", fix)
    return RepositoryIdentity(f"root-{digest(' '.join(roots).encode())[:16]}", None, roots)


def find_url(repository: Repository) -> str | None:
    """Find the normalised address of `origin`, else of the first remote; None without any."""
    names = repository.git("remote", check=False).text.split()
    if not names:
        return None
    remote = "origin" if "origin" in names else min(names)
    address = repository.git("ls-remote", "--get-url", "--", remote, check=False).text.strip()
    return normalise_url(address, str(repository.start)) if address else None


def normalise_url(address: str, start: str = "/") -> str:
    """Write an address without credentials, query, default port, `.git`; ssh and https alike.

    A path is one from the root, a relative one from `start`. What runs a program (`ext::…`) may
    hold anything: it is named by its hash.
    """
    address = address.strip()
    if "://" in address and not address.startswith(("/", ".")):
        try:
            parts = urlsplit(address)
        except ValueError:
            return _hide(address)
        if parts.scheme == "file":
            return visible(f"file:///{_clean(unquote(parts.path))}")
        found = _HOST.fullmatch(parts.netloc.rpartition("@")[2].lower())
        if found is None:  # where the host is none, a password may be in it
            return _hide(address)
        default = (None, ":", f":{_PORTS.get(parts.scheme, '')}")
        shown = found[1] if found[2] in default else found[0]
        return visible(f"https://{shown}/{_clean(parts.path)}")
    head, slash, rest = address.partition("/")
    scp = _SCP.match(head.rpartition("@")[2] + slash + rest)
    if scp is not None:
        return normalise_url(f"ssh://{scp['host']}/{scp['path']}")
    if ":" in head and not _DRIVE.match(address):
        return _hide(address)
    return visible(f"file:///{_clean(posixpath.join(start, address))}")


def name_url(url: str) -> str:
    """Name a repository by its normalised address: `host/path`, or the beginning of a long one."""
    name = url.removeprefix("https://")
    if len(quote_name(name)) <= _LONGEST:
        return name
    kept = name
    while len(quote_name(kept)) > _LONGEST - 20:
        kept = kept[:-1]
    return f"{kept}~{digest(name.encode())[:16]}"


def quote_name(name: str) -> str:
    """Quote a name as part of a path: all but letters, digits, `.`, `-` and `_` as %XX."""
    return quote(name, safe="").replace("~", "%7E")


def _hide(address: str) -> str:
    return f"other:{digest(address.encode('utf-8', 'surrogateescape'))[:16]}"


def _clean(path: str) -> str:
    path = posixpath.normpath("/" + path.strip("/")).lstrip("/")
    return path.removesuffix(".git").rstrip("/")


def find_roots(repository: Repository, tip: str | None) -> tuple[str, ...]:
    """Find the commits without a parent that lead to `tip`; none known in a shallow clone."""
    if tip is None or repository.is_shallow:
        return ()
    asked = ("rev-list", "--max-parents=0", tip, "--")
    return tuple(sorted(repository.git(*asked, check=False).text.split()))
