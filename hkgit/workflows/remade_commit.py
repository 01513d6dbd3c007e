"""A commit made again so that evidence accounts for it: an existing one, or what is staged.

Its entries that still hold stay. What sessions edited gets theirs, where the commit was made past
git's hooks. What neither explains is read from the trees that git has: an agent's gets an entry
with `late` evidence, a person's stays by hand, in a commit of its own after it. Author, committer,
dates and message stay, and the commits after it follow.

Everything is written as objects first, and judged; of what is staged git makes the commits then,
with its hooks. The branch moves at the very end and in one step, so a crash before leaves it as it
was; the records in the checkout follow it, and a second call brings them along if a crash came
between.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from hkgit.applying.evidence import LATE, join_touched
from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import plan_changes
from hkgit.applying.outcome import FileChange, files_after
from hkgit.edits import File, Read, decode_text, encode_text
from hkgit.errors import BlindEdit, GitRefused, HkgitError, InvalidInput, Rejected
from hkgit.evidence.additions import list_ledger_files, read_new_entries
from hkgit.evidence.claims import complete_entry, make_claims, make_entry
from hkgit.evidence.entry import (
    ATTRIBUTES_PATH,
    Entry,
    entry_id,
    entry_path,
    is_ledgers,
    is_record,
)
from hkgit.evidence.kept_text import find_kept_text
from hkgit.evidence.refusal_log import RefusalLog, settle_refusals
from hkgit.evidence.replay import candidate_of, follow_entries
from hkgit.evidence.sequence import EntrySequence, order_entries
from hkgit.evidence.trailers import append_trailers, list_missing_lines
from hkgit.evidence.verdict import Entries, Verdict
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import find_blind_edits
from hkgit.gate.ruling import Ruling
from hkgit.git.objects import EMPTY_TREE, Commit, Files
from hkgit.git.program import Git
from hkgit.git.repository import FIRST_COMMIT, Repository
from hkgit.git.transaction.landing import find_unfinished, refuse_local_changes
from hkgit.git.transaction.transaction import settle_abandoned
from hkgit.matching.place import THRESHOLD
from hkgit.sessions.call_journal import list_waiting
from hkgit.sessions.commit_entries import ProposedEntry, propose
from hkgit.sessions.commit_message import name_entries
from hkgit.sessions.stage import lock_all
from hkgit.sessions.waiting_edits import open_journals
from hkgit.text.document import Document, terminate
from hkgit.text.escape import count_noun
from hkgit.text.paths import quote_path
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, replace
from hkgit.workflows.adoption import Transcripts, propose_recovered, store_checkout, store_tree
from hkgit.workflows.landing_policy import refuse_ruling
from hkgit.workflows.merge_plan import MergePlan, find_merging, write_tree_on
from hkgit.workflows.target import read_landing_policy
from hkgit.workflows.worktree_commit import begin_commits

NOT_ACCEPTED = (
    "What is read after the change is `late` evidence. Make the change again in a session that"
    " reads first, or let a person vouch for it (`hkgit help vouched`), or accept `late` in the"
    " policy."
)
_LEAVE = "Nothing was changed. Undo that change, or let a person vouch for it."
_NO_GRANT = "Only people with a [[gate.manual]] grant for these paths may vouch."
_WAYS = (
    "`hkgit redo {commit}` also takes -m MESSAGE, --vouch from a person with a [[gate.manual]] for"
    " these paths, or --patch FILE: git diff {commit}^ {commit} -- ':!/.hkgit/ledger' >FILE, then"
    " fix it."
)
_AUTHOR = rb"(?m)^author (.*) <(.*)> (\d+ [+-]\d+)$"
_SIGNATURE = rb"(?m)^gpgsig(?:-sha256)? .*\n(?: .*\n)*"
_OURS = rb"(?mi)^hkgit-(?!vouched-by:).*\n?"
_MOST_SEARCHED = 1000


@dataclass(frozen=True)
class RemakeRequest:
    """The commit to make again; `agent` says whose it is, and `message` is a new one.

    Without a `commit` it is what is staged, all an agent's: at these `paths`, as git takes them
    where the repository was opened, or in a `tree` that git was about to commit. With a `patch` it
    changes what that says instead. With `transcripts` of agents, what they explain gets `recovered`
    entries. With `vouches` whoever asks takes it upon himself, as it is: committed and signed by
    him.
    """

    commit: str | None = None
    paths: tuple[str, ...] = ()
    tree: str | None = None
    agent: str | None = None
    message: str | None = None
    patch: bytes | None = None
    transcripts: Transcripts | None = None
    vouches: bool = False


@dataclass
class Remade:
    """What is in place of a commit: itself where there is nothing to make again.

    It `is_gone` where it changed nothing but the ledger; `commit` is its parent then.

    `commits` are the new ones, in order; the last of them has the files of the old one. Of their
    entries `kept` are those that the old one had, by id, `recorded` those of sessions, `recovered`
    those of transcripts, and `late` those read from trees. `unsigned` are the commits whose
    signature was left out, since it would be wrong, and `elsewhere` the other branches and tags
    that have the old commit.
    """

    commit: str
    commits: list[str] = field(default_factory=list)
    is_gone: bool = False
    kept: list[str] = field(default_factory=list)
    recorded: list[ProposedEntry] = field(default_factory=list)
    recovered: list[ProposedEntry] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    by_hand: str | None = None
    unsigned: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def document(self) -> JsonObject:
        """It as JSON (`hkgit schema redo`)."""
        return {
            "status": "remade" if self.commits or self.is_gone else "unchanged",
            "commit": self.commit,
            "commits": self.commits,
            "by_hand": self.by_hand,
            "kept": self.kept,
            "recorded": [each.name for each in self.recorded],
            "recovered": [each.name for each in self.recovered],
            "late": self.late,
            "unsigned": [*self.unsigned],
            "elsewhere": [*self.elsewhere],
        }


def remake(repository: Repository, request: RemakeRequest) -> Remade:
    """Make a commit of HEAD's history again, or what is staged. One that passes as it is stays.

    Raises GitRefused, InvalidInput and whatever the policy has against it; then nothing changed.
    """
    if repository.is_bare:
        raise GitRefused("hkgit redo", "a bare repository has no checkout", "Run this in a clone.")
    if request.message is not None and not request.message.strip():
        raise InvalidInput("--message", "is empty", "Say what the commit does, or leave it out.")
    if request.commit is None:
        old = _write_staged(repository, request)
        now, head = old.parents[0], old.id
    else:
        old, now = _find_standing(repository, request.commit)
        head = now
    base = old.parents[0] if old.parents else old.id
    branch = repository.head().branch or "HEAD"
    policy = read_landing_policy(repository, branch, base)
    if request.commit is None and request.agent is None:
        named = policy.governing_name((old.author, old.committer), old.message) or "unknown"
        request = replace(request, agent=named.partition(" <")[0])
    is_free = all(each is None for each in (request.agent, request.message, request.patch))
    if is_free and _is_settled(repository, policy, old):
        _restore_records(repository, head)
        return Remade(old.id)
    target = old.tree
    if request.patch is not None:
        before = repository.snapshot(next(iter(old.parents), None)).tree_id
        options = ("--cached", "--whitespace=nowarn")
        target = store_tree(repository, before, "apply", *options, "-", stdin=request.patch)
    remaking = _Remaking(
        repository=repository,
        policy=policy,
        request=request,
        old=old,
        target=target,
        made=Remade(old.id),
    )
    try:
        made = remaking.run()
    except HkgitError as error:
        if not remaking.made.kept:
            raise
        try:
            made = replace(remaking, made=Remade(old.id), keeps=False).run()
        except HkgitError:
            raise error from None
    if request.commit is None:
        _commit_by_git(repository, made, now)
    carried = _carry_later(repository, old, made.commit, head)
    new_head = carried[head]
    made.is_gone = not made.commits
    made.elsewhere = _find_elsewhere(repository, old.id, branch)
    trees = (repository.commit(each).tree for each in (head, new_head))
    changed = [each.path for each in repository.changes(*trees)]
    _expect_unchanged(repository, [path for path in changed if not is_ledgers(path)])
    repository.git("update-ref", "-m", f"hkgit redo: {old.id[:12]}", "HEAD", new_head, now)
    if request.commit is None:
        _restore_records(repository, new_head)
        paths = ("--", *request.paths) if request.paths else ()
        _find_git(repository)("reset", "-q", *paths)  # the files, with what is not staged, stay
    else:
        _bring_along(repository, new_head, changed)
    _note_recorded(repository, made.recorded)
    settle_refusals(repository, made.late, new_head)
    signed = (each for each in carried if re.search(_SIGNATURE, repository.commit(each).raw))
    made.unsigned = tuple(signed)
    return made


def _write_staged(repository: Repository, request: RemakeRequest) -> Commit:
    """Write the commit that git would make. Raises GitRefused, and InvalidInput where it is none.

    Nothing names it: it is the one that is made again.
    """
    settle_abandoned(repository)
    head = repository.head().commit
    if head is None:
        what = "there is no commit yet to make it on"
        raise GitRefused("hkgit redo", what, FIRST_COMMIT)
    merged = repository.merge_heads()
    if merged and request.paths:
        what = "git makes no commit of a part of a merge"
        raise GitRefused("hkgit redo", what, "Leave the paths out, and stage what is resolved.")
    tree = _find_tree(repository, request.tree)
    paths = _list_staged(repository, head, tree, request.paths)
    if not paths and not merged and request.tree is None:
        tree = store_checkout(repository, "-u")  # as after `git commit -a`, which stages for itself
        paths = _list_staged(repository, head, tree, request.paths)
    if not paths and not merged:
        _restore_records(repository, head)
        where = ", ".join(map(quote_path, request.paths)) or "hkgit redo"
        what = (
            "names no commit, and nothing is staged there" if request.paths else "nothing is staged"
        )
        raise InvalidInput(where, what, "Stage it first: git add FILE")
    if request.paths and request.tree is None:  # each names something, as `git commit` asks, too
        known = ("ls-files", "--error-unmatch", "--with-tree=HEAD", "--", *request.paths)
        _find_git(repository)(*known)
    if request.paths:
        before, after = repository.commit(head).tree, repository.snapshot(tree)
        own = (each.path for each in repository.changes(before, tree) if is_ledgers(each.path))
        tree = repository.write_tree(before, {path: after.entry(path) for path in (*paths, *own)})
    names = paths if len(paths) == 1 else [count_noun(len(paths), "file")]
    words = request.message or _read_prepared_message(repository) or f"Change {names[0]}"
    parents = (word for parent in (head, *merged) for word in ("-p", parent))
    message = encode_text(f"{words}\n")
    return repository.commit(repository.git("commit-tree", *parents, tree, stdin=message).text)


def _list_staged(
    repository: Repository, head: str, tree: str, paths: Sequence[str]
) -> tuple[str, ...]:
    """List the files in which a tree differs from a commit, of those at some paths for git."""
    options = ("-r", "--name-only", "-z", "--no-renames")
    listed = _find_git(repository)("diff-tree", *options, head, tree, "--", *paths).words
    return tuple(path for path in listed if not is_ledgers(path))


def _find_git(repository: Repository) -> Git:
    """Find git in the directory where the user is: paths are named from there."""
    here, root = repository.start.resolve(), repository.work_tree
    is_inside = root is not None and here.is_relative_to(root)
    return replace(repository.git, cwd=here) if is_inside else repository.git


def _find_tree(repository: Repository, name: str | None) -> str:
    """Find the tree of that name, by default the index's. Raises InvalidInput where it is none."""
    if name is None:
        return repository.index_tree()
    found = repository.git("rev-parse", "--verify", "--quiet", f"{name}^{{tree}}", check=False)
    if found.code != 0:
        raise InvalidInput(
            "--tree", f"{name} is not a tree of this repository", "Commit again for a new one."
        )
    return found.text


def _read_prepared_message(repository: Repository) -> str | None:
    """Read the message that git has prepared for a merge, a cherry-pick or a revert."""
    try:
        raw = (repository.git_dir / "MERGE_MSG").read_bytes()
    except OSError:
        return None
    return repository.git("stripspace", "--strip-comments", stdin=raw).text or None


def _find_standing(repository: Repository, name: str) -> tuple[Commit, str]:
    """Find the commit, or the one that has taken its place, and HEAD. Raises GitRefused."""
    if repository.remembers("BISECT_LOG"):
        raise GitRefused("hkgit redo", "a bisect is under way", "End it first: git bisect reset")
    commit, head = repository.commit(repository.resolve(name)), repository.head().commit
    if head is not None and not repository.is_ancestor(commit.id, head):
        commit = _find_made_again(repository, commit, head) or commit
    if head is None or not repository.is_ancestor(commit.id, head):
        under_way = next(find_unfinished(repository), None)
        what, fix = "is not in the history of HEAD", "Switch to the branch that it is on."
        if under_way is not None:
            what, fix = f"{what}, and {under_way} is under way", "End that first (see git status)."
        raise GitRefused(name, what, fix)
    if commit.is_boundary:
        what = "its parent is not in this shallow clone"
        raise GitRefused(name, what, "git fetch --unshallow")
    return commit, head


def _find_made_again(repository: Repository, commit: Commit, head: str) -> Commit | None:
    """Find the commit that has taken the place of one: of the same author, date and files."""
    authors = re.findall(_AUTHOR, commit.raw)
    listed = repository.git("rev-list", f"--max-count={_MOST_SEARCHED}", head).text.split()
    for other in map(repository.commit, listed):
        if re.findall(_AUTHOR, other.raw) == authors:
            changes = repository.changes(commit.tree, other.tree)
            if all(is_ledgers(each.path) for each in changes):
                return other
    return None


def _is_settled(repository: Repository, policy: Policy, commit: Commit) -> bool:
    """Whether a commit passes, and nothing of it is better left out or added.

    Its entries keep no text that is in no file; one without entries holds no session's edits.
    """
    ruling = _judge(repository, policy, commit.id)
    judged = ruling.judged
    if not ruling.passes or ruling.findings or judged.verdict is Verdict.PRUNE:
        return False  # whether a prune comes too early is known to the ref that it is for
    if not judged.entries and len(commit.parents) == 1:
        start = repository.commit(commit.parents[0]).tree
        return not _propose_of_sessions(repository, policy, start, commit.tree)
    return not find_kept_text(repository, commit.tree, commit.parents, judged.entries)


def _propose_of_sessions(
    repository: Repository, policy: Policy, start: str, tree: str
) -> tuple[ProposedEntry, ...]:
    """Propose entries of what the checkout's sessions have edited and no commit has.

    None where one is blind, so that the commit is judged as if they were not there.
    """
    journals = open_journals(repository)
    found = propose(repository, list_waiting(journals), start, tree).entries
    return () if any(any(find_blind_edits(policy, each.entry)) for each in found) else found


def _expect_unchanged(repository: Repository, paths: Sequence[str]) -> None:
    """Raise GitRefused where a file that is to change has local changes."""
    literal = [f":(top,literal){path}" for path in paths]
    asked = ("diff-index", "--name-only", "-z", "--no-renames", "HEAD", "--", *literal)
    changed = repository.git(*asked).words if paths else ()
    if changed:
        raise refuse_local_changes(changed)


def _judge(repository: Repository, policy: Policy, commit: str) -> Ruling:
    gate = Gate(repository, policy, JudgeContext(on_client=True))
    return gate.judge(candidate_of(repository, commit))


@dataclass
class _Remaking:
    """Makes one commit again, as objects alone, and notes in `made` what is in its place.

    `target` is the tree that it has, but for records. Without `keeps` no entry stays.
    """

    repository: Repository
    policy: Policy
    request: RemakeRequest
    old: Commit
    target: str
    made: Remade
    keeps: bool = True

    def run(self) -> Remade:
        """Make it, and ask the judge. Raises what refuses it, with the other ways there are."""
        try:
            if self.request.vouches:
                self._vouch()
            else:
                # Below one without a parent comes an empty one, so that its files have a base.
                tip, *others = self.old.parents or (
                    _write_like(self.repository, self.old, EMPTY_TREE, (), b"Begin\n"),
                )
                for other in others:
                    tip = self._merge(tip, other)
                self.made.commit = self._account(tip)
            self._expect_same()
            for commit in self.made.commits:
                self._expect_passing(commit)
        except HkgitError as error:
            if self.request.commit is not None and not self.request.vouches:
                error.advise(_WAYS.format(commit=self.old.id[:12]))
            raise
        return self.made

    def _merge(self, tip: str, other: str) -> str:
        """Merge as git does; what comes beside it is a commit after the merge."""
        with self.repository.merge((tip, other)) as merged:
            if not merged.conflicts:
                self.repository.git("unpack-objects", "-q", stdin=merged.pack_objects())
                return self._add(merged.tree, (tip, other), ())
        if len(self.old.parents) > 2:
            what, fix = "merges several commits at once", "Merge them one by one."
            raise GitRefused(self.request.commit or "hkgit redo", what, fix)
        return self._account(tip, find_merging(self.repository, other, "HEAD", tip))

    def _account(self, tip: str, merging: MergePlan | None = None) -> str:
        """Make a commit on a tip whose entries explain all that no person did by hand."""
        start = self.repository.commit(tip).tree
        paths = self._list_changed(start)
        if merging is not None:
            paths &= {*merging.conflicts}
        entries = self._find_holding(tip, paths)
        files = self._follow(tip, entries).list_changed()
        middle = self.repository.write_tree(start, files)
        if merging is None:
            entries += self._propose(tip, middle)
            files = self._follow(tip, entries).list_changed()
            middle = self.repository.write_tree(start, files)
        left = self._list_changed(middle) & (paths | files.keys())
        late = dict(self._share(left))
        for agent, theirs in late.items():
            entry, changed = self._make_late(tip, middle, agent, theirs)
            entries.append(entry)
            files |= changed
            middle = self.repository.write_tree(middle, changed)
        if entries or merging is not None:
            records = list_ledger_files(entries, self.repository.snapshot(tip))
            tree = write_tree_on(self.repository, tip, merging, {**files, **records})
            parents = (tip,) if merging is None else (tip, merging.commit)
            tip = self._add(tree, parents, entries)
        if merging is None and left - set().union(*late.values()):
            tree = self.repository.commit(tip).tree
            after = self.repository.snapshot(self.target)
            by_hand = {path: after.entry(path) for path in self._list_changed(tree)}
            tip = self._add(self.repository.write_tree(tree, by_hand), (tip,), ())
            self.made.by_hand = tip
        return tip

    def _vouch(self) -> None:
        """Make the same commit as that of a person who is named in it; false entries go."""
        kept = told = self._list_entries()
        tip = next(iter(self.old.parents), None)
        paths = self._list_changed(self.repository.snapshot(tip).tree_id)
        if not any(grant.covers([*paths]) for grant in self.policy.manual):
            where = ", ".join(map(quote_path, sorted(paths)))
            raise Rejected(where, f"{self.policy.source} grants nobody all of it", _NO_GRANT)
        if tip is not None:
            kept = self._find_holding(tip, paths)
        gone: Files = {entry_path(each[0]): None for each in told if each not in kept}
        tree = self.repository.write_tree(self.old.tree, gone)
        person = self.repository.identity("COMMITTER")
        lines = (*name_entries(kept), f"Hkgit-Vouched-by: {person}")
        message = append_trailers(decode_text(self._choose_words()), lines)
        self.made.commit = _write_signed(self.repository, self.old, tree, message)
        self.made.commits.append(self.made.commit)

    def _list_changed(self, tree: str) -> set[str]:
        """List the files in which the old commit differs from a tree."""
        changes = self.repository.changes(tree, self.target)
        return {each.path for each in changes if not is_ledgers(each.path)}

    def _list_entries(self) -> Entries:
        """List the entries that the old commit adds; none that cannot be read."""
        return read_new_entries(self.repository, self.old.parents, self.old.tree)

    def _follow(self, tip: str, entries: Entries) -> EntrySequence:
        """Put entries on a tip, one after the other."""
        found = candidate_of(self.repository, self.old.id)
        candidate = replace(found, id=None, parents=(tip,), tree=self.target)
        return follow_entries(self.repository, candidate, entries)

    def _find_holding(self, tip: str, paths: AbstractSet[str]) -> list[tuple[str, Entry]]:
        """Find the entries that explain what the commit still has."""
        told = self._list_entries() if self.keeps else ()
        kept_text = find_kept_text(self.repository, self.target, (tip,), told)
        taken_back = {each.entry for each in kept_text}
        good = [
            (name, entry)
            for name, entry in told
            if name not in {*taken_back, *self.made.kept}
            and (self.request.vouches or not any(find_blind_edits(self.policy, entry)))
            and dict(entry.needs).keys() <= paths
        ]
        if self._follow(tip, good).findings:
            holding: list[tuple[str, Entry]] = []
            for each in order_entries(good, self.repository.snapshot(tip)):
                if not self._follow(tip, (*holding, each)).findings:
                    holding.append(each)
            good = holding
        self.made.kept += [name for name, _ in good]
        return good

    def _propose(self, tip: str, middle: str) -> Iterator[tuple[str, Entry]]:
        """Propose entries of what transcripts explain of the rest, or of what sessions recorded."""
        transcripts = self.request.transcripts
        if transcripts is None:
            found = _propose_of_sessions(self.repository, self.policy, middle, self.target)
        else:
            found = propose_recovered(self.repository, transcripts, self.old.id, middle).entries
        proposed = self.made.recorded if transcripts is None else self.made.recovered
        for each in found:
            entry = replace(each.entry, base=tip)
            proposed.append(replace(each, entry=entry, name=entry_id(entry.to_bytes())))
            yield proposed[-1].name, entry

    def _share(self, left: AbstractSet[str]) -> Iterator[tuple[str, AbstractSet[str]]]:
        """Tell which agent changed which of the files that no entry explains; the rest by hand.

        An agent's commit is all its own. In a person's, so are the files of entries that do not
        hold; where the policy governs everybody the rest is the author's.
        """
        told = self._list_entries()
        policy, old = self.policy, self.old
        governing = policy.governing_name((old.author, old.committer), old.message)
        named = next((entry.agent for _, entry in reversed(told)), governing or old.author)
        agent = self.request.agent or named.partition(" <")[0]
        gone = (entry for name, entry in told if name not in self.made.kept)
        lost = {path for entry in gone for path, _ in entry.needs}
        theirs = left
        if self.request.agent is None and governing is None:
            theirs = left & lost
            if policy.govern == "all" and left - lost:
                yield old.author.partition(" <")[0], left - lost
        if theirs:
            yield agent, theirs

    def _make_late(
        self, tip: str, middle: str, agent: str, paths: AbstractSet[str]
    ) -> tuple[tuple[str, Entry], dict[str, File | None]]:
        """Make the entry for what a tree becomes at some paths. Raises HkgitError."""
        before, after = map(self.repository.snapshot, (middle, self.target))
        changes = compare_files(before.get, after.get, sorted(paths))
        if not changes:
            where = ", ".join(map(quote_path, sorted(paths)))
            raise InvalidInput(where, "changes in a way that no edit can express", _LEAVE)
        reads = tuple(_make_late_reads(changes, is_tight=self.policy.asks_for_tightness))
        try:
            found = plan_changes(changes, before, reads)
        except HkgitError as error:
            if not error.fix:
                error.advise(_LEAVE)
            raise
        refused = RefusalLog.of(self.repository.common_dir).make_claims(agent, found.spec.edits)
        claims = make_claims(agent, int(time.time()), refusals=refused)
        entry = complete_entry(make_entry(found, THRESHOLD), tip, claims)
        name = entry_id(entry.to_bytes())
        self.made.late.append(name)
        return (name, entry), files_after(found.plan)

    def _add(self, tree: str, parents: Sequence[str], entries: Entries) -> str:
        """Write one of the commits, with the trailers of its entries."""
        words = self._choose_words()
        if entries:
            told = entries if self.policy.assisted_by == "require" else ()
            credit = list_missing_lines([each for _, each in told], words)
            text = decode_text(words).strip("\n") or "No message"
            words = append_trailers(text, (*credit, *name_entries(entries)))
        commit = _write_like(self.repository, self.old, tree, parents, words)
        self.made.commits.append(commit)
        return commit

    def _choose_words(self) -> bytes:
        """The message without the trailers of entries."""
        words = self.old.message
        if self.request.message is not None:
            words = encode_text(f"{self.request.message}\n")
        return re.sub(_OURS, b"", words)

    def _expect_same(self) -> None:
        """Raise InvalidInput where not all of the old commit is there: edits say no line ends."""
        differing = sorted(self._list_changed(self.repository.commit(self.made.commit).tree))
        if differing:
            what = "changes line ends or a byte order mark, which no edit can express"
            raise InvalidInput(", ".join(map(quote_path, differing)), what, _LEAVE)

    def _expect_passing(self, commit: str) -> None:
        """Raise what the policy has against a commit, where it is enforced."""
        error = refuse_ruling(self.policy, _judge(self.repository, self.policy, commit))
        if error is None or self.policy.mode != "enforce":
            return
        is_blind = isinstance(error, BlindEdit)
        raise BlindEdit(error.where, error.what, NOT_ACCEPTED) if is_blind else error


def _commit_by_git(repository: Repository, made: Remade, start: str) -> None:
    """Let git make the commits that were written, so that hooks and signature are as ever."""
    branch, made.commit = repository.head().branch or "HEAD", start
    with begin_commits(repository, branch, start, checkout=False) as begun:
        for number, each in enumerate(map(repository.commit, made.commits)):
            tip = made.commit
            changes = repository.changes(repository.commit(tip).tree, each.tree)
            paths = [change.path for change in changes]
            made.commit = begun.commit(tip, each.tree, paths, each.message, *each.parents[1:])
            made.commits[number] = made.commit


def _make_late_reads(changes: Iterable[FileChange], *, is_tight: bool) -> Iterator[Read]:
    """Read files as they were: whole, or just what a change replaces, or the line beside it."""
    for change in changes:
        base = terminate(Document.of(change.before))
        hunks = change.hunks if is_tight and base.line_count else ()
        for hunk in hunks:
            lines = join_touched([(hunk.start_line, hunk.end_line)])
            yield Read(change.name, *lines, range_hash=base.range_hash(*lines), kind=LATE)
        if not hunks:
            yield Read(change.name, None, None, range_hash=base.whole_hash, kind=LATE)


def _write_like(
    repository: Repository, old: Commit, tree: str, parents: Sequence[str], message: bytes
) -> str:
    """Write a commit with another tree and parents, without a signature, which would be wrong."""
    header = old.raw.partition(b"\n\n")[0] + b"\n"
    kept = re.sub(_SIGNATURE, b"", header[header.index(b"author ") :])
    lines = (f"tree {tree}", *(f"parent {each}" for each in parents))
    raw = b"".join(line.encode() + b"\n" for line in lines) + kept + b"\n" + message
    return repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw).text


def _write_signed(repository: Repository, old: Commit, tree: str, message: bytes) -> str:
    """Write a commit of the same author on the same parents, committed and signed by oneself."""
    found = re.search(_AUTHOR, old.raw)
    named = [] if found is None else map(os.fsdecode, found.groups())
    env = dict(zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"), named, strict=False))
    parents = (word for parent in old.parents for word in ("-p", parent))
    return repository.git("commit-tree", "-S", *parents, tree, stdin=message, env=env).text


def _carry_later(repository: Repository, old: Commit, new: str, head: str) -> dict[str, str]:
    """Write the commits after one again, on their new parents and with the new records.

    Return the new one of each, the first among them.
    """
    trees = old.tree, repository.commit(new).tree
    before, after = map(repository.snapshot, trees)
    paths = [each.path for each in repository.changes(*trees)]
    names = {old.id: new}
    options = ("--topo-order", "--reverse", "--ancestry-path")
    for each in repository.git("rev-list", *options, f"{old.id}..{head}").text.split():
        commit = repository.commit(each)
        files = repository.snapshot(commit.tree)
        changed = {}
        for path in paths:
            file = after.get(path)
            if files.get(path) == before.get(path):
                changed[path] = file
            elif not is_ledgers(path) and files.get(path) != file:
                what = f"is changed once more by {each[:12]}"
                raise InvalidInput(quote_path(path), what, "Change it in a separate commit.")
        tree = repository.write_tree(commit.tree, changed)
        parents = [names.get(parent, parent) for parent in commit.parents]
        names[each] = _write_like(repository, commit, tree, parents, commit.message)
    return names


def _bring_along(repository: Repository, head: str, paths: Sequence[str]) -> None:
    """Bring paths in index and checkout to what HEAD has; all else stays as it is."""
    if paths:
        stdin = b"\0".join(f":(top,literal){each}".encode() for each in paths)
        chosen = ("--pathspec-from-file=-", "--pathspec-file-nul")
        source = f"--source={head}"
        repository.git("restore", source, "--staged", "--worktree", *chosen, stdin=stdin)


def _note_recorded(repository: Repository, recorded: Sequence[ProposedEntry]) -> None:
    """Tell the sessions which entries HEAD has of their edits."""
    if recorded:
        journals = open_journals(repository)
        with lock_all(journals):
            for journal in journals:
                made = {each.name: each.list_edits(journal) for each in recorded}
                journal.record({**journal.recorded, **made})


def _restore_records(repository: Repository, head: str) -> None:
    """Restore the records in which the index is not HEAD's, as a crash may have left them."""
    options = ("--cached", "--name-status", "--diff-filter=AD", "-z", "--no-renames")
    words = iter(repository.git("diff-index", *options, "HEAD", "--", ":/.hkgit").words)
    lagging = zip(words, words, strict=True)
    lost = ("D", ATTRIBUTES_PATH)  # attributes that are staged only now are somebody's
    paths = [path for state, path in lagging if is_record(path) or (state, path) == lost]
    _bring_along(repository, head, paths)


def _find_elsewhere(repository: Repository, commit: str, branch: str) -> tuple[str, ...]:
    """Find the branches and tags, but for the one that moves, that have a commit."""
    listed = ("for-each-ref", "--format=%(refname:short)", f"--contains={commit}")
    found = repository.git(*listed, "refs/heads", "refs/remotes", "refs/tags").text.split("\n")
    return tuple(each for each in found if each and each != branch)
