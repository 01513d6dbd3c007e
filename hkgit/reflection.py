"""reflection.py: a model gets its refusals back, with hints, until its edits land or it gives up.

The loop is one generator that asks for the next spec or for a verdict on the result; two small
drivers answer it, one for plain functions, one for coroutines.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from hkgit.applying.outcome import EditOutcome
from hkgit.applying.reporting import refusal_text
from hkgit.directory import DirectorySnapshot, write_files
from hkgit.edits import AnyEdit, File
from hkgit.errors import InvalidInput
from hkgit.library import Content, EditResult, apply_edits, parse_edits

Root = str | Path | Mapping[str, Content]
Item = TypeVar("Item", bound=Hashable)

RESEND = "Send only the refused edits again, corrected, in the same notation; the others are kept."
REPARSE = "Send the edits again in a notation that can be read."
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
        """The problem as a message that an agent can act on; empty when all went well."""
        return self.problem or ""


def apply_with_reflection(
    text: str,
    root: Root,
    ask: Callable[[str], str],
    *,
    max_reflections: int = 3,
    verify: Callable[[EditResult], str | None] | None = None,
    threshold: float = 0.8,
) -> ReflectionResult:
    """Apply a spec; on a refusal `ask` gets the correction to make and answers with a spec.

    At most `max_reflections` times. Nothing lands until every edit applies. `verify` sees each
    batch once it is in place (a directory is written then) and may object; its words go back the
    same way, and when they stay the last ones, the files are as they were.
    """
    loop = _loop(text, root, max_reflections, threshold, has_verify=verify is not None)
    answer: str | None = None
    while True:
        try:
            request = loop.send(answer)
        except StopIteration as done:
            result: ReflectionResult = done.value
            return result
        if isinstance(request, str):
            answer = ask(request)
        else:
            answer = verify(request) if verify is not None else None


async def apply_with_reflection_async(
    text: str,
    root: Root,
    ask: Callable[[str], Awaitable[str]],
    *,
    max_reflections: int = 3,
    verify: Callable[[EditResult], Awaitable[str | None] | str | None] | None = None,
    threshold: float = 0.8,
) -> ReflectionResult:
    """`apply_with_reflection` for coroutines."""
    loop = _loop(text, root, max_reflections, threshold, has_verify=verify is not None)
    answer: str | None = None
    while True:
        try:
            request = loop.send(answer)
        except StopIteration as done:
            result: ReflectionResult = done.value
            return result
        if isinstance(request, str):
            answer = await ask(request)
        else:
            said = verify(request) if verify is not None else None
            answer = await said if inspect.isawaitable(said) else said


def merged(
    items: Sequence[Item], outcomes: Sequence[EditOutcome], corrections: Sequence[Item]
) -> list[Item]:
    """The next batch: what applied stays, corrections take the places of what was refused.

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


def _loop(
    text: str, root: Root, max_reflections: int, threshold: float, *, has_verify: bool
) -> Generator[str | EditResult, str | None, ReflectionResult]:
    """Asks for a spec with a correction, or for a verdict with a result."""
    ground = _Ground(root, threshold)
    rounds: list[Round] = []
    batch: list[AnyEdit] = []
    outcomes: tuple[EditOutcome, ...] = ()
    while True:
        batch, outcomes, problem, fix = _tried(ground, text, batch, outcomes)
        shown = outcomes
        if problem is None:
            landed = ground.land(batch)
            said = (yield landed) if has_verify else None
            if said is None:
                rounds.append(Round(text, shown, None))
                return ReflectionResult(shown, ground.files, tuple(rounds))
            problem, fix = f"All edits applied, but the check says:\n{said}", FOLLOW_UP
            batch, outcomes = [], ()
        if len(rounds) == max_reflections:
            ground.undo()
            rounds.append(Round(text, shown, None))
            return ReflectionResult(shown, {}, tuple(rounds), problem)
        correction = f"{problem}\n{fix}"
        rounds.append(Round(text, shown, correction))
        text = (yield correction) or ""


def _tried(
    ground: _Ground, text: str, batch: list[AnyEdit], outcomes: tuple[EditOutcome, ...]
) -> tuple[list[AnyEdit], tuple[EditOutcome, ...], str | None, str]:
    """The next batch with what would become of it, and the problem with it if there is one."""
    try:
        edits = parse_edits(text)
    except InvalidInput as error:
        return batch, outcomes, str(error), REPARSE
    batch = merged(batch, outcomes, edits)
    result = ground.tried(batch)
    problem = None if result.ok else refusal_text(result.outcomes)
    return batch, result.outcomes, problem, RESEND


class _Ground:
    """The files that batches land on, one after the other, and the way back."""

    def __init__(self, root: Root, threshold: float) -> None:
        self._root = root
        self._threshold = threshold
        self._before: dict[str, File | None] = {}
        self.files: dict[str, Content | None] = {}

    def tried(self, edits: Sequence[AnyEdit]) -> EditResult:
        """What the edits would do."""
        return apply_edits(edits, self._root, self._threshold, dry_run=True)

    def land(self, edits: Sequence[AnyEdit]) -> EditResult:
        """Put the edits in place."""
        result = self.tried(edits)
        if isinstance(self._root, Mapping):
            after = {**self._root, **result.files}
            self._root = {path: text for path, text in after.items() if text is not None}
        else:
            files = DirectorySnapshot(Path(self._root))
            self._before = {path: files.get(path) for path in result.files} | self._before
            apply_edits(edits, self._root, self._threshold)
        self.files.update(result.files)
        return replace(result, files=dict(self.files))

    def undo(self) -> None:
        """Put a directory's files back as they were."""
        if not isinstance(self._root, Mapping) and self._before:
            write_files(Path(self._root), self._before)
