"""grading.py: what an answer is worth.

An answer is the bytes of the file after the edit, or None where the engine refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from benchmarks.engines.drafts import Draft, Verdict
from benchmarks.engines.rivals import folded


class Grade(Enum):
    """The four ends that an edit can come to; the first two are landings."""

    IDEAL = "byte for byte"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WRONG = "wrong"


def _trailing(text: str) -> object:
    return [line.rstrip() for line in text.split("\n")]


def _blanks(text: str) -> object:
    return ["".join(line.split()) for line in text.split("\n")]


def _typography(text: str) -> object:
    return [folded(line) for line in text.split("\n")]


def _ends(text: str) -> object:
    return text.replace("\r\n", "\n")


FOLDS: dict[str, Callable[[str], object]] = {
    "bytes": lambda text: text,
    "trailing": _trailing,
    "blanks": _blanks,
    "typography": _typography,
    "ends": _ends,
}
"""What may differ between the ideal result and one that is right all the same."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The verdict and the right result.

    `head` and `tail` count the bytes before and after the stretch in which `fold` may differ;
    everywhere else a result that is right is byte for byte the ideal one. `literal` is what plain
    replacement gives of an old text that the file has once: who asks for that may have it.
    """

    verdict: Verdict
    before: bytes
    ideal: bytes
    fold: str = "bytes"
    head: int = 0
    tail: int = 0
    literal: bytes | None = None

    @classmethod
    def of(cls, draft: Draft) -> Truth:
        """The truth that a draft carries."""
        head, tail = draft.bounds(context=draft.folds_context)
        old, new = draft.old.encode(), draft.new.encode()
        is_literal = draft.takes_literal and draft.before.count(old) == 1
        literal = draft.before.replace(old, new) if is_literal else None
        return cls(draft.verdict, draft.before, draft.ideal, draft.fold, head, tail, literal)


def grade(truth: Truth, answer: bytes | None) -> Grade:
    """Judge one answer. A success that changes nothing harms nothing where nothing may land."""
    if answer is None:
        return Grade.REFUSED
    if truth.verdict is Verdict.REFUSE:
        return Grade.REFUSED if answer == truth.before else Grade.WRONG
    if answer == truth.ideal:
        return Grade.IDEAL
    is_accepted = answer == truth.literal or _is_accepted(truth, answer)
    return Grade.ACCEPTED if is_accepted else Grade.WRONG


def _is_accepted(truth: Truth, answer: bytes) -> bool:
    """Whether an answer differs from the ideal only where and how it may."""
    end, ideal_end = len(answer) - truth.tail, len(truth.ideal) - truth.tail
    if truth.fold == "bytes" or end < truth.head:
        return False
    if answer[: truth.head] != truth.ideal[: truth.head] or answer[end:] != truth.ideal[ideal_end:]:
        return False
    fold = FOLDS[truth.fold]
    middle, ideal = answer[truth.head : end], truth.ideal[truth.head : ideal_end]
    return fold(middle.decode("utf-8", "replace")) == fold(ideal.decode("utf-8", "replace"))
