"""Evidence of what is staged, where no transcript has any: read after the change.

The change is read from the trees that git has, applied to its base beside the branch with the
hashes of the files as they were, and the branch moves there. No file of the checkout is touched but
the records of hkgit. In the middle of a merge git's merge is made again, and what is staged in its
conflicts resolves them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial

from hkgit import dialects
from hkgit.applying.evidence import LATE, NO_LINES
from hkgit.edits import Read, Spec
from hkgit.errors import GitRefused, InvalidInput
from hkgit.evidence.entry import ATTRIBUTES_PATH, LEDGER
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import hash_hunks
from hkgit.gate.trusted_policy import read_trusted_policy
from hkgit.git.repository import FIRST_COMMIT, Repository
from hkgit.text.document import Document, terminate
from hkgit.text.hashes import digest
from hkgit.text.paths import quote_path
from hkgit.values import replace
from hkgit.workflows.adoption import store_checkout
from hkgit.workflows.application import ApplyRequest, ApplyResult, advise, apply
from hkgit.workflows.commit_plan import SILENT, Progress
from hkgit.workflows.merge_plan import find_merging
from hkgit.workflows.target import ApplyOptions

_OWN = (f":(top,exclude){LEDGER}", f":(top,exclude){ATTRIBUTES_PATH}")
"""What hkgit itself writes is no part of a change."""

NOT_ACCEPTED = (
    "What is read after the change is `late` evidence. Make the change again in a session that"
    " reads first, or let a person vouch for it (docs/verdicts.md), or accept `late` in the policy."
)
_ADDS = rb"(?m)^@@ -\d+,0 "


def redo(
    repository: Repository,
    *,
    agent: str | None = None,
    message: str | None = None,
    tree: str | None = None,
    paths: tuple[str, ...] = (),
    progress: Progress = SILENT,
) -> ApplyResult:
    """Commit what is staged, with the hashes of the files as they were as its evidence.

    `tree` is one that git was about to commit: of `git commit -a` or of some paths. With `paths`,
    as git takes them, the rest stays staged. Refusals stand in the result; then nothing has
    changed. Raises InvalidInput where nothing is staged, GitRefused where there is no commit to
    build on.
    """
    if repository.is_bare:
        raise GitRefused(
            "hkgit redo", "a bare repository has nothing staged", "Run this in a clone."
        )
    head = repository.head()
    if head.commit is None:
        what = "there is no commit yet to make it on"
        raise GitRefused("hkgit redo", what, FIRST_COMMIT)
    other = _find_merged_side(repository, paths)
    wanted = paths or (":/",)
    if other is not None:
        merging = find_merging(repository, other, head.branch or "HEAD", head.commit)
        wanted = tuple(f":(top,literal){path}" for path in merging.conflicts)
    tree = _find_tree(repository, head.commit, tree, wanted)
    policy = read_trusted_policy(repository, head.commit)
    change = find_late_edits(repository, policy, (head.commit, tree), wanted)
    if change is None:
        raise InvalidInput("hkgit redo", "nothing is staged", "Stage it first: git add FILE")
    spec, reads = change
    branch = f"again-{tree[:12]}"
    options = ApplyOptions(
        branch=branch,
        base=head.commit,
        merge=other,
        agent=agent,
        message=message or _read_prepared_message(repository),
        reads=reads,
    )
    repository.delete_ref(f"refs/heads/{branch}")
    result = apply(repository, ApplyRequest((spec,), options), progress)
    result = advise(result, NOT_ACCEPTED)
    if result.error is None:
        try:
            _expect_same(repository, branch, tree, wanted)
            _move_head(repository, branch, paths)
        finally:
            repository.delete_ref(f"refs/heads/{branch}")
    return result


def _find_tree(repository: Repository, head: str, named: str | None, paths: Sequence[str]) -> str:
    """Find the tree to be committed. Raises InvalidInput where one was named that is not here."""
    tree = _find_named_tree(repository, named) or repository.index_tree()
    if named is None and not _compare(repository, (head, tree), paths):
        return store_checkout(repository, "-u")  # as after `git commit -a`, which stages for itself
    return tree


def find_late_edits(
    repository: Repository, policy: Policy, sides: tuple[str, str], paths: Sequence[str]
) -> tuple[Spec, tuple[Read, ...]] | None:
    """Find the edits that lead from one tree or commit to another; None where there are none.

    With the hashes of the files as they were, whole. Where the policy asks for tightness, those of
    the lines that stand around a change, which are as few as a floor asks for.
    """
    context: int | None = None
    options: tuple[str, ...] = ()
    if policy.asks_for_tightness:  # lines that are only added stand beside one
        context = int(re.search(_ADDS, _compare(repository, sides, paths, "-U0")) is not None)
        options = (f"-U{context}",)
    diff = _compare(repository, sides, paths, *options)
    if not diff:
        return None
    spec = replace(dialects.parse(diff, "unified-diff"), digest=digest(diff))
    return spec, tuple(_reads(repository, sides, {each.path for each in spec.edits}, context))


def _compare(
    repository: Repository, sides: tuple[str, str], paths: Sequence[str], *options: str
) -> bytes:
    # The plumbing command heeds no settings of the user's, such as diff.external or colours.
    compare = partial(repository.git, "diff-tree", "-p", "--text", "--no-renames")
    return compare(*options, *sides, "--", *paths, *_OWN).stdout


def _expect_same(repository: Repository, branch: str, tree: str, paths: Sequence[str]) -> None:
    """Raise InvalidInput where a commit has not all that was staged: edits say no line ends."""
    options = ("-r", "--name-only", "-z", "--no-renames")
    differing = repository.git("diff-tree", *options, branch, tree, "--", *paths, *_OWN).stdout
    named = [quote_path(os.fsdecode(each)) for each in differing.split(b"\0") if each]
    if named:
        what = "changes line ends or a byte order mark, which no edit can express"
        fix = "Nothing was committed. Undo that change, or let a person commit it."
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


def _find_merged_side(repository: Repository, paths: Sequence[str]) -> str | None:
    """Find the commit that is being merged, None where no merge is under way."""
    heads = repository.merge_heads()
    if not heads:
        return None
    if paths:
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
        raise InvalidInput(
            "--tree", f"{name} is not a tree of this repository", "Commit again for a new one."
        )
    return found.text


def _reads(
    repository: Repository, sides: tuple[str, str], names: set[str], context: int | None
) -> Iterator[Read]:
    """Yield files as read: whole, or with a context just the lines shown."""
    files = repository.snapshot(sides[0])
    for path in sorted(names):
        file = files.get(path)
        if file is None or context is None:
            whole_hash = NO_LINES if file is None else terminate(Document(file.data)).whole_hash
            yield Read(path=path, start_line=None, end_line=None, range_hash=whole_hash, kind=LATE)
        else:
            for lines, lines_hash in hash_hunks(repository, sides, path, context):
                yield Read(path, *lines, lines_hash, LATE)
