"""cases.py: drafts turned into the cases that engines are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from random import Random

from benchmarks.engines.corpus import Hunk, hunks_of
from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Verdict, drafted
from benchmarks.engines.grading import Truth
from benchmarks.engines.labels import LABELS, Label
from benchmarks.engines.rivals import (
    has_rival,
    matching_rows,
    means_elsewhere,
    stands_elsewhere,
)

PER_LABEL = 70
CONTEXT = (0, 1, 2, 3, 3, 3, 4, 5)
MAX_CONTEXT = 10
ENOUGH_ROWS = 2
"""So many right lines make a place recognisable although the edit is not exact."""


@dataclass(frozen=True, slots=True)
class Case:
    """What an engine is asked, and what it owes."""

    label: str
    name: str
    before: bytes
    old: str
    new: str
    truth: Truth
    path: str = "file"
    replace_all: bool = False


Drafted = tuple[Case, Draft, Draft]
"""A case, the faultless draft of it, and the draft with the mistake."""


def cases_of(half: str, cache: Path, *, seed: int = 0, per_label: int = PER_LABEL) -> list[Case]:
    """The cases of a half, label by label; the same for the same seed."""
    return cases_from(hunks_of(half, cache), seed=seed, per_label=per_label)


def cases_from(hunks: Sequence[Hunk], *, seed: int, per_label: int) -> list[Case]:
    """The cases that some hunks give."""
    return [case for case, _, _ in drafts_of(hunks, seed=seed, per_label=per_label)]


def drafts_of(hunks: Sequence[Hunk], *, seed: int, per_label: int) -> Iterator[Drafted]:
    """The cases that some hunks give, each with the drafts that it was made of."""
    kinds: dict[tuple[str, str], list[Hunk]] = {}
    for hunk in hunks:
        kinds.setdefault(_kind_of(hunk), []).append(hunk)
    for name, label in LABELS.items():
        in_turn = _round_robin(hunks, f"{seed}:{name}")
        yield from _cases(name, label, in_turn, per_label * label.times, kinds)


def _kind_of(hunk: Hunk) -> tuple[str, str]:
    """The project of a hunk, and the kind of its file."""
    return hunk.package, PurePosixPath(hunk.path).suffix


def _round_robin(hunks: Sequence[Hunk], seed: str) -> Iterator[tuple[Random, Hunk]]:
    """Hunks in a random order in which every package has its turn."""
    rng = Random(seed)
    queues: dict[str, list[Hunk]] = {}
    for hunk in rng.sample(hunks, len(hunks)):
        queues.setdefault(hunk.package, []).append(hunk)
    while queues:
        for package in list(queues):
            yield rng, queues[package].pop()
            if not queues[package]:
                del queues[package]


def _cases(
    name: str,
    label: Label,
    hunks: Iterator[tuple[Random, Hunk]],
    wanted: int,
    kinds: Mapping[tuple[str, str], Sequence[Hunk]],
) -> Iterator[Drafted]:
    """As many cases of one label as are wanted and can be had."""
    made = 0
    for rng, hunk in hunks:
        if made == wanted:
            return
        drafted = _case(name, label, Random(rng.random()), hunk, kinds[_kind_of(hunk)])
        if drafted is not None:
            made += 1
            yield drafted


def _case(
    name: str, label: Label, rng: Random, hunk: Hunk, neighbours: Sequence[Hunk]
) -> Drafted | None:
    """One case, or None where the hunk does not lend itself to the mistake."""
    faultless = _unique(rng, hunk, label.context)
    if faultless is not None:
        faultless = replace(faultless, neighbours=neighbours)
    draft = None if faultless is None else label.mistake(rng, faultless)
    if faultless is None or draft is None:
        return None
    if draft.old == draft.new or not draft.old.strip():
        return None
    if draft.verdict is not Verdict.REFUSE and draft.ideal == draft.before:
        return None
    if _means_another_place(draft):
        return None
    draft = _judged(draft)
    truth = Truth.of(draft)
    case = Case(name, hunk.name, draft.before, draft.old, draft.new, truth, hunk.path)
    return case, faultless, draft


def _unique(rng: Random, hunk: Hunk, least: int) -> Draft | None:
    """The hunk with some context, and with as much more as makes its old text unique."""
    above, below = (max(rng.choice(CONTEXT), least) for _ in range(2))
    wants_end = not hunk.new or rng.random() < 0.6
    while max(above, below) <= MAX_CONTEXT:
        draft = drafted(hunk, above, below)
        if not wants_end and not _ends_blank(draft):
            draft = replace(draft, edit_is_terminated=False)
        if draft.old.strip() and draft.before.count(draft.old.encode()) == 1:
            return draft
        above, below = above + 1, below + 1
    return None


def _means_another_place(draft: Draft) -> bool:
    """Whether an edit, taken at its word, is about some other place than the one it came from."""
    is_literal = draft.verdict is not Verdict.REFUSE or draft.before.count(draft.old.encode()) == 1
    return (is_literal and stands_elsewhere(draft)) or means_elsewhere(draft)


def _ends_blank(draft: Draft) -> bool:
    """Whether a side ends with a blank line, which nobody writes without its end."""
    return any(text.endswith("\n\n") for text in (draft.old, draft.new))


def _judged(draft: Draft) -> Draft:
    """A draft that cannot be told from another place need not land, unless it stands literally."""
    if draft.verdict is not Verdict.LAND or draft.old.encode() in draft.before:
        return draft
    is_clear = matching_rows(draft) >= ENOUGH_ROWS and not has_rival(draft)
    is_clear = is_clear and not _may_be_moved(draft)
    return draft if is_clear else replace(draft, verdict=Verdict.EITHER)


def _may_be_moved(draft: Draft) -> bool:
    """Whether a misquoted line stands inside a change that moves others past it.

    Then a diff may as well take that line for the one that moves, and so for a removed one.
    """
    said = {kind: {draft.rows[i].said for i in draft.rows_of(kind)} for kind in (GONE, ADDED)}
    changed = draft.rows_of(GONE + ADDED)
    inside = draft.rows[changed[0] : changed[-1]]
    is_misquoted = any(row.kind == KEPT and row.said != row.real for row in inside)
    return is_misquoted and bool(said[GONE] & said[ADDED])
