"""model.py: the simulated model. It is simple, and says nothing of how clever real ones are.

- It knows what it means: which lines of the file shall say what. It writes that wrongly at first,
  with one of the mistakes of `benchmarks.engines`.
- After a refusal it looks at what the answer holds, in this order: a corrected edit, which it
  sends as it is if that says what it means (a *trusting* model does not look); lines of the file,
  whole and with the change among them, which it quotes and rewrites. Where the answer holds
  nothing of use, it reads the lines around the place, or the whole file, and quotes the change
  with three lines of context, with three more at each further try.
- It is done when the edit has landed, or when it is told or sees that the file says already what
  it means.
- One in three calls that it writes itself has one name in a line of context misremembered again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random

from benchmarks.engines.labels.words import with_word_changed
from benchmarks.recovery.tasks import Task
from benchmarks.recovery.tools import NAME, Tool, hkgit
from hkgit import Edit, EditResult, parse_edits
from hkgit.edits import AnyEdit
from hkgit.errors import InvalidInput

SLIPS = 3
"""One in so many calls has a slip."""

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class Habit:
    """The tool that a model has, and what it does with an answer.

    `reads` says how many lines it reads around a place, None the whole file. `uses` says whether
    the answer holds hints; a model that `trusts` sends a corrected edit without looking at it.
    """

    uses: bool
    reads: int | None = 100
    trusts: bool = False
    tool: Tool = hkgit


@dataclass(frozen=True, slots=True)
class Call:
    """An edit as it is sent, and its size in bytes."""

    edits: tuple[AnyEdit, ...]
    size: int

    @classmethod
    def of(cls, old: str, new: str) -> Call:
        """The call of a tool that takes an old and a new text."""
        said = json.dumps({"file_path": NAME, "old_string": old, "new_string": new})
        return cls((Edit(NAME, old, new),), len(said))


@dataclass(slots=True)
class Model:
    """One model at one task: it counts what it reads, and answers with its next call."""

    task: Task
    habit: Habit
    rng: Random
    reads: int = 0
    read_bytes: int = 0
    tries: int = 0
    offered: int = 0
    offered_right: int = 0

    def next_call(self, result: EditResult) -> Call | None:
        """The call after a refusal; None where the model takes the matter for settled."""
        self.tries += 1
        if result.outcomes[0].status == "already_applied" and self.task.is_settled:
            return None
        call = self._from_hints(result) if self.habit.uses else None
        call = call or self._from_reading()
        return None if self.task.is_settled else call

    def _from_hints(self, result: EditResult) -> Call | None:
        outcome = result.outcomes[0]
        if outcome.corrected is not None:
            call = _parsed(outcome.corrected)
            is_right = call is not None and self._is_meant(call)
            self.offered += 1
            self.offered_right += is_right
            if is_right or self.habit.trusts:
                return call
        for candidate in outcome.candidates:
            is_shown = candidate.text is not None
            if is_shown and self.task.is_within(candidate.start_line, candidate.end_line):
                return self._written(candidate.start_line, candidate.end_line)
        return None

    def _is_meant(self, call: Call) -> bool:
        result = hkgit(call.edits, self.task.before)
        after = result.files.get(NAME)
        return isinstance(after, bytes) and self.task.is_landed(after)

    def _from_reading(self) -> Call:
        task, around = self.task, self.habit.reads
        total = len(task.lines)
        first, last = (
            (1, total)
            if around is None
            else (max(task.first - around // 2, 1), min(task.last + around // 2, total))
        )
        self.reads += 1
        shown = enumerate(task.lines[first - 1 : last], first)
        self.read_bytes += sum(len(f"{number}| {line}\n".encode()) for number, line in shown)
        margin = CONTEXT * self.tries
        return self._written(max(task.first - margin, 1), min(task.last + margin, total))

    def _written(self, first: int, last: int) -> Call:
        """What the model writes when it sees some lines, now and then with a slip."""
        old, new = self.task.meant(first, last)
        if self.rng.randrange(SLIPS) == 0:
            old, new = _slipped(self.rng, old, new)
        return Call.of(old, new)


def _parsed(text: str) -> Call | None:
    try:
        return Call(tuple(parse_edits(text)), len(text.encode()))
    except InvalidInput:
        return None


def _slipped(rng: Random, old: str, new: str) -> tuple[str, str]:
    """Both texts with one name of a line that stays misremembered, where there is one."""
    kept = [line for line in old.split("\n") if line and new.count(line) == old.count(line) == 1]
    line = rng.choice(kept) if kept else ""
    wrong = with_word_changed(rng, line) or line
    return old.replace(line, wrong, 1), new.replace(line, wrong, 1)
