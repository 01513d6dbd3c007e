"""reflect.py: send a model its refusals, with hints, until its edits land or it gives up.

The loop is a coroutine. For plain functions, which never wait, it runs to its end in one step.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from hkgit.applying.files.directory import DirectorySnapshot, write_files
from hkgit.applying.outcome import EditOutcome
from hkgit.applying.reporting import refusal_text
from hkgit.edits import File, Spec
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, replace
from hkgit.workflows.arguments import Content
from hkgit.workflows.library import EditResult, Root, apply_edits, parse_edits

Item = TypeVar("Item", bound=Hashable)

RESEND = "Send only the refused edits again, corrected, in the same notation; the others are kept."
REPARSE = "Send the edits again in a notation that can be read."
SAME = "Send the edits again in the notation {}, as before."
FOLLOW_UP = "Send edits that mend it; they apply on top of those that are in place."


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
    threshold: float = 0.8,
    check_syntax: bool | None = None,
    fmt: str = "auto",
) -> ReflectionResult:
    """Apply a spec; on a refusal `ask` gets the correction to make and answers with a spec.

    At most `max_reflections` times. Nothing lands until every edit applies. `verify` sees each
    batch once it is in place (a directory is written then) and may object; its words go back the
    same way, and when they stay the last ones, the files are as they were.
    """

    async def ask_at_once(correction: str) -> str:
        return ask(correction)

    dialogue = apply_with_reflection_async(
        text,
        root,
        ask_at_once,
        max_reflections=max_reflections,
        verify=verify,
        threshold=threshold,
        check_syntax=check_syntax,
        fmt=fmt,
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
    threshold: float = 0.8,
    check_syntax: bool | None = None,
    fmt: str = "auto",
) -> ReflectionResult:
    """`apply_with_reflection` for coroutines."""
    ground = _Ground(root, threshold, check_syntax)
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


def merge_corrections(
    items: Sequence[Item], outcomes: Sequence[EditOutcome], corrections: Sequence[Item]
) -> list[Item]:
    """Build the next batch: what applied stays, corrections replace what was refused.

    Edits that are sent again although they applied are not doubled; where corrections and
    refusals differ in number, the corrections come last.
    """
    kept = [item for item, outcome in zip(items, outcomes, strict=True) if outcome.error is None]
    fresh = [item for item in corrections if item not in kept]
    if len(kept) + len(fresh) != len(items):
        return [*kept, *fresh]
    waiting = iter(fresh)
    return [
        next(waiting) if outcome.error is not None else item
        for item, outcome in zip(items, outcomes, strict=True)
    ]


def apply_corrections(spec: Spec, outcomes: Sequence[EditOutcome], reply: Spec) -> Spec:
    """Replace those edits of a spec that a reply corrects; the digest stays that of the first."""
    pairs = list(zip(spec.edits, spec.blocks, strict=True))
    fresh = list(zip(reply.edits, reply.blocks, strict=True))
    cut = {pairs[number - 1] for number in spec.truncated}
    both = merge_corrections(pairs, outcomes, fresh)
    truncated = frozenset(number for number, pair in enumerate(both, 1) if pair in cut)
    edits, blocks = tuple(pair[0] for pair in both), tuple(pair[1] for pair in both)
    return replace(spec, edits=edits, blocks=blocks, truncated=truncated)


def _try_batch(
    ground: _Ground, text: str, fmt: str, batch: Spec | None, outcomes: tuple[EditOutcome, ...]
) -> tuple[Spec | None, tuple[EditOutcome, ...], str | None, str]:
    """The next batch with what would become of it, and the problem with it if there is one.

    What follows is read in the notation that was sent first: no other can be mixed with it.
    """
    try:
        spec = parse_edits(text, fmt).spec
    except InvalidInput as error:
        return batch, outcomes, str(error), REPARSE if fmt == "auto" else SAME.format(fmt)
    batch = spec if batch is None else apply_corrections(batch, outcomes, spec)
    result = ground.plan(batch)
    problem = None if result.ok else refusal_text(result.outcomes)
    return batch, result.outcomes, problem, RESEND


class _Ground:
    """The files that batches land on, one after the other, and the way back."""

    def __init__(self, root: Root, threshold: float, check_syntax: bool | None) -> None:
        self._root = root
        self._threshold = threshold
        self._check_syntax = check_syntax
        self._before: dict[str, File | None] = {}
        self.files: dict[str, Content | None] = {}

    def plan(self, spec: Spec) -> EditResult:
        """What the edits would do."""
        return self._apply(spec, dry_run=True)

    def _apply(self, spec: Spec, *, dry_run: bool) -> EditResult:
        return apply_edits(
            spec,
            self._root,
            threshold=self._threshold,
            check_syntax=self._check_syntax,
            dry_run=dry_run,
        )

    def land(self, spec: Spec) -> EditResult:
        """Put the edits in place."""
        result = self.plan(spec)
        if isinstance(self._root, Mapping):
            after = {**self._root, **result.files}
            self._root = {path: text for path, text in after.items() if text is not None}
        else:
            files = DirectorySnapshot(Path(self._root))
            self._before = {path: files.get(path) for path in result.files} | self._before
            self._apply(spec, dry_run=False)
        self.files.update(result.files)
        return replace(result, files=dict(self.files))

    def undo(self) -> None:
        """Put a directory's files back as they were."""
        if not isinstance(self._root, Mapping) and self._before:
            write_files(Path(self._root), self._before)
