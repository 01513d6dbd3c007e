"""Corrections asked of a model: one dialogue, about files or about commits.

It is a coroutine. For plain functions, which never wait, it runs to its end in one step.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from functools import partial, wraps
from typing import Generic, ParamSpec, TypeVar

from hkgit.applying.files import has_file
from hkgit.applying.outcome import EditOutcome, Plan, refusal_text
from hkgit.applying.planner import PlannedSpec
from hkgit.dialects import parse
from hkgit.edits import Read, Spec, decode_text, encode_text
from hkgit.errors import HkgitError, InvalidInput, VerifyFailed
from hkgit.text.hashes import sha256
from hkgit.values import dataclass, replace
from hkgit.workflows.library import EditResult, Ground, Root

RESEND = "Send only the refused edits again, corrected, in the same notation; the others are kept."
REPARSE = "Send the edits again in a notation that can be read."
SAME = "Send the edits again in the notation {}, as before."
FOLLOW_UP = "Send edits that fix it; they apply on top of those already made."

Arguments = ParamSpec("Arguments")
Step = TypeVar("Step", bound=PlannedSpec)
Done = TypeVar("Done")


@dataclass(frozen=True)
class Round:
    """What was sent, what became of each edit, and the correction that was asked for if any."""

    text: str
    outcomes: tuple[EditOutcome, ...]
    correction: str | None


@dataclass(frozen=True)
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


async def _converse(
    batches: _FileBatches | _CommitBatches[Step, Done],
    text: str,
    ask: Callable[[str], Awaitable[str] | str],
    limit: int,
) -> tuple[tuple[Round, ...], str | None]:
    """Ask for corrections until a batch is in place, at most `limit` times.

    Returns every round, and the problem that is left.
    """
    rounds: list[Round] = []
    while True:
        problem: str | None
        try:
            batches.read(text)
        except InvalidInput as error:
            problem, fix = str(error), batches.reparse
        else:
            batches.plan()
            problem, fix = refusal_text(batches.outcomes) or None, RESEND
            if problem is None:
                problem, fix = await batches.land(), FOLLOW_UP
        is_last = problem is None or len(rounds) == limit
        rounds.append(Round(text, batches.outcomes, None if is_last else f"{problem}\n{fix}"))
        if is_last:
            return tuple(rounds), problem
        answer = ask(f"{problem}\n{fix}")
        text = (await answer if inspect.isawaitable(answer) else answer) or ""


def _answer_at_once(
    dialogue: Callable[Arguments, Coroutine[object, None, Done]],
) -> Callable[Arguments, Done]:
    """Make a plain function of a coroutine that never waits, since all it calls answers at once."""

    @wraps(dialogue)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Done:
        try:
            dialogue(*args, **kwargs).send(None)
        except StopIteration as done:
            result: Done = done.value
            return result
        what, fix = "is a coroutine that waits", "Call apply_with_reflection_async."
        raise InvalidInput("ask", what, fix)

    run.__name__ = run.__qualname__ = dialogue.__name__.removesuffix("_async")
    return run


class _FileBatches:
    """Batches for the files of a root; all are read in the notation that was sent first."""

    def __init__(
        self,
        ground: Ground,
        fmt: str,
        verify: Callable[[EditResult], Awaitable[str | None] | str | None] | None,
    ) -> None:
        self.outcomes: tuple[EditOutcome, ...] = ()
        self.reparse = REPARSE if fmt == "auto" else SAME.format(fmt)
        self._ground = ground
        self._fmt = fmt
        self._verify = verify
        self._batch: Spec | None = None
        self._planned = Plan((), ())

    def read(self, text: str) -> None:
        spec = self._ground.parse(text, self._fmt).spec
        if self._batch is not None:
            spec = _correct_spec(self._batch, _list_refused(self.outcomes), spec)
        self._batch, self._fmt, self.reparse = spec, spec.dialect, SAME.format(spec.dialect)

    def plan(self) -> None:
        assert self._batch is not None, "what is planned was read"
        self._planned = self._ground.plan(self._batch)
        self.outcomes = self._planned.outcomes

    async def land(self) -> str | None:
        landed = self._ground.land(self._planned)
        objection = None if self._verify is None else self._verify(landed)
        if inspect.isawaitable(objection):
            objection = await objection
        if objection is None:
            return None
        self._batch = None  # what follows applies on top
        return f"All edits applied, but the check says:\n{objection}"


def _correct_spec(spec: Spec, refused: Sequence[int], reply: Spec) -> Spec:
    """Put the edits of a reply in place of refused ones, which are numbered from 1.

    Where they differ in number, edits that are sent again although they applied are not doubled;
    if they still do, what applied stays and the corrections come last.
    """
    sent = [(edit, at in spec.miscounted) for at, edit in enumerate(spec.edits, 1)]
    fresh = [(edit, at in reply.miscounted) for at, edit in enumerate(reply.edits, 1)]
    kept = [each for at, each in enumerate(sent, 1) if at not in refused]
    if len(fresh) != len(refused):
        applied = [edit for edit, _ in kept]
        fresh = [each for each in fresh if each[0] not in applied]
    if len(fresh) == len(refused):
        places = dict(zip(refused, fresh, strict=True))
        batch = [places.get(at, each) for at, each in enumerate(sent, 1)]
    else:
        batch = [*kept, *fresh]
    return replace(
        spec,
        edits=tuple(edit for edit, _ in batch),
        digest=_join_digests(spec, reply),
        miscounted=frozenset(at for at, (_, is_wrong) in enumerate(batch, 1) if is_wrong),
    )


def _join_digests(spec: Spec, reply: Spec) -> str:
    """Digest a spec together with what answered its refusal."""
    return sha256((spec.digest + reply.digest).encode()).hexdigest()


def _list_refused(outcomes: Sequence[EditOutcome]) -> list[int]:
    return [each.number for each in outcomes if each.error is not None]


async def apply_with_reflection_async(
    text: str,
    root: Root,
    ask: Callable[[str], Awaitable[str] | str],
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
    """Apply a spec; on a refusal `ask` gets the correction to make and answers with a spec.

    At most `max_reflections` times. Nothing lands until every edit applies. `verify` sees each
    batch once it is in place (a directory is written then) and may object; its words go back the
    same way, and when they stay the last ones, the files are as they were. The other options
    mean what those of `apply_edits` do. `apply_with_reflection` is the same where neither of the
    two waits.
    """
    ground = Ground(
        root,
        threshold=threshold,
        dry_run=dry_run,
        relocate=relocate,
        check_syntax=check_syntax,
        allow_blind=allow_blind,
        expect=expect,
        empty_search=empty_search,
    )
    batches = _FileBatches(ground, fmt, verify)
    rounds, problem = await _converse(batches, text, ask, max_reflections)
    if problem is not None:
        ground.undo()
    return ReflectionResult(batches.outcomes, ground.files, rounds, problem)


apply_with_reflection = _answer_at_once(apply_with_reflection_async)


class _CommitBatches(Generic[Step, Done]):
    """Specs that become commits; corrections are of the last that was planned.

    What answers a failed verification is tried on top of that spec, or else in its place.
    """

    def __init__(
        self,
        reflection: Reflection,
        plan: Callable[[Sequence[Spec]], Sequence[Step]],
        land: Callable[[Sequence[Step]], Done],
    ) -> None:
        self.outcomes: tuple[EditOutcome, ...] = ()
        self.reparse = REPARSE
        self.steps: Sequence[Step] = ()
        self.landed: list[Done] = []
        self.error: HkgitError | None = None
        self._reflection = reflection
        self._plan = plan
        self._land = land
        self._is_begun = False
        self._specs: Sequence[Spec] = ()
        self._candidates: Sequence[Sequence[Spec]] = ()

    def read(self, text: str) -> None:
        try:
            self._candidates = [*self._list_candidates(text)]
        except InvalidInput as error:
            self.error = self.error or error
            raise

    def _list_candidates(self, text: str) -> Iterator[Sequence[Spec]]:
        if not self._is_begun:
            self._is_begun = True
            yield self._reflection.read()
            return
        if not self.steps:
            yield [self._reflection.parse(text, "auto")]
            return
        at = len(self.steps) - 1
        before, last, after = self._specs[:at], self._specs[at], self._specs[at + 1 :]
        reply = self._reflection.parse(text, last.dialect)
        refused = _list_refused(self.outcomes)
        if refused:
            yield [*before, _correct_spec(last, refused, reply), *after]
            return
        anew = replace(last, edits=reply.edits, digest=_join_digests(last, reply))
        if last.sequential:
            yield [*before, replace(anew, edits=(*last.edits, *reply.edits))]
        yield [*before, anew]

    def plan(self) -> None:
        for specs in self._candidates:
            self._specs, self.steps, self.error = specs, self._plan(specs), None
            if self.steps[-1].plan.ok:
                break
        self.outcomes = self.steps[-1].plan.outcomes

    async def land(self) -> str | None:
        try:
            self.landed.append(self._land(self.steps))
        except VerifyFailed as failed:
            self.error = failed
            printed = failed.output.rstrip()
            return f"{failed}\nIt printed:\n{printed}" if printed else str(failed)
        return None


@dataclass(frozen=True)
class Reflection:
    """Who answers a correction with a spec, how often, and how the first specs are read.

    `ask` raises InvalidInput where there is no answer, and `read` where there is none that can be
    read. Absolute paths in an answer are below `root`.
    """

    ask: Callable[[str], bytes]
    read: Callable[[], Sequence[Spec]]
    root: str | None
    limit: int = 3

    def land(
        self,
        plan: Callable[[Sequence[Spec]], Sequence[Step]],
        land: Callable[[Sequence[Step]], Done],
    ) -> Done:
        """Read specs, plan and land them. Raises what is refused in the end, and VerifyFailed."""
        batches = _CommitBatches(self, plan, land)

        def ask(correction: str) -> str:
            return decode_text(self.ask(f"{correction}\n"))

        _answer_at_once(_converse)(batches, "", ask, self.limit)
        if batches.error is not None:
            raise batches.error
        return batches.landed[0] if batches.landed else land(batches.steps)

    def parse(self, text: str, dialect: str) -> Spec:
        """Parse an answer. Raises InvalidInput."""
        exists = None if self.root is None else partial(has_file, self.root)
        spec = parse(text, dialect, root=self.root, exists=exists)
        return replace(spec, digest=sha256(encode_text(text)).hexdigest())
