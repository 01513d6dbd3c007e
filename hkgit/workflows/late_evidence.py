"""A commit made again with evidence, where no transcript has any: of what is staged, or standing.

The change is read from the trees that git has, applied to its base beside the branch with the
hashes of the files as they were, and the branch moves there. No file of the checkout is touched but
the records of hkgit. In the middle of a merge git's merge is made again, and what is staged in its
conflicts resolves them.

Where a commit that stands is made again, its author, dates and message are kept. Those after it
keep all but their parents and what it brings to the ledger.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hkgit import dialects
from hkgit.applying.evidence import LATE, NO_LINES
from hkgit.edits import File, Read, Spec
from hkgit.errors import GitRefused, InvalidInput
from hkgit.evidence.entry import ATTRIBUTES_PATH, LEDGER, digest
from hkgit.gate.fix_facts import hash_hunks
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.objects import EMPTY_TREE, Commit
from hkgit.git.repository import FIRST_COMMIT, Repository
from hkgit.git.transaction.landing import UNDER_WAY
from hkgit.text.document import Document, terminate
from hkgit.text.paths import quote_path
from hkgit.values import dataclass, late_pattern, replace
from hkgit.workflows.adoption import store_checkout
from hkgit.workflows.application import ApplyRequest, ApplyResult, advise, apply
from hkgit.workflows.commit_plan import SILENT, Progress
from hkgit.workflows.merge_plan import find_merging
from hkgit.workflows.target import ApplyOptions

_OWN = (f":(top,exclude){LEDGER}", f":(top,exclude){ATTRIBUTES_PATH}")
"""What hkgit itself writes is no part of a change."""

_NOT_ACCEPTED = (
    "What is read after the change is `late` evidence. Make the change again in a session that"
    " reads first, or let a person vouch for it (docs/verdicts.md), or accept `late` in the policy."
)
_TOLD = late_pattern(rb"(?m)^Hkgit-Agent: (.+)$")
_ADDS = late_pattern(rb"(?m)^@@ -\d+,0 ")
_PERSON = rb"(?m)^%s (.*) (\d+ [+-]\d+)$"
_SIGNATURE = late_pattern(rb"(?m)^gpgsig(?:-sha256)? .*\n(?: .*\n)*")


@dataclass(frozen=True, slots=True)
class RedoRequest:
    """A commit of what is staged, by `agent` and with `message`; None where nothing was asked.

    `tree` is one that git was about to commit: of `git commit -a` or of some paths. With `paths`,
    as git takes them, the rest stays staged. `commit` is one that stands, to be made again instead.
    """

    agent: str | None = None
    message: str | None = None
    tree: str | None = None
    paths: tuple[str, ...] = ()
    commit: str | None = None


def redo(repository: Repository, request: RedoRequest, progress: Progress = SILENT) -> ApplyResult:
    """Commit what is staged, with the hashes of the files as they were as its evidence.

    Refusals stand in the result; then nothing has changed. Raises InvalidInput where nothing is
    staged, GitRefused where there is no commit to build on.
    """
    if repository.is_bare:
        raise GitRefused("hkgit redo", "a bare repository stages nothing", "Run this in a clone.")
    if request.commit is not None:
        return _redo_commit(repository, request, request.commit, progress)
    head = repository.head()
    if head.commit is None:
        what = "there is no commit yet to make it on"
        raise GitRefused("hkgit redo", what, FIRST_COMMIT)
    other = _find_merged_side(repository, request)
    paths = request.paths or (":/",)
    if other is not None:
        merging = find_merging(repository, other, head.branch or "HEAD", head.commit)
        paths = tuple(f":(top,literal){path}" for path in merging.conflicts)
    tree, diff = _find_change(repository, head.commit, request.tree, paths)
    spec = replace(dialects.parse(diff, "unified-diff"), digest=digest(diff))
    branch = f"again-{tree[:12]}"
    options = ApplyOptions(
        branch=branch,
        base=head.commit,
        merge=other,
        agent=request.agent,
        message=request.message or _read_prepared_message(repository),
        reads=tuple(_reads(repository, head.commit, tree, paths, {e.path for e in spec.edits})),
    )
    result = _apply_beside(repository, spec, options, progress)
    if result.error is None:
        try:
            _expect_same(repository, branch, tree, paths)
            _move_head(repository, branch, request.paths)
        finally:
            repository.delete_ref(f"refs/heads/{branch}")
    return result


def _apply_beside(
    repository: Repository, spec: Spec, options: ApplyOptions, progress: Progress
) -> ApplyResult:
    """Apply a spec on a branch of its own; say what helps where such evidence does not count."""
    repository.delete_ref(f"refs/heads/{options.branch}")
    result = apply(repository, ApplyRequest((spec,), options), progress)
    return advise(result, _NOT_ACCEPTED)


def _redo_commit(
    repository: Repository, request: RedoRequest, name: str, progress: Progress
) -> ApplyResult:
    """Make a commit that stands again, and move those after it onto that.

    Refusals stand in the result; then nothing has changed. Raises GitRefused, InvalidInput.
    """
    again = _find_made_again(repository, name)
    if again is not None:
        progress.say(f"{name[:12]} was made again already: it is {again[:12]} now")
        return ApplyResult()
    standing = _find_standing(repository, name)
    commit = standing.commit
    if len(commit.parents) > 2:
        what, fix = "merges several commits at once", "Merge them one by one."
        raise GitRefused(name, what, fix)
    base, other, paths = _find_base(repository, commit)
    spec_text = _diff(repository, base, commit.tree, paths)
    if not spec_text:
        raise InvalidInput(name, "changes nothing but the ledger", "git revert takes it back.")
    spec = replace(dialects.parse(spec_text, "unified-diff"), digest=digest(spec_text))
    policy = read_trusted_policy(repository, base)
    people = commit.author, commit.committer
    agent = policy.governing_name(people, commit.message) or commit.author
    branch = f"again-{commit.id[:12]}"
    options = ApplyOptions(
        branch=branch,
        base=base,
        merge=other,
        agent=request.agent or _find_told_agent(commit.message) or agent.partition(" <")[0],
        message=request.message or standing.message,
        reads=tuple(_reads(repository, base, commit.tree, paths, {e.path for e in spec.edits})),
    )
    result = _apply_beside(repository, spec, options, progress)
    if result.error is None:
        try:
            _expect_same(repository, branch, commit.tree, (":/",))
            again = _rebuild(repository, standing, result.landed[-1].commit)
        finally:
            repository.delete_ref(f"refs/heads/{branch}")
        landed = (*result.landed[:-1], replace(result.landed[-1], commit=again))
        result = replace(result, landed=landed)
    return result


def _find_base(repository: Repository, commit: Commit) -> tuple[str, str | None, tuple[str, ...]]:
    """Find on what a commit is made again, what is merged into it, and the paths of its edits.

    What comes beside a merge that git makes by itself is a commit after that merge.
    """
    if not commit.parents:
        return repository.git("commit-tree", "-m", "Begin", EMPTY_TREE).text, None, (":/",)
    if len(commit.parents) == 1:
        return commit.parents[0], None, (":/",)
    ours, other = commit.parents
    merged = repository.automatic_merge(commit.parents)
    if merged is not None:
        message = repository.git("log", "-1", "--format=%B", commit.id).text
        made = ("commit-tree", "-p", ours, "-p", other, "-m", message or "Merge", merged)
        return repository.git(*made).text, None, (":/",)
    conflicts = repository.attempt_merge((ours, other)).conflicts
    return ours, other, tuple(f":(top,literal){path}" for path in conflicts)


def _find_told_agent(message: bytes) -> str | None:
    """Find the agent that the trailers of an entry name."""
    found = _TOLD.findall(message)
    return found[-1].decode("utf-8", "replace").strip() if found else None


def _find_change(
    repository: Repository, head: str, named: str | None, paths: Sequence[str]
) -> tuple[str, bytes]:
    """Find the tree to be committed, and its diff from HEAD. Raises InvalidInput for no diff."""
    difference = partial(_diff, repository, head)
    tree = _find_named_tree(repository, named) or repository.index_tree()
    diff = difference(tree, paths)
    if not diff and named is None:  # as after `git commit -a`, which stages for itself alone
        tree = store_checkout(repository, "-u")
        diff = difference(tree, paths)
    if not diff:
        raise InvalidInput("hkgit redo", "nothing is staged", "Stage it first: git add FILE")
    return tree, diff


def _diff(repository: Repository, head: str, tree: str, paths: Sequence[str]) -> bytes:
    """Compare HEAD and a tree, with as few lines around changes as a floor of tightness asks for.

    Lines that are only added stand beside one, which tells where.
    """
    context = _choose_context(repository, head, tree, paths)
    return _compare(repository, head, tree, paths, *([] if context is None else [f"-U{context}"]))


def _choose_context(
    repository: Repository, head: str, tree: str, paths: Sequence[str]
) -> int | None:
    """Choose how many lines stand around a change; None for as many as git shows."""
    if not read_trusted_policy(repository, head).asks_for_tightness:
        return None
    return int(_ADDS.search(_compare(repository, head, tree, paths, "-U0")) is not None)


def _compare(
    repository: Repository, head: str, tree: str, paths: Sequence[str], *options: str
) -> bytes:
    # The plumbing command heeds no settings of the user's, such as diff.external or colours.
    compare = partial(repository.git, "diff-tree", "-p", "--text", "--no-renames")
    return compare(*options, head, tree, "--", *paths, *_OWN).stdout


def _expect_same(repository: Repository, branch: str, tree: str, paths: Sequence[str]) -> None:
    """Raise InvalidInput where a commit has not all that was staged: edits say no line ends."""
    options = ("-r", "--name-only", "-z", "--no-renames")
    differing = repository.git("diff-tree", *options, branch, tree, "--", *paths, *_OWN).stdout
    named = [quote_path(os.fsdecode(each)) for each in differing.split(b"\0") if each]
    if named:
        what = "changes line ends or a byte order mark, which no edit says"
        fix = "Nothing was committed. Take that change back, or let a person commit it."
        raise InvalidInput(", ".join(named), what, fix)


def _move_head(repository: Repository, branch: str, paths: Sequence[str]) -> None:
    """Move HEAD and the index to a branch; the files, with what was not staged, stay.

    Entries of a commit that is made again go: `git add -A` would commit them once more.
    """
    kept = (f":/{LEDGER}", f":/{ATTRIBUTES_PATH}")
    if paths:
        repository.git("reset", "-q", "--soft", branch)
        repository.git("reset", "-q", branch, "--", *paths, *kept)
    else:
        options = ("--cached", "--name-only", "-z", "--diff-filter=A")
        staged = repository.git("diff-index", *options, "HEAD", "--", f":/{LEDGER}").stdout
        repository.git("reset", "-q", branch)
        entries = [f":(top,literal){os.fsdecode(each)}" for each in staged.split(b"\0") if each]
        if entries:
            repository.git("clean", "-q", "-f", "-x", "--", *entries)
    repository.git("restore", "--", *kept, check=False)


def _find_merged_side(repository: Repository, request: RedoRequest) -> str | None:
    """Find the commit that is being merged, None where no merge is under way.

    Raises GitRefused for a merge of several, and for a part of one.
    """
    heads = repository.merge_heads()
    if not heads:
        return None
    if request.paths:
        what = "git makes no commit of a part of a merge"
        raise GitRefused("hkgit redo", what, "Leave the paths out, and stage what is resolved.")
    if len(heads) > 1:
        what = "several commits are being merged at once"
        raise GitRefused("hkgit redo", what, "Merge them one by one.")
    return heads[0]


def _read_prepared_message(repository: Repository) -> str | None:
    """Read the message that git has prepared for a merge, a cherry-pick or a revert."""
    try:
        raw = (repository.git_dir / "MERGE_MSG").read_bytes()
    except OSError:
        return None
    words = repository.git("stripspace", "--strip-comments", stdin=raw).text
    return words or None


def _find_named_tree(repository: Repository, name: str | None) -> str | None:
    """Find the tree of that name. Raises InvalidInput where it names none."""
    if name is None:
        return None
    found = repository.git("rev-parse", "--verify", "--quiet", f"{name}^{{tree}}", check=False)
    if found.code != 0:
        raise InvalidInput("--tree", f"{name} names no tree here", "Commit again for a new one.")
    return found.text


def _reads(
    repository: Repository, head: str, tree: str, paths: Sequence[str], names: set[str]
) -> Iterator[Read]:
    """Yield the files of HEAD as read: whole, or where tightness counts just the lines shown."""
    files = repository.snapshot(head)
    context = _choose_context(repository, head, tree, paths)
    for path in sorted(names):
        file = files.get(path)
        if file is None or context is None:
            whole_hash = NO_LINES if file is None else terminate(Document(file.data)).whole_hash
            yield Read(path=path, start_line=None, end_line=None, range_hash=whole_hash, kind=LATE)
        else:
            for lines, lines_hash in hash_hunks(repository, (head, tree), path, context):
                yield Read(path, *lines, lines_hash, LATE)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A commit in the history of HEAD, which is at `head`, and its message without our trailers."""

    commit: Commit
    head: str
    message: str


def _find_standing(repository: Repository, name: str) -> _Standing:
    """Find a commit to make again. Raises GitRefused where it cannot be."""
    under_way = next((UNDER_WAY[each] for each in UNDER_WAY if repository.remembers(each)), None)
    if under_way is not None:
        what, fix = f"{under_way} is under way", "End it first (git status says how), then redo."
        raise GitRefused("hkgit redo", what, fix)
    commit, head = repository.commit(repository.resolve(name)), repository.head().commit
    if head is None or not repository.is_ancestor(commit.id, head):
        what = "is not in the history of HEAD"
        raise GitRefused(name, what, "Switch to the branch that it is on.")
    if commit.is_boundary:
        what = "its parent is not in this shallow clone"
        raise GitRefused(name, what, "git fetch --unshallow")
    said = repository.git("log", "-1", "--format=%B", commit.id).text
    kept = [line for line in said.splitlines() if not line.lower().startswith("hkgit-")]
    return _Standing(commit, head, "\n".join(kept).strip() or "No message")


def _find_made_again(repository: Repository, name: str) -> str | None:
    """Find the commit that has taken the place of one: of the same author, date and files.

    None for one that still stands, and where none has.
    """
    commit, head = repository.commit(repository.resolve(name)), repository.head().commit
    if head is None or repository.is_ancestor(commit.id, head):
        return None
    author = _find_person(commit, b"author")
    for each in repository.git("rev-list", "--max-count=1000", head).text.split():
        other = repository.commit(each)
        if _find_person(other, b"author") == author:
            changes = repository.changes(commit.tree, other.tree)
            if all(_is_own(change.path) for change in changes):
                return each
    return None


def _rebuild(repository: Repository, standing: _Standing, made: str) -> str:
    """Let a commit made beside the branch take the place of the one that stands; return HEAD.

    Signatures of commits that are made anew are left out: they would be wrong.
    """
    old, new = standing.commit, repository.commit(made)
    if not new.message.strip():
        raise GitRefused("hkgit redo", "the commit made again has no message", "Give one with -m.")
    people = {each: _find_person(old, each) for each in (b"author", b"committer")}
    raw = new.raw
    for role, person in people.items():
        found = re.search(_PERSON % role, raw)
        if found is not None:
            raw = raw[: found.start()] + role + b" " + person + raw[found.end() :]
    again = _write_commit(repository, _SIGNATURE.sub(b"", raw))
    records = _find_records(repository, old.tree, new.tree)
    names = {old.id: again}
    options = ("--topo-order", "--reverse", "--ancestry-path")
    for each in repository.git("rev-list", *options, f"{old.id}..{standing.head}").text.split():
        names[each] = _carry(repository, repository.commit(each), names, records)
    head = names[standing.head]
    repository.git("update-ref", "-m", f"hkgit redo: {old.id[:12]}", "HEAD", head, standing.head)
    _bring_records(repository, standing.head, head)
    return again


def _carry(
    repository: Repository,
    commit: Commit,
    names: Mapping[str, str],
    records: Mapping[str, tuple[File | None, File | None]],
) -> str:
    """Write a later commit anew, on its new parents and with the new records."""
    files = repository.snapshot(commit.tree)
    changed = {path: new for path, (old, new) in records.items() if files.get(path) == old}
    tree = repository.write_tree(commit.tree, changed)
    header, _, message = commit.raw.partition(b"\n\n")
    header = _SIGNATURE.sub(b"", header + b"\n").rstrip(b"\n")
    header = header.replace(b"tree " + commit.tree.encode(), b"tree " + tree.encode(), 1)
    for parent in commit.parents:
        new = names.get(parent, parent)
        header = header.replace(b"\nparent " + parent.encode(), b"\nparent " + new.encode())
    return _write_commit(repository, header + b"\n\n" + message)


def _find_records(
    repository: Repository, old: str, new: str
) -> dict[str, tuple[File | None, File | None]]:
    """Find the records of hkgit in which two trees differ, as they were and as they become."""
    before, after = repository.snapshot(old), repository.snapshot(new)
    paths = (each.path for each in repository.changes(old, new))
    return {path: (before.get(path), after.get(path)) for path in paths if _is_own(path)}


def _bring_records(repository: Repository, old: str, new: str) -> None:
    """Bring the records of hkgit in index and checkout along; all else stays as it is."""
    trees = (repository.commit(each).tree for each in (old, new))
    paths = [f":(top,literal){each.path}" for each in repository.changes(*trees)]
    if paths:
        stdin = b"\0".join(each.encode() for each in paths)
        chosen: Sequence[str] = ("--pathspec-from-file=-", "--pathspec-file-nul")
        repository.git("restore", f"--source={new}", "--staged", "--worktree", *chosen, stdin=stdin)


def _is_own(path: str) -> bool:
    return path.startswith(f"{LEDGER}/") or path == ATTRIBUTES_PATH


def _find_person(commit: Commit, role: bytes) -> bytes:
    found = re.search(_PERSON % role, commit.raw)
    return b"" if found is None else found[1] + b" " + found[2]


def _write_commit(repository: Repository, raw: bytes) -> str:
    return repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw).text
