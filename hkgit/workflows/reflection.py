"""Corrections asked of a model.

The loop is a coroutine. For plain functions, which never wait, it runs to its end in one step.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from hkgit.applying.files import has_file, write_files
from hkgit.applying.outcome import EditOutcome, Plan, files_after, files_before, refusal_text
from hkgit.applying.planner import Options
from hkgit.dialects import parse
from hkgit.edits import File, Overlay, Read, Spec
from hkgit.errors import InvalidInput, VerifyFailed
from hkgit.values import dataclass, replace
from hkgit.workflows.commit_plan import PlannedCommit, RecordedCommit
from hkgit.workflows.library import (
    Content,
    EditResult,
    Root,
    list_contents,
    parse_for,
    parse_reads,
    plan_below,
    take_snapshot,
)

RESEND = "Send only the refused edits again, corrected, in the same notation; the others are kept."
REPARSE = "Send the edits again in a notation that can be read."
SAME = "Send the edits again in the notation {}, as before."
FOLLOW_UP = "Send edits that fix it; they apply on top of those already made."


@dataclass(frozen=True, slots=True)
class Round:
    """What was sent, what became of each edit, and the correction that was asked for if any."""

    text: str
    outcomes: tuple[EditOutcome, ...]
    correction: str | None


@dataclass(frozen=True, slots=True)
class ReflectionResult(EditResult):
    """The last batch, the files that all batches together change, and every round.

    `problem` says why nothing landed: a spec that cannot be read, a refusal, or what `verify`
    said; None when all went well.
    """

    rounds: tuple[Round, ...] = ()
    problem: str | None = None

    @property
    def ok(self) -> bool:
        """Whether every edit applied and `verify` had nothing to say."""
        return self.problem is None

    def for_model(self) -> str:
        """Return the problem as a message that an agent can act on; empty when all went well."""
        return self.problem or ""


def apply_with_reflection(
    text: str,
    root: Root,
    ask: Callable[[str], str],
    *,
    max_reflections: int = 3,
    verify: Callable[[EditResult], str | None] | None = None,
    fmt: str = "auto",
    threshold: float = 0.8,
    dry_run: bool = False,
    relocate: bool = False,
    check_syntax: bool | None = None,
    allow_blind: bool = True,
    expect: Iterable[str | Read] = (),
    empty_search: str = "create",
) -> ReflectionResult:
    """Apply a spec; on a refusal `ask` gets the correction to make and answers with a spec.

    At most `max_reflections` times. Nothing lands until every edit applies. `verify` sees each
    batch once it is in place (a directory is written then) and may object; its words go back the
    same way, and when they stay the last ones, the files are as they were. The other options
    mean what those of `apply_edits` do.
    """

    async def ask_at_once(correction: str) -> str:
        return ask(correction)

    dialogue = apply_with_reflection_async(
        text,
        root,
        ask_at_once,
        max_reflections=max_reflections,
        verify=verify,
        fmt=fmt,
        threshold=threshold,
        dry_run=dry_run,
        relocate=relocate,
        check_syntax=check_syntax,
        allow_blind=allow_blind,
        expect=expect,
        empty_search=empty_search,
    )
    try:
        dialogue.send(None)
    except StopIteration as done:
        result: ReflectionResult = done.value
        return result
    raise AssertionError("functions that answer at once never let a coroutine wait")


async def apply_with_reflection_async(
    text: str,
    root: Root,
    ask: Callable[[str], Awaitable[str]],
    *,
    max_reflections: int = 3,
    verify: Callable[[EditResult], Awaitable[str | None] | str | None] | None = None,
    fmt: str = "auto",
    threshold: float = 0.8,
    dry_run: bool = False,
    relocate: bool = False,
    check_syntax: bool | None = None,
    allow_blind: bool = True,
    expect: Iterable[str | Read] = (),
    empty_search: str = "create",
) -> ReflectionResult:
    """`apply_with_reflection` for coroutines."""
    options = Options.of(
        threshold,
        relocate=relocate,
        check_syntax=check_syntax,
        allow_blind=allow_blind,
        notes=False,
    )
    ground = _Ground(root, options, parse_reads(expect), empty_search, dry_run=dry_run)
    rounds: list[Round] = []
    batch: Spec | None = None
    outcomes: tuple[EditOutcome, ...] = ()
    while True:
        batch, outcomes, problem, fix = _try_batch(ground, text, fmt, batch, outcomes)
        fmt = fmt if batch is None else batch.dialect
        shown = outcomes
        if problem is None and batch is not None:
            landed = ground.land(batch)
            objection = None if verify is None else verify(landed)
            if inspect.isawaitable(objection):
                objection = await objection
            if objection is None:
                rounds.append(Round(text, shown, None))
                return ReflectionResult(shown, ground.files, tuple(rounds))
            problem, fix = f"All edits applied, but the check says:\n{objection}", FOLLOW_UP
            batch, outcomes = None, ()
        if len(rounds) == max_reflections:
            ground.undo()
            rounds.append(Round(text, shown, None))
            return ReflectionResult(shown, {}, tuple(rounds), problem)
        correction = f"{problem}\n{fix}"
        rounds.append(Round(text, shown, correction))
        text = await ask(correction) or ""


def apply_corrections(spec: Spec, outcomes: Sequence[EditOutcome], reply: Spec) -> Spec:
    """Build the next batch: what applied stays, a reply's edits replace what was refused.

    Edits that are sent again although they applied are not doubled; where corrections and
    refusals differ in number, the corrections come last. The digest stays that of the first.
    """
    sent = [*zip(spec.edits, outcomes, strict=True)]
    edits = [edit for edit, outcome in sent if outcome.error is None]
    fresh = [edit for edit in reply.edits if edit not in edits]
    if len(edits) + len(fresh) == len(sent):
        waiting = iter(fresh)
        edits = [edit if outcome.error is None else next(waiting) for edit, outcome in sent]
    else:
        edits += fresh
    wrong = {spec.edits[number - 1] for number in spec.miscounted}
    wrong |= {reply.edits[number - 1] for number in reply.miscounted}
    miscounted = frozenset(number for number, edit in enumerate(edits, 1) if edit in wrong)
    return replace(spec, edits=tuple(edits), miscounted=miscounted)


def _try_batch(
    ground: _Ground, text: str, fmt: str, batch: Spec | None, outcomes: tuple[EditOutcome, ...]
) -> tuple[Spec | None, tuple[EditOutcome, ...], str | None, str]:
    """The next batch with what would become of it, and the problem with it if there is one.

    What follows is read in the notation that was sent first: no other can be mixed with it.
    """
    try:
        spec = ground.parse(text, fmt)
    except InvalidInput as error:
        return batch, outcomes, str(error), REPARSE if fmt == "auto" else SAME.format(fmt)
    batch = spec if batch is None else apply_corrections(batch, outcomes, spec)
    plan = ground.plan(batch)
    problem = None if plan.ok else refusal_text(plan.outcomes)
    return batch, plan.outcomes, problem, RESEND


class _Ground:
    """The files that batches land on, one after the other, and the way back.

    Without a `home` to be written they stay in memory.
    """

    def __init__(
        self,
        root: Root,
        options: Options,
        reads: Sequence[Read],
        empty_search: str,
        *,
        dry_run: bool,
    ) -> None:
        self._root = root
        self._options = options
        self._reads = reads
        self._empty_search = empty_search
        self._home = None if dry_run or isinstance(root, Mapping) else Path(root)
        self._before: dict[str, File | None] = {}
        self._changed: dict[str, File | None] = {}
        self.files: dict[str, Content | None] = {}

    def parse(self, text: str, fmt: str) -> Spec:
        """Parse a batch. Raises InvalidInput."""
        return parse_for(self._root, text, fmt, self._empty_search).spec

    def plan(self, spec: Spec) -> Plan:
        """What the edits would do; what an earlier batch has written, nobody has read."""
        files = take_snapshot(self._root)
        if self._home is None:
            files = Overlay(files, self._changed)
        reads = [read for read in self._reads if read.path not in self._before]
        return plan_below(self._root, spec, files, self._options, reads)

    def land(self, spec: Spec) -> EditResult:
        """Put the edits in place."""
        plan = self.plan(spec)
        changed = files_after(plan)
        if self._home is not None:
            write_files(self._home, changed, files_before(plan.files))
        self._before = files_before(plan.files) | self._before
        self._changed |= changed
        self.files |= list_contents(self._root, plan)
        return EditResult(plan.outcomes, dict(self.files))

    def undo(self) -> None:
        """Put a directory's files back as they were."""
        if self._home is not None and self._before:
            write_files(self._home, self._before)


Prepare = Callable[[Sequence[Spec]], tuple[PlannedCommit, ...]]


@dataclass(frozen=True, slots=True)
class Reflection:
    """Who answers a correction with a spec, and how often it may be asked at each stage.

    `ask` raises InvalidInput where there is no answer. Absolute paths in it are below `root`.
    """

    ask: Callable[[str], bytes]
    root: str | None
    limit: int = 3

    def parse(self, read: Callable[[], list[Spec]]) -> list[Spec]:
        """Parse the specs; one that cannot be read is asked for again. Raises InvalidInput."""
        for _ in range(self.limit):
            try:
                return read()
            except InvalidInput as error:
                read = self._reader(self.ask(f"{error}\n{REPARSE}\n"))
        return read()

    def steps(self, specs: Sequence[Spec], prepare: Prepare) -> tuple[PlannedCommit, ...]:
        """Plan specs, and ask for corrections of refused edits as often as allowed."""
        steps = prepare(specs)
        unread: str | None = None
        for _ in range(self.limit):
            if steps[-1].plan.ok:
                break
            refused = f"{refusal_text(steps[-1].plan.outcomes)}\n{RESEND}\n"
            answer = self.ask(refused if unread is None else unread)
            try:
                specs, unread = self._correct(specs, steps, answer), None
                steps = prepare(specs)
            except InvalidInput as error:
                unread = f"{error}\n{REPARSE}\n"
        return steps

    def land(
        self,
        steps: Sequence[PlannedCommit],
        prepare: Prepare,
        land: Callable[[Sequence[PlannedCommit]], tuple[RecordedCommit, ...]],
    ) -> tuple[RecordedCommit, ...]:
        """Land steps; where `verify` fails, ask for more edits as often as allowed.

        Raises VerifyFailed, and what `land` raises.
        """
        for _ in range(self.limit):
            try:
                return land(steps)
            except VerifyFailed as failed:
                heard = f"It printed:\n{failed.output.rstrip()}\n" if failed.output.strip() else ""
                answer = self.ask(f"{failed}\n{heard}{FOLLOW_UP}\n")
                steps = self._follow_up([step.spec for step in steps], answer, prepare)
        return land(steps)

    def _follow_up(
        self, specs: Sequence[Spec], answer: bytes, prepare: Prepare
    ) -> tuple[PlannedCommit, ...]:
        """Plan an answer on top of the last spec, or else in its place."""
        last = specs[-1]
        reply = self._parse(answer, last.dialect)
        digest = hashlib.sha256(last.digest.encode() + answer).hexdigest()
        whole = replace(last, edits=(*last.edits, *reply.edits), digest=digest)
        if last.sequential:
            steps = prepare([*specs[:-1], whole])
            if steps[-1].plan.ok:
                return steps
        anew = replace(last, edits=reply.edits, digest=digest)
        return self.steps([*specs[:-1], anew], prepare)

    def _correct(
        self, specs: Sequence[Spec], steps: Sequence[PlannedCommit], answer: bytes
    ) -> list[Spec]:
        """The specs with the refused edits of the last step replaced by those of an answer."""
        at = len(steps) - 1
        spec, outcomes = specs[at], steps[at].plan.outcomes
        reply = self._parse(answer, spec.dialect)
        digest = hashlib.sha256(spec.digest.encode() + answer).hexdigest()
        mended = replace(apply_corrections(spec, outcomes, reply), digest=digest)
        return [*specs[:at], mended, *specs[at + 1 :]]

    def _reader(self, answer: bytes) -> Callable[[], list[Spec]]:
        digest = hashlib.sha256(answer).hexdigest()
        return lambda: [replace(self._parse(answer), digest=digest)]

    def _parse(self, answer: bytes, dialect: str = "auto") -> Spec:
        exists = None if self.root is None else partial(has_file, self.root)
        return parse(answer, dialect, root=self.root, exists=exists)
