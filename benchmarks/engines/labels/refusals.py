"""refusals.py: edits that nobody may land: what they remove is not there, or there twice."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, Verdict
from benchmarks.engines.labels.drift import with_copy
from benchmarks.engines.labels.words import (
    identifiers,
    indentation,
    with_value_changed,
    with_word_changed,
)

MARKERS = (">>>>>>> REPLACE", "<<<<<<< SEARCH", "*** End Patch", "+++++++ REPLACE")
OPENS = re.compile(
    r"\s*(?:(?:async )?def |class |func |fn |\[[\w.]+\]\s*$|[\w-]+:\s*$|\"[^\"]+\": \{\s*$"
    r"|[.#]?[\w-]+ \{\s*$|(?:export |async |static )*"
    r"(?:function|interface|const \w+ =|it|describe)\b)"
)
REMARKS = ("... existing code ...", "rest of the code unchanged", "... (unchanged) ...")


def _refused(draft: Draft | None) -> Draft | None:
    return None if draft is None else replace(draft, verdict=Verdict.REFUSE)


def removed_token(rng: Random, draft: Draft) -> Draft | None:
    """One name in a line to be removed is not what the file says."""
    gone = [i for i in draft.rows_of(GONE) if (draft.rows[i].said or "").strip()]
    if not gone:
        return None
    at = rng.choice(gone)
    wrong = with_word_changed(rng, draft.rows[at].said or "")
    return None if wrong is None else _refused(draft.misquoting(at, wrong))


def changed_meanwhile(rng: Random, draft: Draft) -> Draft | None:
    """Somebody changed a number, a version or a string in a line to be removed."""
    gone = draft.rows_of(GONE)
    for at in rng.sample(gone, len(gone)):
        real = with_value_changed(rng, draft.rows[at].real or "")
        if real is not None:
            return _refused(draft.with_row(at, replace(draft.rows[at], real=real)))
    return None


def lookalike(rng: Random, draft: Draft) -> Draft | None:
    """The place was changed meanwhile, and lines like those to be removed stand elsewhere."""
    stale = changed_meanwhile(rng, draft)
    if stale is None or not draft.rows_of(KEPT):
        return None
    real = tuple(draft.rows[i].real or "" for i in draft.rows_of(KEPT + GONE))
    copy = tuple(_other_context(rng, draft.rows[i]) for i in draft.rows_of(KEPT + GONE))
    differing = sum(line != other for line, other in zip(real, copy, strict=True))
    return with_copy(rng, stale, copy) if differing >= 2 else None


def _other_context(rng: Random, row: Row) -> str:
    """A line of the lookalike: context has another word, removed lines are the same."""
    line = row.real or ""
    return line if row.kind == GONE else with_word_changed(rng, line) or line


def rewritten(rng: Random, draft: Draft) -> Draft | None:
    """The lines to be removed were rewritten or taken away; the rest fits elsewhere too."""
    gone = [i for i in draft.rows_of(GONE) if identifiers(draft.rows[i].real or "")]
    words = [line for line in (*draft.above, *draft.below) if len(identifiers(line)) > 1]
    if not gone or not words:
        return None
    is_removed = rng.random() < 0.5
    rest = tuple(draft.rows[i].real or "" for i in draft.rows_of(KEPT))
    for at in gone:
        other = indentation(draft.rows[at].real or "") + rng.choice(words).strip()
        real = None if is_removed else with_word_changed(rng, other)
        draft = draft.with_row(at, replace(draft.rows[at], real=real))
    return _refused(with_copy(rng, draft, rest) if rng.random() < 0.5 else draft)


def other_file(rng: Random, draft: Draft) -> Draft | None:
    """A block is put to another file of the project, which has neither it nor its first line."""
    lines = draft.hunk.lines
    opens = [i for i, line in enumerate(lines[:-4]) if OPENS.match(line)]
    others = [each.lines for each in draft.neighbours if each.path != draft.hunk.path]
    if not opens or not others:
        return None
    start, there = rng.choice(opens), rng.choice(others)
    block = lines[start : start + rng.choice((2, 3, 4))]
    changed = with_word_changed(rng, block[-1])
    if changed is None or lines[start].strip() in "\n".join(there):
        return None
    kept = [Row(KEPT, None, line) for line in block[:-1]]
    rows = (*kept, Row(GONE, None, block[-1]), Row(ADDED, changed, changed))
    return _refused(replace(draft, above=there, rows=rows, below=()))


def duplicate(rng: Random, draft: Draft) -> Draft | None:
    """The place stands in the file a second time."""
    copy = tuple(row.real for row in draft.rows if row.kind != ADDED and row.real is not None)
    return _refused(with_copy(rng, draft, copy))


def already_applied(rng: Random, draft: Draft) -> Draft | None:
    """The file says already what the edit wants."""
    return _refused(replace(draft, applied=True))


def hallucinated(rng: Random, draft: Draft) -> Draft | None:
    """Between context that is right, most lines to be removed are invented."""
    gone = [i for i in draft.rows_of(GONE) if len((draft.rows[i].said or "").strip()) > 5]
    words = [line.strip() for line in (*draft.above, *draft.below) if len(line.strip()) > 8]
    if len(gone) < 2 or not words or not _is_anchored(draft):
        return None
    for i in gone[: 1 + len(gone) * 2 // 3]:
        line = rng.choice(words)
        invented = with_word_changed(rng, line) or line
        draft = draft.misquoting(i, indentation(draft.rows[i].said or "") + invented)
    return _refused(draft)


def _is_anchored(draft: Draft) -> bool:
    """Whether the edit begins and ends with context that says something."""
    ends = (draft.rows[0], draft.rows[-1])
    return all(row.kind == KEPT and (row.said or "").strip() for row in ends)


def placeholder(rng: Random, draft: Draft) -> Draft | None:
    """The new text has a remark where the old text had lines that should stay."""
    runs = list(re.finditer(" {3,}", "".join(row.kind for row in draft.rows)))
    if not runs:
        return None
    run = rng.choice(runs)
    mark = "#" if draft.hunk.path.endswith((".py", ".pyi", ".yml", ".toml", ".cfg")) else "//"
    words = rng.choice(REMARKS)
    margin = indentation(draft.rows[run.start()].said or "")
    swept = [replace(row, kind=GONE) for row in draft.rows[run.start() : run.end()]]
    remark = Row(ADDED, f"{margin}{mark} {words}", f"{margin}{mark} {words}")
    rows = (*draft.rows[: run.start()], *swept, remark, *draft.rows[run.end() :])
    return _refused(replace(draft, rows=rows))


def leaked_marker(rng: Random, draft: Draft) -> Draft | None:
    """The new text ends with a marker of the dialect that it was written in."""
    marker = rng.choice(MARKERS)
    return _refused(replace(draft, rows=(*draft.rows, Row(ADDED, marker, marker))))
