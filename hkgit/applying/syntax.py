"""Refuse edits that leave a file which no longer parses, or markers in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.applying.hunk import map_lines
from hkgit.applying.outcome import EditOutcome, FileChange, Plan, refuse_edit, show_lines
from hkgit.edits import AnyEdit, CreateFile, Edit, WriteFile, encode_text, new_text_of, old_text_of
from hkgit.errors import InvalidInput, Near
from hkgit.matching.place import FULL
from hkgit.text.document import Document
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.applying.languages import Fault, Language

REFUSE = "refuse"
GUARD = "guard"
LOOSE = "loose"

AS_WRITTEN = ("exact", "file", "range", "tag")  # Tiers that take an edit at its word
_SHOWN = 2000  # So many bytes of the place are given with a refusal


def check_syntax(plans: Sequence[Plan], mode: str) -> list[Plan]:
    """Check plans of one call, each made on what the one before it leaves.

    What counts is the file that the last of them leaves; between them it may be of no language.
    `refuse` refuses the edit that breaks a file, `guard` only where an edit that was not exact
    takes part; else the last edit of the file gets a note. `loose` is `guard` without such notes:
    files of nothing but exact edits are not looked at.
    """
    checked = list(plans)
    for steps in _follow_files(plans):
        loose = [step for step in steps if _has_loose(plans[step[0]], step[1])]
        if mode == LOOSE and not loose:
            continue
        at, change = steps[-1]
        found = _find_broken(replace(change, before=steps[0][1].before))
        if found is not None:
            at, change = (loose or steps)[-1]
            checked[at] = _settle(checked[at], change, found, mode)
    return [each if each.ok else Plan(each.outcomes, ()) for each in checked]


def _has_loose(plan: Plan, change: FileChange) -> bool:
    """Whether an edit of a file was not exact."""
    paths = (change.path, change.new_path)
    return any(each.path in paths and _is_loose(each) for each in plan.outcomes)


def _settle(plan: Plan, change: FileChange, found: tuple[Language, Fault], mode: str) -> Plan:
    """The plan with a refusal, or a note, at the edit that answers for a broken file."""
    outcomes = list(plan.outcomes)
    at, is_refused = _culprit(change, found[1], outcomes, mode)
    if is_refused:
        outcomes[at] = _refuse_edit(outcomes[at], change, *found)
    else:
        language, fault = found
        note = f"the file is no longer {language.name}: line {fault.line}: {fault.what}"
        outcomes[at] = replace(outcomes[at], notes=(*outcomes[at].notes, note))
    return replace(plan, outcomes=tuple(outcomes))


def _follow_files(plans: Sequence[Plan]) -> list[list[tuple[int, FileChange]]]:
    """For each file the plans that change it, by index, and how."""
    found: dict[str | None, list[tuple[int, FileChange]]] = {}
    for at, plan in enumerate(plans):
        for change in plan.files:
            found[change.new_path] = [*found.pop(change.path, []), (at, change)]
    found.pop(None, None)
    return list(found.values())


def _find_broken(change: FileChange) -> tuple[Language, Fault] | None:
    if change.before is None or change.after is None:
        return None
    from hkgit.applying.languages import find_language  # a call of exact edits checks no syntax

    language = find_language(change.new_path or "")
    if language is None:
        return None
    fault = language.breaks(change.before.data, change.after.data)
    return None if fault is None else (language, fault)


def _culprit(
    change: FileChange, fault: Fault, outcomes: Sequence[EditOutcome], mode: str
) -> tuple[int, bool]:
    """The index of the edit that answers for a broken file, and whether it is refused."""
    paths = (change.path, change.new_path)
    every = [i for i, outcome in enumerate(outcomes) if outcome.path in paths]
    loose = [i for i in every if _is_loose(outcomes[i])]
    if mode not in (GUARD, LOOSE) or not loose:
        return every[-1], mode == REFUSE
    placed = zip(change.hunks, map_lines(change.hunks).changes, strict=True)
    above = [hunk for hunk, written in placed if written.new_start < fault.line]
    near = [number - 1 for hunk in above for number in hunk.edits]
    return next((i for i in reversed(near) if i in loose), loose[-1]), True


def _is_loose(outcome: EditOutcome) -> bool:
    # Of such a place nothing but line ends differs.
    is_as_it_stands = outcome.tier == "whitespace" and outcome.similarity_permille == FULL
    return bool(outcome.repairs) or not (outcome.tier in AS_WRITTEN or is_as_it_stands)


def _refuse_edit(
    outcome: EditOutcome, change: FileChange, language: Language, fault: Fault
) -> EditOutcome:
    """The refusal, with the place that was found: it may not be the one that was meant."""
    what = f"with this edit line {fault.line} is no longer {language.name}: {fault.what}"
    off = "--no-check-syntax (check_syntax=false in a call) lands it unchanged."
    error = InvalidInput(outcome.path, what, f"{_advice(outcome)} {off}")
    refused = replace(refuse_edit(outcome.number, outcome.path, error), spec=outcome.spec)
    if not _is_loose(outcome) or change.before is None:
        return refused
    found = show_lines(Document(change.before.data), outcome.base_lines[0])
    error.near = (Near(found.start_line, found.end_line),)
    if len(encode_text(found.text or "")) > _SHOWN:
        found = replace(found, text=None)
    return replace(refused, candidates=(found,))


def _advice(outcome: EditOutcome) -> str:
    if not _is_loose(outcome):
        return "Fix the new text."
    first, last = outcome.lines[0]
    how = f"The place, lines {first}-{last}, was found by the tier {outcome.tier}:"
    return f"{how} quote them as they are, fix the new text, or send the other edits that it needs."


_HUNK = r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*"
_PATCH = r"\*\*\* (?:Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File: .*)"
_BLOCK = r"(?:<{5,12} ?|-{5,12} )SEARCH>?|(?:>{5,12} ?|\+{5,12} )REPLACE"

_ANYWHERE = {"unified-diff": _HUNK, "apply-patch": f"{_PATCH}|{_HUNK}"}
_LEAKED = rf"{_BLOCK}|\*\*\* (?:Begin|End) Patch"
_TYPED = frozenset({"protocol", "search-replace"})
"""Dialects whose texts need no look: strings of a program, and blocks whose parser has looked."""


def expect_no_marks(dialect: str, edit: AnyEdit, data: bytes) -> None:
    """Raise InvalidInput where an edit of the file `data` would write marks of its dialect.

    What the file says already may be written again.
    """
    found = edit.suspects if isinstance(edit, Edit) else ()
    if dialect not in _TYPED:
        found = tuple(_find_marks(dialect, edit))
    line = next((line for line in found if encode_text(line) not in data), None)
    if line is None:
        return
    fix = "Close the edit before the marker."
    if dialect == "search-replace":
        fix += " If it is text, put a \\ in front of it."
    else:
        fix += " If it is text, write the edit in the dialect `protocol`."
    what = f"the new text contains the marker {line[:80]!r} of an edit notation"
    raise InvalidInput(edit.path, what, fix)


def _find_marks(dialect: str, edit: AnyEdit) -> Iterator[str]:
    """The new lines, without the whitespace around them, that look like marks."""
    known_lines = {"", *old_text_of(edit).split("\n")}
    written = (line for line in new_text_of(edit).split("\n") if line not in known_lines)
    lines = [line.strip() for line in written if line.strip()]
    is_whole = isinstance(edit, CreateFile | WriteFile) or (
        isinstance(edit, Edit) and edit.old_text == ""
    )
    known = _ANYWHERE.get(dialect)
    if known is None or is_whole:
        known, lines = known or _LEAKED, [*lines[:1], *lines[-1:]]
    return (line for line in lines if re.fullmatch(known, line))
