"""commits.py: from steps to commits with their evidence (see `preparing`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from hkgit.committing.accepting import step_of_hooks
from hkgit.committing.preparing import Step
from hkgit.committing.resolving import tree_on
from hkgit.committing.targets import Choices, Target
from hkgit.counting import counted
from hkgit.edits import File, Snapshot
from hkgit.errors import GitRefused, InvalidInput, Rejected, VerifyFailed
from hkgit.gate import REJECTED, entry_findings
from hkgit.git.commits import HookChanged, foreign_hooks, run_command
from hkgit.git.landing import expect_landable
from hkgit.git.repository import Repository
from hkgit.git.transaction import Transaction, transaction
from hkgit.git.worktree import Worktree, advanced, reset
from hkgit.ledger.entry import Entry, entry_id, entry_path
from hkgit.ledger.recording import record
from hkgit.ledger.trailers import trailer_lines, with_trailers
from hkgit.paths import quote_path
from hkgit.policy import Policy
from hkgit.replay.added import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.replay.findings import Finding


@dataclass(frozen=True, slots=True)
class Recorded:
    """A step with its entry, as it will stand in the commit."""

    entry: Entry
    id: str
    message: bytes
    warnings: tuple[Finding, ...]


def recorded(step: Step, choices: Choices, verify: dict[str, object] | None) -> Recorded:
    """The entry and message of a step in which every edit applied."""
    spec = step.spec
    agent = _first(choices.agent, spec.agent, "unknown")
    _check_line("--agent", agent)
    met = [] if choices.met is None else choices.met.claims(agent, step.made.outcomes)
    claims = {"agent": agent, "time": int(time.time()), "verify": verify, "conflicts": met}
    entry = record(
        spec, step.made, settings=choices.options.settings, base=step.base,
        spec_digest=spec.digest, reads=step.reads, claims=claims,
    )  # fmt: skip
    name = entry_id(entry.to_bytes())
    text = _first(choices.message, spec.summary, default_subject(step))
    if not text.strip():
        raise InvalidInput("--message", "is blank", "Say what the commit does, or leave it out.")
    if any(line.lower().startswith("hkgit-") for line in text.splitlines()):
        raise InvalidInput("--message", "holds a Hkgit- trailer", "hkgit writes those itself.")
    blind = tuple(each for each in entry_findings(Policy(), entry) if each.rule == "blind")
    return Recorded(entry, name, with_trailers(text, trailer_lines(entry, name)), blind)


def _first(*texts: str | None) -> str:
    """The first text that was given."""
    return next(text for text in texts if text is not None)


def default_subject(step: Step) -> str:
    """`Apply 3 edits to 2 files`, or `Merge topic`."""
    if step.merging is not None:
        return f"Merge {step.merging.name}"
    edits, files = len(step.made.outcomes), len(step.made.files)
    return f"Apply {counted(edits, 'edit')} to {counted(files, 'file')}"


def _check_line(where: str, text: str) -> None:
    if not text.strip() or not text.isprintable():
        raise InvalidInput(where, "is not one line of printable text", "Write name/version.")


def ledger_files(files: Snapshot, record: Recorded) -> dict[str, File | None]:
    """What hkgit itself adds to a commit: the entry and, the first time, its attributes."""
    added: dict[str, File | None] = {entry_path(record.id): File(record.entry.to_bytes())}
    if files.get(ATTRIBUTES_PATH) is None:
        added[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    return added


@dataclass(frozen=True, slots=True)
class Committed:
    """A step that has become a commit."""

    step: Step
    record: Recorded
    commit: str


Watch = Callable[[Sequence[Step]], Iterator[Step]]


def carry_out(
    repository: Repository,
    target: Target,
    steps: Sequence[Step],
    choices: Choices,
    say: Callable[[str], None],
    watch: Watch = iter,
) -> tuple[Committed, ...]:
    """Commit every step in a temporary worktree, then land them all at once.

    `say` is told what takes long; `watch` gets the steps and gives them on, one by one, to show
    how far the work has come. Raises VerifyFailed, Rejected or GitRefused; then the branch
    is where it was.
    """
    foreign = foreign_hooks(repository)
    if foreign:
        say(f"full checkout: the repository's own hooks need it ({', '.join(foreign)})")
    if choices.verify is not None:
        say("full checkout: --verify needs it")
        _rehearse(repository, target, steps, choices)
    done: list[Committed] = []
    with (
        transaction(
            repository, branch=target.branch, old=target.old, checkout=target.checkout
        ) as begun,
        ExitStack() as stack,
    ):
        series = _Series(repository, begun, stack, choices, say, is_full=bool(foreign))
        for step in watch(steps):
            tip = done[-1].commit if done else target.tip
            done.append(series.commit(tip, replace(step, base=step.base or tip)))
        subject = done[-1].record.message.decode("utf-8", "replace").split("\n", 1)[0]
        begun.land(done[-1].commit, reflog=f"hkgit apply: {subject}")
    return tuple(done)


def _rehearse(
    repository: Repository, target: Target, steps: Sequence[Step], choices: Choices
) -> None:
    """Raise now what would be raised after a command that may take long."""
    for step in steps:
        recorded(step, choices, None)
    files = {path: file for step in steps for path, file in step.files.items()}
    tree = tree_on(repository, target.tip, target.merging, files)
    expect_landable(
        repository, branch=target.branch, old=target.old, new=tree, checkout=target.checkout
    )


@dataclass
class _Series:
    """Commits one after the other, made in one worktree that stays in the stack."""

    repository: Repository
    transaction: Transaction
    stack: ExitStack
    choices: Choices
    say: Callable[[str], None]
    is_full: bool
    worktree: Worktree | None = None

    def commit(self, tip: str, step: Step) -> Committed:
        """One step as a commit on `tip`. Raises VerifyFailed, Rejected or GitRefused."""
        before = self.repository.snapshot(tip)
        verified = None
        if self.choices.verify is not None:
            verified = self._verify(tip, step, self.choices.verify)
        record = recorded(step, self.choices, verified)
        files = {**step.files, **ledger_files(before, record)}
        tree = tree_on(self.repository, tip, step.merging, files)
        worktree = self._worktree(tip, tree, tuple(files))
        try:
            return Committed(step, record, self._commit(worktree, step, record.message))
        except HookChanged as changed:
            if not self.choices.accept_hook_changes:
                raise
            return self._with_hooks(worktree, Committed(step, record, ""), changed)

    def _commit(self, worktree: Worktree, step: Step, message: bytes) -> str:
        merged = None if step.merging is None else step.merging.commit
        try:
            return self.transaction.commit(worktree, message, merged)
        except GitRefused as error:
            if (worktree.git_dir / REJECTED).exists():
                raise Rejected(error.where, error.what, error.fix) from error
            raise

    def _with_hooks(
        self, worktree: Worktree, planned: Committed, changed: HookChanged
    ) -> Committed:
        """The commit with what hooks made of it, which an entry of its own accounts for."""
        step = step_of_hooks(self.repository, worktree.tree, changed)
        merging = planned.step.merging
        if merging is not None and not step.files.keys() <= {*merging.conflicts}:
            fix = "Let the hook only check: a merge changes nothing but conflicted paths."
            raise GitRefused(changed.where, changed.what, fix) from changed
        step = replace(step, base=planned.step.base)
        theirs = recorded(step, replace(self.choices, agent=None), None)
        files = ledger_files(self.repository.snapshot(changed.tree), theirs)
        tree = self.repository.write_tree(changed.tree, files)
        paths = (*planned.step.files, *step.files, *files, entry_path(planned.record.id))
        self.worktree = reset(worktree, tree, paths, full=self.is_full)
        message = planned.record.message + f"Hkgit-Entry: sha256:{theirs.id}\n".encode()
        named = ", ".join(map(quote_path, step.files))
        self.say(f"hooks changed what was to be committed; recorded as theirs: {named}")
        commit = self._commit(self.worktree, planned.step, message)
        return replace(planned, commit=commit)

    def _worktree(self, tip: str, tree: str, paths: Sequence[str]) -> Worktree:
        if self.worktree is None:
            made = self.transaction.worktree(tip, tree, paths, full=self.is_full)
            self.worktree = self.stack.enter_context(made)
        else:
            self.worktree = advanced(self.worktree, tip, tree, paths, full=self.is_full)
        return self.worktree

    def _verify(self, tip: str, step: Step, command: str) -> dict[str, object]:
        """Run the command on a full checkout of the edited files. Raises VerifyFailed."""
        tree = tree_on(self.repository, tip, step.merging, step.files)
        paths = tuple(step.files)
        with self.transaction.worktree(tip, tree, paths, full=True) as worktree:
            code = run_command(command, worktree.path)
        if code != 0:
            raise VerifyFailed(command, f"exited with {code}", "Nothing was committed.")
        return {"command": command, "exit_code": code}
