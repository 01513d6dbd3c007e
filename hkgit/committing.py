"""committing.py: from specs to commits with their evidence. `prepare` plans, `carry_out` acts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from hkgit.applying.carrying import carried_plan
from hkgit.applying.names import resolved
from hkgit.applying.outcome import EditOutcome, Plan, changed_files
from hkgit.applying.planner import Options, plan
from hkgit.directory import DirectorySnapshot
from hkgit.edits import File, Overlay, Read, Snapshot, Spec
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Rejected, Stale, VerifyFailed
from hkgit.gate import REJECTED, entry_findings
from hkgit.git.landing import land
from hkgit.git.repository import Repository
from hkgit.git.transaction import commit_worktree, foreign_hooks, run_command
from hkgit.git.worktree import temporary_worktree
from hkgit.ledger.entry import Entry, entry_id, entry_path
from hkgit.ledger.recording import record
from hkgit.ledger.trailers import trailer_lines, with_trailers
from hkgit.policy import Policy
from hkgit.replay.added import ATTRIBUTES, ATTRIBUTES_PATH
from hkgit.replay.findings import Finding


@dataclass(frozen=True, slots=True)
class Choices:
    """How a spec is applied, as asked on the command line; None where nothing was asked."""

    branch: str | None = None
    base: str | None = None
    agent: str | None = None
    message: str | None = None
    verify: str | None = None
    options: Options = field(default_factory=Options)
    reads: tuple[Read, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where commits land: on `tip`, moving `branch` from `old` (None: it is made)."""

    branch: str
    tip: str
    old: str | None
    checkout: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One spec, planned: its outcomes and, when all applied, what becomes its commit."""

    spec: Spec
    base: str
    made: Plan
    reads: tuple[Read, ...]

    @property
    def files(self) -> dict[str, File | None]:
        """The changed files by path; None where one is gone."""
        return changed_files(self.made)


def find_target(repository: Repository, choices: Choices) -> Target:
    """Where to land. Raises GitRefused when there is no branch to land on, or it is in use."""
    if choices.branch is not None:
        return _named_target(repository, choices.branch, choices.base)
    head = repository.head()
    fix = "Switch to a branch, or name one with --branch."
    if repository.is_bare:
        raise GitRefused("HEAD", "a bare repository has no checkout to land in", fix)
    if head.branch is None:
        raise GitRefused("HEAD", "is detached: there is no branch to land on", fix)
    if head.commit is None:
        what = "has no commit yet, so there is nothing to edit"
        raise GitRefused(head.branch, what, "Make a first commit: git commit --allow-empty")
    return Target(head.branch, head.commit, head.commit, checkout=True)


def _named_target(repository: Repository, branch: str, base: str | None) -> Target:
    used = repository.checked_out_branches().get(branch)
    if used is not None:
        fix = "Leave --branch out there, or name another branch."
        raise GitRefused(branch, f"is checked out at {used}", fix)
    tip = repository.branch_tip(branch)
    if tip is not None:
        return Target(branch, tip, tip, checkout=False)
    return Target(branch, repository.resolve(base or "HEAD"), None, checkout=False)


def prepare(
    repository: Repository, specs: Sequence[Spec], choices: Choices, target: Target
) -> tuple[Step, ...]:
    """Plan every spec, each on what the one before it leaves; stops at the first refused."""
    steps: list[Step] = []
    tip: Snapshot = repository.snapshot(target.tip)
    for spec in specs:
        base = _base(repository, choices.base or spec.base, target)
        made, reads = _planned(repository, spec, base, tip, choices, target)
        step = Step(spec, base, made, reads)
        steps.append(step)
        if not made.ok:
            break
        if not made.files:
            raise InvalidInput("the spec", "changes nothing", "The files say this already.")
        tip = Overlay(tip, step.files)
    return tuple(steps)


def _base(repository: Repository, rev: str | None, target: Target) -> str:
    if rev is None:
        return target.tip
    base = repository.resolve(rev)
    if not repository.is_ancestor(base, target.tip):
        fix = "Name a commit in the branch's history, or rebase the spec by reading again."
        raise InvalidInput(rev, f"is no ancestor of {target.branch}", fix)
    return base


def _planned(
    repository: Repository, spec: Spec, base: str, tip: Snapshot, choices: Choices, target: Target
) -> tuple[Plan, tuple[Read, ...]]:
    files = tip if base == target.tip else repository.snapshot(base)
    spec = resolved(spec, files)
    if files is tip:
        made, reads = plan(spec, tip, choices.options, choices.reads), choices.reads
    else:
        try:
            made, reads = carried_plan(spec, files, tip, choices.options, choices.reads)
        except Stale as error:
            made, reads = _all_stale(spec, error), choices.reads
    return _explained(repository, spec, made, choices), reads


def _all_stale(spec: Spec, error: Stale) -> Plan:
    """The plan of a spec that cannot be carried to the tip."""
    outcomes = tuple(
        EditOutcome(number, edit.path, error.status, error=error)
        for number, edit in enumerate(spec.edits, 1)
    )
    return Plan(outcomes, ())


def _explained(repository: Repository, spec: Spec, made: Plan, choices: Choices) -> Plan:
    """Say where a stale hash fits the working tree: the agent read uncommitted changes."""
    if repository.work_tree is None or not any(_is_stale(each) for each in made.outcomes):
        return made
    try:
        live = plan(spec, DirectorySnapshot(repository.work_tree), choices.options, choices.reads)
    except HkgitError:
        return made
    outcomes = tuple(
        _uncommitted(each) if _is_stale(each) and there.error is None else each
        for each, there in zip(made.outcomes, live.outcomes, strict=True)
    )
    return Plan(outcomes, made.files)


def _is_stale(outcome: EditOutcome) -> bool:
    return isinstance(outcome.error, Stale)


def _uncommitted(outcome: EditOutcome) -> EditOutcome:
    if outcome.error is None:
        return outcome
    what = f"{outcome.error.what}; the hash fits the working tree: it has uncommitted changes"
    fix = f"Commit the changes of {outcome.path} first, or read it with --rev HEAD."
    return replace(outcome, error=Stale(outcome.error.where, what, fix))


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
    agent = choices.agent or spec.agent or "unknown"
    _check_line("--agent", agent)
    claims = {"agent": agent, "time": int(time.time()), "verify": verify, "conflicts": []}
    entry = record(
        spec, step.made, settings=choices.options.settings, base=step.base,
        spec_digest=spec.digest, reads=step.reads, claims=claims,
    )  # fmt: skip
    name = entry_id(entry.to_bytes())
    text = choices.message or spec.summary or default_subject(step.made)
    if any(line.startswith("Hkgit-") for line in text.splitlines()):
        raise InvalidInput("--message", "holds a Hkgit- trailer", "hkgit writes those itself.")
    blind = tuple(each for each in entry_findings(Policy(), entry) if each.rule == "blind")
    return Recorded(entry, name, with_trailers(text, trailer_lines(entry, name)), blind)


def default_subject(made: Plan) -> str:
    """`Apply 3 edits to 2 files`."""
    return f"Apply {_counted(len(made.outcomes), 'edit')} to {_counted(len(made.files), 'file')}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


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


def carry_out(
    repository: Repository,
    target: Target,
    steps: Sequence[Step],
    choices: Choices,
    say: Callable[[str], None],
) -> tuple[Committed, ...]:
    """Commit every step in a temporary worktree, then land them all at once.

    `say` is told what takes long. Raises VerifyFailed, Rejected or GitRefused; then the branch
    is where it was.
    """
    foreign = foreign_hooks(repository)
    if foreign:
        say(f"full checkout: the repository's own hooks need it ({', '.join(foreign)})")
    done: list[Committed] = []
    with ExitStack() as stack:
        tip = target.tip
        for step in steps:
            committed = _commit(repository, stack, tip, step, choices, is_full=bool(foreign))
            done.append(committed)
            tip = committed.commit
        subject = done[-1].record.message.decode("utf-8", "replace").split("\n", 1)[0]
        land(
            repository, branch=target.branch, old=target.old, new=tip,
            checkout=target.checkout, reflog=f"hkgit apply: {subject}",
        )  # fmt: skip
    return tuple(done)


def _commit(
    repository: Repository,
    stack: ExitStack,
    tip: str,
    step: Step,
    choices: Choices,
    *,
    is_full: bool,
) -> Committed:
    """One step as a commit on `tip`; its worktree, which keeps it from gc, stays in the stack."""
    before = repository.snapshot(tip)
    verified = None
    if choices.verify is not None:
        verified = _verify(repository, tip, step, choices.verify)
    record = recorded(step, choices, verified)
    files = {**step.files, **ledger_files(before, record)}
    tree = repository.write_tree(before.tree_id, files)
    worktree = stack.enter_context(
        temporary_worktree(repository, tip, tree, tuple(files), full=is_full)
    )
    try:
        commit = commit_worktree(repository, worktree, record.message)
    except GitRefused as error:
        if (worktree.git_dir / REJECTED).exists():
            raise Rejected(error.where, error.what, error.fix) from error
        raise
    return Committed(step, record, commit)


def _verify(repository: Repository, tip: str, step: Step, command: str) -> dict[str, object]:
    """Run the command on a full checkout of the edited files. Raises VerifyFailed."""
    tree = repository.write_tree(repository.commit(tip).tree, step.files)
    with temporary_worktree(repository, tip, tree, tuple(step.files), full=True) as worktree:
        code = run_command(command, worktree.path)
    if code != 0:
        raise VerifyFailed(command, f"exited with {code}", "Nothing was committed.")
    return {"command": command, "exit_code": code}
