"""Corrections asked of a model: one dialogue, about files or about commits.

It is a coroutine. For plain functions, which never wait, it runs to its end in one step.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from functools import partial, wraps
from typing import Generic, ParamSpec, TypeVar

from hkgit.applying.files import has_file
from hkgit.applying.outcome import EditOutcome, refusal_text
from hkgit.applying.planner import PlannedSpec
from hkgit.dialects import parse
from hkgit.edits import Read, Spec, decode_text
from hkgit.errors import HkgitError, InvalidInput, VerifyFailed
from hkgit.text.hashes import digest
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


class _Batches(Generic[Step]):
    """Specs that are planned until they have a place; corrections are of the last that was planned.

    All are read in the notation that was sent first. What answers a failed verification is tried
    on top of the last spec, or else in its place; where `steps` are none, as a spec by itself.
    `error` says why none could be read, or what has landed failed.
    """

    def __init__(
        self,
        parse: Callable[[str, str], Spec],
        plan: Callable[[Sequence[Spec]], Sequence[Step]],
        dialect: str = "auto",
        begin: Callable[[], Sequence[Spec]] | None = None,
    ) -> None:
        self.outcomes: tuple[EditOutcome, ...] = ()
        self.steps: Sequence[Step] = ()
        self.error: HkgitError | None = None
        self._parse = parse
        self._plan = plan
        self._dialect = dialect
        self._begin = begin
        self._after: Sequence[Spec] = ()  # those behind a spec that was refused

    @property
    def reparse(self) -> str:
        """What to send where nothing could be read."""
        return REPARSE if self._dialect == "auto" else SAME.format(self._dialect)

    def plan(self, candidates: Sequence[Sequence[Spec]]) -> None:
        """Plan the first of them that has a place, or else the last."""
        self.error = None
        for specs in candidates:
            self.steps = self._plan(specs)
            self._after = specs[len(self.steps) :]
            self._dialect = self.steps[-1].spec.dialect
            if self.steps[-1].plan.ok:
                break
        self.outcomes = self.steps[-1].plan.outcomes

    def read(self, text: str) -> Iterator[Sequence[Spec]]:
        """Read what is to be planned, the likeliest first. Raises InvalidInput."""
        begin, self._begin = self._begin, None
        if begin is not None:
            yield begin()
            return
        reply = self._parse(text, self._dialect)
        if not self.steps:
            yield [reply]
            return
        last, before = self.steps[-1].spec, [step.spec for step in self.steps[:-1]]
        refused = [each.number for each in self.outcomes if each.error is not None]
        if refused:
            yield [*before, _correct_spec(last, refused, reply), *self._after]
            return
        anew = replace(last, edits=reply.edits, digest=_join_digests(last, reply))
        if last.sequential:
            yield [*before, replace(anew, edits=(*last.edits, *reply.edits))]
        yield [*before, anew]


async def _converse(
    batches: _Batches[Step],
    land: Callable[[Sequence[Step]], Awaitable[str | None]],
    text: str,
    ask: Callable[[str], Awaitable[str] | str],
    limit: int,
) -> tuple[tuple[Round, ...], str | None]:
    """Ask for corrections until a batch is in place, at most `limit` times.

    `land` answers with what is wrong with a batch that has a place. Returns every round, and the
    problem that is left.
    """
    rounds: list[Round] = []
    while True:
        problem: str | None
        try:
            candidates = [*batches.read(text)]
        except InvalidInput as error:
            batches.error = batches.error or error
            problem, fix = str(error), batches.reparse
        else:
            batches.plan(candidates)
            problem, fix = refusal_text(batches.outcomes) or None, RESEND
            if problem is None:
                problem, fix = await land(batches.steps), FOLLOW_UP
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
    return digest((spec.digest + reply.digest).encode())


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

    def plan(specs: Sequence[Spec]) -> Sequence[PlannedSpec]:
        return [PlannedSpec(each, ground.plan(each), ()) for each in specs]

    async def land(steps: Sequence[PlannedSpec]) -> str | None:
        landed = ground.land(steps[-1].plan)
        objection = None if verify is None else verify(landed)
        if inspect.isawaitable(objection):
            objection = await objection
        if objection is None:
            return None
        batches.steps = ()  # what follows applies on top
        return f"All edits applied, but the check says:\n{objection}"

    batches = _Batches(lambda text, dialect: ground.parse(text, dialect).spec, plan, fmt)
    rounds, problem = await _converse(batches, land, text, ask, max_reflections)
    if problem is not None:
        ground.undo()
    return ReflectionResult(batches.outcomes, ground.files, rounds, problem)


apply_with_reflection = _answer_at_once(apply_with_reflection_async)


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
        landed = list[Done]()

        async def try_landing(steps: Sequence[Step]) -> str | None:
            try:
                landed.append(land(steps))
            except VerifyFailed as failed:
                batches.error = failed
                printed = failed.output.rstrip()
                return f"{failed}\nIt printed:\n{printed}" if printed else str(failed)
            return None

        def ask(correction: str) -> str:
            return decode_text(self.ask(f"{correction}\n"))

        batches = _Batches(self.parse, plan, begin=self.read)
        _answer_at_once(_converse)(batches, try_landing, "", ask, self.limit)
        if batches.error is not None:
            raise batches.error
        return landed[0] if landed else land(batches.steps)

    def parse(self, text: str, dialect: str) -> Spec:
        """Parse an answer. Raises InvalidInput."""
        exists = None if self.root is None else partial(has_file, self.root)
        return parse(text, dialect, root=self.root, exists=exists)
