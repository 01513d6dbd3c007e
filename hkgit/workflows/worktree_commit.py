"""A commit made in a temporary worktree, and what its hooks change.

A formatter that runs at every commit changes what a spec made. With --accept-hook-changes the
commit gets a second ledger entry, so that every byte has an author: the agent, or the hooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import plan
from hkgit.dialects import parse
from hkgit.edits import File, Read, Snapshot
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Rejected, VerifyFailed
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, entry_path
from hkgit.gate.entrypoints.hook_scripts import find_foreign_hooks
from hkgit.gate.ruling import REJECTED, Ruling
from hkgit.git.repository import Repository
from hkgit.git.transaction.commit import HookChanged, compute_diff, run_and_hear, run_command
from hkgit.git.transaction.landing import expect_landable
from hkgit.git.transaction.transaction import Transaction, transaction
from hkgit.git.transaction.worktree import Worktree, advance, reset
from hkgit.text.document import Document
from hkgit.text.paths import quote_path
from hkgit.values import dataclass, replace
from hkgit.workflows.commit_plan import (
    PlannedCommit,
    Progress,
    RecordedStep,
    ledger_files,
    record_step,
)
from hkgit.workflows.landing_policy import LandingRules
from hkgit.workflows.merge_plan import tree_on
from hkgit.workflows.target import ApplyOptions, LandingTarget

AGENT = "hooks of the repository"
"""The agent named in the second entry."""


def plan_hook_changes(repository: Repository, planned: str, changed: HookChanged) -> PlannedCommit:
    """Plan what hooks made of a tree as a unified diff on that tree.

    Raises `changed` again where the diff does not derive the tree: binary files, modes, links.
    """
    text = compute_diff(repository, planned, changed.tree)
    before = repository.snapshot(planned)
    try:
        spec = replace(parse(text, "unified-diff"), digest=hashlib.sha256(text).hexdigest())
        reads = tuple(_reads(before, [edit.path for edit in spec.edits]))
        result = plan(spec, before, reads=reads)
    except InvalidInput as error:
        raise changed from error
    if not result.ok or repository.write_tree(planned, files_after(result)) != changed.tree:
        raise changed
    return PlannedCommit(replace(spec, agent=AGENT), result, reads, base=None)


def _reads(files: Snapshot, paths: list[str]) -> Iterator[Read]:
    """A read of each whole file, as the hooks found it."""
    for path in dict.fromkeys(paths):
        file = files.get(path)
        if file is not None:
            yield Read(path, None, None, Document(file.data).whole_hash)


@dataclass(frozen=True, slots=True)
class LandedCommit:
    """A commit, the plan and the entry it was made of.

    `warning` is what the policy has against it where it only warns.
    """

    step: PlannedCommit
    record: RecordedStep
    commit: str
    warning: HkgitError | None = None


def carry_out(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
    rules: LandingRules,
    progress: Progress,
) -> tuple[LandedCommit, ...]:
    """Commit every plan in a temporary worktree, then move the branch to the last commit.

    Raises VerifyFailed, Rejected or GitRefused; then the branch is where it was.
    """
    say = progress.say
    foreign = find_foreign_hooks(repository)
    if foreign:
        say(f"full checkout: the repository's own hooks need it ({', '.join(foreign)})")
    if choices.verify is not None:
        say("full checkout: --verify needs it")
        _rehearse(repository, target, steps, choices)
    done: list[LandedCommit] = []
    with (
        transaction(
            repository, branch=target.branch, old=target.old, checkout=target.checkout
        ) as begun,
        ExitStack() as stack,
    ):
        series = _Series(
            repository=repository,
            transaction=begun,
            stack=stack,
            choices=choices,
            rules=rules,
            say=say,
            is_full=bool(foreign),
            lands_here=target.checkout,
        )
        for step in progress.watch(steps):
            tip = done[-1].commit if done else target.tip
            done.append(series.commit(tip, replace(step, base=step.base or tip)))
        subject = done[-1].record.message.decode("utf-8", "replace").split("\n", 1)[0]
        begun.land(done[-1].commit, reflog=f"hkgit apply: {subject}")
    return tuple(done)


def _rehearse(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
) -> None:
    """Raise what landing would refuse, before a command runs that may take long."""
    for step in steps:
        record_step(step, choices, None)
    files = {path: file for step in steps for path, file in step.files.items()}
    tree = tree_on(repository, target.tip, target.merging, files)
    expect_landable(
        repository, branch=target.branch, old=target.old, new=tree, checkout=target.checkout
    )


@dataclass
class _Series:
    """Makes commits one after the other in one worktree, which `stack` takes away at the end."""

    repository: Repository
    transaction: Transaction
    stack: ExitStack
    choices: ApplyOptions
    rules: LandingRules
    say: Callable[[str], None]
    is_full: bool
    lands_here: bool
    worktree: Worktree | None = None

    def commit(self, tip: str, step: PlannedCommit) -> LandedCommit:
        """Make one commit on `tip`. Raises VerifyFailed, Rejected or GitRefused."""
        before = self.repository.snapshot(tip)
        verified = None
        if self.choices.verify is not None:
            verified = self._verify(tip, step, self.choices.verify)
        credits_agents = self.rules.policy.assisted_by == "require"
        record = record_step(step, self.choices, verified, credits_agents=credits_agents)
        files = {**step.files, **self._ledger_files(before, record)}
        tree = tree_on(self.repository, tip, step.merging, files)
        ruling = self._ask_judge(tip, tree, step, record)
        warning = self.rules.refuse_ruling(ruling)
        if warning is not None and self.rules.binds:
            raise warning
        worktree = self._worktree(tip, tree, tuple(files))
        # The gate's own hooks have nothing to say of what the judge has just let pass.
        is_settled = not self.is_full and ruling.passes and not ruling.findings
        try:
            commit = self._commit(worktree, step, record.message, runs_hooks=not is_settled)
            return LandedCommit(step, record, commit, warning)
        except HookChanged as changed:
            if not self.choices.accept_hook_changes:
                raise
            return self._with_hooks(worktree, LandedCommit(step, record, "", warning), changed)

    def _ledger_files(self, before: Snapshot, record: RecordedStep) -> dict[str, File | None]:
        """What hkgit adds itself, but for attributes that lie in the checkout to be committed."""
        files = ledger_files(before, record)
        root = self.repository.work_tree
        if ATTRIBUTES_PATH in files and self.lands_here and root is not None:
            place = root / ATTRIBUTES_PATH
            if place.is_file() and place.read_bytes() == ATTRIBUTES:
                del files[ATTRIBUTES_PATH]
        return files

    def _ask_judge(self, tip: str, tree: str, step: PlannedCommit, record: RecordedStep) -> Ruling:
        parents = (tip,) if step.merging is None else (tip, step.merging.commit)
        return self.rules.judge(tree, parents, record.message)

    def _commit(
        self, worktree: Worktree, step: PlannedCommit, message: bytes, *, runs_hooks: bool = True
    ) -> str:
        merged = None if step.merging is None else step.merging.commit
        try:
            return self.transaction.commit(
                worktree,
                message,
                merged,
                allow_blind=self.choices.allow_blind,
                runs_hooks=runs_hooks,
            )
        except GitRefused as error:
            if (worktree.git_dir / REJECTED).exists():
                raise Rejected(error.where, error.what, error.fix) from error
            raise

    def _with_hooks(
        self, worktree: Worktree, planned: LandedCommit, changed: HookChanged
    ) -> LandedCommit:
        """Commit again, with a second entry for what hooks have changed."""
        step = plan_hook_changes(self.repository, worktree.tree, changed)
        merging = planned.step.merging
        if merging is not None and not step.files.keys() <= {*merging.conflicts}:
            fix = "Let the hook only check: a merge changes nothing but conflicted paths."
            raise GitRefused(changed.where, changed.what, fix) from changed
        step = replace(step, base=planned.step.base)
        theirs = record_step(step, replace(self.choices, agent=None), None)
        files = self._ledger_files(self.repository.snapshot(changed.tree), theirs)
        tree = self.repository.write_tree(changed.tree, files)
        paths = (*planned.step.files, *step.files, *files, entry_path(planned.record.id))
        self.worktree = reset(worktree, tree, paths)
        message = planned.record.message + f"Hkgit-Entry: sha256:{theirs.id}\n".encode()
        named = ", ".join(map(quote_path, step.files))
        self.say(f"hooks changed what was to be committed; recorded as theirs: {named}")
        commit = self._commit(self.worktree, planned.step, message)
        return replace(planned, commit=commit)

    def _worktree(self, tip: str, tree: str, paths: Sequence[str]) -> Worktree:
        if self.worktree is None:
            context = self.transaction.worktree(tip, tree, paths, full=self.is_full)
            self.worktree = self.stack.enter_context(context)
        else:
            self.worktree = advance(self.worktree, tip, tree, paths)
        return self.worktree

    def _verify(self, tip: str, step: PlannedCommit, command: str) -> dict[str, object]:
        """Run the command on a full checkout of the edited files. Raises VerifyFailed."""
        tree = tree_on(self.repository, tip, step.merging, step.files)
        paths = tuple(step.files)
        with self.transaction.worktree(tip, tree, paths, full=True) as worktree:
            if self.choices.hears_verify:
                code, output = run_and_hear(command, worktree.path)
            else:
                code, output = run_command(command, worktree.path), ""
        if code != 0:
            failed = VerifyFailed(command, f"exited with {code}", "Nothing was committed.")
            failed.output = output
            raise failed
        return {"command": command, "exit_code": code}
