"""commits.py: commits with ledger entries, honest or forged, made by git's plumbing alone."""

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import Options, plan
from hkgit.dialects import parse
from hkgit.edits import File, Read, Snapshot, Spec
from hkgit.errors import HkgitError
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, entry_id, entry_path, read_entry
from hkgit.evidence.replay import candidate_of
from hkgit.evidence.trailers import append_trailers, render_trailers
from hkgit.evidence.verdict import Verdict
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from tests.support.entries import as_json, recorded, written
from tests.support.objects import open_repository, reset_checkout, write_commit, write_tree
from tests.support.planning import protocol, replace_range
from tests.support.repos import IDENTITY, Repo

A = b"import sys\n\n\ndef main():\n    print(sys.argv)\n"
LINES = b"one\ntwo\nthree\nfour\nfive\n"
CRLF = b"one\r\ntwo\r\nthree"
TAKES_LATE = '[gate]\naccept = ["hash", "receipt", "late"]\n'
AGENT = "hkgit-agent <agent@example.org>"
PERSON = IDENTITY


@dataclass
class Change:
    """What a commit is made of; an attack alters it before it is committed.

    `entries` are JSON documents, each written under the name of its bytes. Without a message
    there is a subject with the trailers of the first entry that can be read.
    """

    files: dict[str, File | None] = field(default_factory=dict)
    entries: list[Any] = field(default_factory=list)
    message: str | None = None
    author: str = AGENT
    parents: Sequence[str] = ("HEAD",)

    @property
    def entry(self) -> Any:
        """The only entry."""
        [entry] = self.entries
        return entry

    @property
    def edit(self) -> Any:
        """The only edit of the only entry."""
        [edit] = self.entry["edits"]
        return edit

    @property
    def file(self) -> Any:
        """The only file of the only entry."""
        [file] = self.entry["files"]
        return file


def files_of(repo: Repo, rev: str = "HEAD") -> Snapshot:
    return open_repository(repo).snapshot(repo.resolve(rev))


def applied(
    repo: Repo,
    spec: Spec | str,
    *,
    reads: Iterable[Read] = (),
    relocate: bool = False,
    on: str = "HEAD",
    base: str | None = None,
) -> Change:
    """What hkgit makes of a spec on a commit: the files and their entry."""
    parsed = parse(spec) if isinstance(spec, str) else spec
    listed = tuple(reads)
    made = plan(parsed, files_of(repo, on), Options(relocate=relocate), listed)
    assert made.ok, made.first_error
    claims = {"agent": "tester/1", "time": 0}
    entry = recorded(parsed, made, base or repo.resolve(on), listed, claims)
    return Change(files_after(made), [as_json(entry)])


def joined(*changes: Change) -> Change:
    """One change with the files and entries of several, the later files over the earlier."""
    files = {path: file for change in changes for path, file in change.files.items()}
    return Change(files, [entry for change in changes for entry in change.entries])


def commit(repo: Repo, change: Change) -> str:
    """Commit a change on its parents with git's plumbing, and move HEAD there."""
    tree = tree_of(repo, change)
    made = commit_tree(repo, tree, change.parents, message_of(change), change.author)
    if not reset_checkout(repo, made):
        repo.git("reset", "-q", "--hard", made)
    return made


def tree_of(repo: Repo, change: Change) -> str:
    """The tree that the first parent becomes with the files and entries of a change."""
    ledger: dict[str, File | None] = {}
    if change.entries:
        ledger[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    for document in change.entries:
        data = written(document)
        ledger[entry_path(entry_id(data))] = File(data)
    files = {**ledger, **change.files}
    parent = change.parents[0] if change.parents else None
    made = write_tree(repo, parent, files)
    return _write_tree_by_git(repo, parent, files) if made is None else made


def _write_tree_by_git(repo: Repo, parent: str | None, files: Mapping[str, File | None]) -> str:
    index = {"GIT_INDEX_FILE": str(repo.path / ".git" / "scratch-index")}
    repo.git("read-tree", *(["--empty"] if parent is None else [parent]), env=index)
    lines = [_index_line(repo, *each) for each in files.items()]
    repo.git("update-index", "-z", "--index-info", stdin=b"".join(lines), env=index)
    return repo.git("write-tree", env=index)


def _index_line(repo: Repo, path: str, file: File | None) -> bytes:
    """Return what makes git's index hold a file, or no longer hold it."""
    name = os.fsencode(path) + b"\0"
    if file is None:
        return b"0 " + b"0" * len(repo.head) + b"\t" + name
    blob = repo.store(file.data)
    return f"{file.mode:o} {blob}\t".encode() + name


def commit_tree(
    repo: Repo, tree: str, parents: Sequence[str], message: bytes, author: str, *options: str
) -> str:
    """A commit of a tree, by anybody."""
    name, _, email = author.rstrip(">").partition(" <")
    made = None if options else write_commit(repo, tree, parents, message, name, email)
    if made is not None:
        return made
    env = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }
    listed = [word for parent in parents for word in ("-p", parent)]
    return repo.git("commit-tree", tree, *listed, *options, "-F", "-", stdin=message, env=env)


def message_of(change: Change) -> bytes:
    if change.message is not None:
        return change.message.encode()
    for document in change.entries:
        data = written(document)
        try:
            return append_trailers("Say", render_trailers(read_entry(data), entry_id(data)))
        except HkgitError:
            continue
    return b"Say\n"


def judge(repo: Repo, rev: str = "HEAD", policy: Policy | None = None) -> Ruling:
    """The gate's ruling on a commit."""
    opened = open_repository(repo)
    gate = Gate(opened, Policy() if policy is None else policy)
    return gate.judge(candidate_of(opened, opened.resolve(rev)))


def rejection(repo: Repo, rev: str = "HEAD", policy: Policy | None = None) -> str:
    """The rule by which a commit is rejected; that it is, is part of the question."""
    ruling = judge(repo, rev, policy)
    assert not ruling.passes, f"passed by: {ruling.rule}"
    return ruling.rule


def chain(repo: Repo, *texts: bytes, line: int = 1) -> list[Change]:
    """One change of a line of `f` for each step from one text to the next, each on the former."""
    changes = []
    start = repo.commit({"f": texts[0]}, "Start")
    for number, (old, new) in enumerate(itertools.pairwise(texts)):
        words = new.split(b"\n")[line - 1].decode()
        change = applied(repo, protocol(replace_range("f", old, line, line, words)))
        change.entry["claims"]["time"] = number
        commit(repo, change)
        changes.append(change)
    repo.git("reset", "-q", "--hard", start)
    return changes


def verdict(repo: Repo, rev: str = "HEAD", policy: Policy | None = None) -> Verdict:
    """The verdict on a commit that must pass; the findings of one that does not fail the test."""
    ruling = judge(repo, rev, policy)
    assert ruling.passes, ruling.findings
    return ruling.judged.verdict


def edited_thrice(repo: Repo) -> Repo:
    """Three commits of an agent, each of one line of `a.txt` and with its entry."""
    repo.commit({"a.txt": LINES}, "Begin")
    for line in (1, 3, 5):
        text = repo.read("a.txt")
        spec = protocol(replace_range("a.txt", text, line, line, f"line {line}"))
        commit(repo, applied(repo, spec))
    return repo
