"""A commit made in a temporary worktree, and what its hooks change.

A formatter that runs at every commit changes what a spec made. With --accept-hook-changes the
commit gets a second ledger entry, so that every byte has an author: the agent, or the hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial

from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import plan_changes
from hkgit.applying.outcome import files_after
from hkgit.edits import File, Read
from hkgit.errors import GitRefused, HkgitError, VerifyFailed
from hkgit.evidence.additions import list_ledger_files
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, entry_path
from hkgit.evidence.replay import make_candidate
from hkgit.gate.entrypoints.hook_scripts import COMMIT_HOOKS, OWN, list_hooks
from hkgit.gate.judge import Gate
from hkgit.gate.judged_commit import JudgeContext
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import expect_landable
from hkgit.git.transaction.transaction import Transaction, transaction
from hkgit.git.transaction.worktree import HookChanged, run_and_hear, run_command
from hkgit.text.document import Document
from hkgit.text.paths import quote_path
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace
from hkgit.workflows.commit_plan import RecordedCommit, record_step
from hkgit.workflows.landing_policy import refuse_ruling
from hkgit.workflows.merge_plan import write_tree_on
from hkgit.workflows.target import LandingTarget, PlannedCommit

AGENT = "hooks of the repository"
"""The agent named in the second entry."""


def plan_hook_changes(repository: Repository, planned: str, changed: HookChanged) -> PlannedCommit:
    """Plan what hooks made of a tree as a unified diff on that tree.

    Raises `changed` again where the diff does not derive the tree: binary files, modes, links.
    """
    before, after = map(repository.snapshot, (planned, changed.tree))
    paths = (each.path for each in repository.changes(planned, changed.tree))
    changes = compare_files(before.get, after.get, paths)
    bases = ((each.name, Document(each.before.data)) for each in changes if each.before)
    reads = tuple(Read(path, None, None, base.whole_hash) for path, base in bases)
    try:
        found = plan_changes(changes, before, reads)
    except HkgitError as error:
        raise changed from error
    if repository.write_tree(planned, files_after(found.plan)) != changed.tree:
        raise changed
    spec = replace(found.spec, agent=AGENT)
    return PlannedCommit(spec, found.plan, reads, base=None, before=before)


def begin_commits(
    repository: Repository, branch: str, old: str | None, *, checkout: bool
) -> AbstractContextManager[Transaction]:
    """Begin commits that are to move a branch from `old`, and the checkout too, or nothing.

    Where hooks of the repository's own are to run, all files are checked out.
    """
    full = bool(find_foreign_hooks(repository))
    return transaction(repository, branch=branch, old=old, checkout=checkout, full=full)


def find_foreign_hooks(repository: Repository) -> list[str]:
    """Find the active hooks of `git commit` that are not hkgit's own: they need a full checkout."""
    hooks = list_hooks(repository, COMMIT_HOOKS)
    return [each.name for each in hooks if each.owner != OWN]


def carry_out(target: LandingTarget, steps: Sequence[PlannedCommit]) -> tuple[RecordedCommit, ...]:
    """Commit every plan in a temporary worktree, then move the branch to the last commit.

    Raises VerifyFailed, Rejected or GitRefused; then the branch is where it was.
    """
    request, tip, done = target.request, target.tip, list[RecordedCommit]()
    repository, branch = target.repository, target.branch
    with begin_commits(repository, branch, target.old, checkout=target.checkout) as begun:
        if begun.full:
            named = ", ".join(find_foreign_hooks(repository))
            request.say(f"full checkout: the repository's own hooks need it ({named})")
        if request.verify is not None:
            request.say("full checkout: --verify needs it")
            _rehearse(target, steps)
        for step in request.watch(steps):
            made = _commit(target, begun, tip, replace(step, base=step.base or tip))
            tip = made.commit or tip
            done.append(made)
        begun.land(tip, reflog=f"hkgit apply: {done[-1].subject}")
    return tuple(done)


def _rehearse(target: LandingTarget, steps: Sequence[PlannedCommit]) -> None:
    """Raise what landing would refuse, before a command runs that may take long."""
    for step in steps:
        record_step(target, step)
    files = {path: file for step in steps for path, file in step.files.items()}
    tree = write_tree_on(target.repository, target.tip, target.merging, files)
    expect_landable(
        target.repository,
        branch=target.branch,
        old=target.old,
        new=tree,
        checkout=target.checkout,
    )


def _commit(
    target: LandingTarget, begun: Transaction, tip: str, step: PlannedCommit
) -> RecordedCommit:
    """Verify, record and judge a step, and make its commit on `tip`."""
    repository, policy = target.repository, target.policy
    allow_blind = target.request.allow_blind
    record = record_step(target, step, _verify(target, begun, tip, step))
    files = {**step.files, **_list_ledger_files(target, tip, record)}
    tree = write_tree_on(repository, tip, target.merging, files)
    merged = None if target.merging is None else target.merging.commit
    parents = (tip,) if merged is None else (tip, merged)
    asked = policy.with_blind() if allow_blind else policy
    candidate = make_candidate(repository, tree, parents, record.message)
    ruling = Gate(repository, asked, JudgeContext(on_client=True)).judge(candidate)
    warning = refuse_ruling(policy, ruling)
    if warning is not None and policy.mode == "enforce":
        raise warning
    # The gate's own hooks have nothing to say of what the judge has just accepted.
    runs_hooks = bool(begun.full or warning is not None or ruling.findings)
    commit = partial(begun.commit, tip, merged=merged, allow_blind=allow_blind)
    try:
        made = commit(tree, tuple(files), record.message, runs_hooks=runs_hooks)
    except HookChanged as changed:
        if not target.request.accept_hook_changes:
            raise
        made = _commit_with_hooks(target, record, tree, changed, commit)
    return replace(record, commit=made, warning=warning)


def _commit_with_hooks(
    target: LandingTarget,
    record: RecordedCommit,
    tree: str,
    changed: HookChanged,
    commit: Callable[[str, Sequence[str], bytes], str],
) -> str:
    """Commit again, with a second entry for what hooks have changed in a tree."""
    repository, request = target.repository, target.request
    step, merging = plan_hook_changes(repository, tree, changed), target.merging
    if merging is not None and not step.files.keys() <= {*merging.conflicts}:
        fix = "Let the hook only check: a merge changes nothing but conflicted paths."
        raise GitRefused(changed.where, changed.what, fix) from changed
    step = replace(step, base=record.step.base)
    theirs = record_step(replace(target, request=replace(request, agent=None)), step)
    files = _list_ledger_files(target, changed.tree, theirs)
    paths = (*record.step.files, *step.files, *files, entry_path(record.id))
    named = ", ".join(map(quote_path, step.files))
    request.say(f"hooks changed what was to be committed; recorded as theirs: {named}")
    message = record.message + f"Hkgit-Entry: sha256:{theirs.id}\n".encode()
    return commit(repository.write_tree(changed.tree, files), paths, message)


def _list_ledger_files(
    target: LandingTarget, before: str, record: RecordedCommit
) -> dict[str, File]:
    """What hkgit adds itself: the entry, and the ledger's attributes where there are none.

    Those that lie in the checkout are its user's to be committed.
    """
    entries = [(record.id, record.entry)]
    files = list_ledger_files(entries, target.repository.snapshot(before))
    root = target.repository.work_tree
    place = root / ATTRIBUTES_PATH if target.checkout and root is not None else None
    if place is not None and place.is_file() and place.read_bytes() == ATTRIBUTES:
        files.pop(ATTRIBUTES_PATH, None)
    return files


def _verify(
    target: LandingTarget, begun: Transaction, tip: str, step: PlannedCommit
) -> JsonObject | None:
    """Run the command on a full checkout of the edited files, if one is. Raises VerifyFailed."""
    command = target.request.verify
    if command is None:
        return None
    tree = write_tree_on(target.repository, tip, target.merging, step.files)
    with begun.worktree(tip, tree, tuple(step.files), full=True) as worktree:
        if target.request.reflection is not None:
            code, output = run_and_hear(command, worktree.path)
        else:
            code, output = run_command(command, worktree.path), ""
    if code != 0:
        failed = VerifyFailed(command, f"exited with {code}", "Nothing was committed.")
        failed.output = output
        raise failed
    return {"command": command, "exit_code": code}
