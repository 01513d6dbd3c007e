"""labels: the modelled mistakes, each a function from a faultless draft to one that has it.

A mistake that does not fit a draft answers None. `LABELS` is the one table of them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.engines.drafts import Draft
from benchmarks.engines.labels import (
    context,
    drift,
    encoding,
    indentation,
    refusals,
    whitespace,
)

Mistake = Callable[[Random, Draft], Draft | None]


@dataclass(frozen=True, slots=True)
class Label:
    """A mistake, and how many lines of context it needs on each side at least.

    There are `times` as many cases of one that seldom does harm.
    """

    mistake: Mistake
    context: int = 0
    times: int = 1


def one_of(*pairs: tuple[Mistake, Mistake]) -> Mistake:
    """Two mistakes in one edit, the first of a pair and then the second."""

    def both(rng: Random, draft: Draft) -> Draft | None:
        first, second = rng.choice(pairs)
        halfway = first(rng, draft)
        return None if halfway is None else second(rng, halfway)

    return both


TWO_MISTAKES = one_of(
    (context.wrong_identifier, indentation.dedented),
    (context.wrong_identifier, whitespace.crlf_file),
    (context.wrong_identifier, drift.far),
    (context.line_missing, indentation.indented),
    (context.line_missing, drift.far),
    (context.reworded_comment, whitespace.trailing_lost),
    (context.wrong_identifier, context.wrong_identifier),
    (context.line_missing, context.line_extra),
    (drift.far, indentation.dedented),
    (drift.far, encoding.line_numbers),
    (drift.near_copy, context.wrong_identifier),
    (drift.near_copy, indentation.dedented),
    (drift.near_copy, context.line_missing),
    (encoding.typographic_file, indentation.dedented),
    (whitespace.blank_line_lost, indentation.tabs_in_file),
    (indentation.dedented, encoding.fence),
    (indentation.dedented, whitespace.crlf_file),
    (whitespace.stripped, context.wrong_identifier),
    (whitespace.stripped, whitespace.crlf_file),
    (whitespace.stripped, whitespace.trailing_lost),
    (indentation.tabs_in_edit, context.wrong_identifier),
    (whitespace.trailing_added, encoding.no_final_newline),
)
HOPELESS_AND_MORE = one_of(
    (context.line_missing, refusals.already_applied),
    (context.line_missing, refusals.changed_meanwhile),
    (context.wrong_identifier, refusals.already_applied),
    (context.wrong_identifier, refusals.duplicate),
    (refusals.changed_meanwhile, drift.far),
    (refusals.changed_meanwhile, whitespace.crlf_file),
    (refusals.changed_meanwhile, indentation.dedented),
    (refusals.duplicate, indentation.dedented),
    (refusals.removed_token, indentation.indented),
    (refusals.removed_token, whitespace.trailing_lost),
    (indentation.dedented, refusals.already_applied),
    (whitespace.trailing_lost, refusals.already_applied),
    (whitespace.trailing_lost, refusals.duplicate),
)

LABELS: dict[str, Label] = {
    "none": Label(lambda rng, draft: draft),
    "trailing-lost": Label(whitespace.trailing_lost),
    "trailing-added": Label(whitespace.trailing_added),
    "dedented": Label(indentation.dedented),
    "indented": Label(indentation.indented),
    "stripped": Label(whitespace.stripped),
    "line-dedented": Label(indentation.line_dedented),
    "tabs-in-file": Label(indentation.tabs_in_file),
    "tabs-in-edit": Label(indentation.tabs_in_edit),
    "other-unit": Label(indentation.other_unit),
    "interior-blanks": Label(whitespace.interior_blanks),
    "blank-line-lost": Label(whitespace.blank_line_lost, context=2),
    "blank-line-added": Label(whitespace.blank_line_added, context=2),
    "blank-lines-around": Label(whitespace.blank_lines_around),
    "crlf-file": Label(whitespace.crlf_file),
    "crlf-edit": Label(whitespace.crlf_edit),
    "mixed-ends": Label(whitespace.mixed_ends),
    "no-final-newline": Label(encoding.no_final_newline),
    "byte-order-mark": Label(encoding.byte_order_mark),
    "typographic-file": Label(encoding.typographic_file),
    "typographic-edit": Label(encoding.typographic_edit),
    "decomposed": Label(encoding.decomposed, context=1),
    "escaped-newlines": Label(encoding.escaped_newlines),
    "escaped-quotes": Label(encoding.escaped_quotes),
    "escaped-json": Label(encoding.escaped_json),
    "entities": Label(encoding.entities),
    "line-numbers": Label(encoding.line_numbers),
    "line-numbers-on-some": Label(encoding.numbers_on_some, context=1),
    "fence": Label(encoding.fence),
    "context-line-missing": Label(context.line_missing, context=2),
    "context-line-extra": Label(context.line_extra, context=2),
    "context-identifier": Label(context.wrong_identifier, context=1),
    "context-comment": Label(context.reworded_comment, context=2),
    "context-value": Label(context.other_value, context=1),
    "context-comment-lost": Label(context.comment_lost, context=3),
    "context-joined": Label(context.joined, context=3),
    "context-quotes": Label(context.other_quotes, context=1),
    "truncated": Label(context.truncated, context=1),
    "elided": Label(context.elided, context=4),
    "drift-far": Label(drift.far),
    "drift-near": Label(drift.near, context=8),
    "drift-rename": Label(drift.renamed, context=1),
    "near-copy": Label(drift.near_copy),
    "two-mistakes": Label(TWO_MISTAKES, context=1),
    "removed-token": Label(refusals.removed_token),
    "changed-meanwhile": Label(refusals.changed_meanwhile),
    "lookalike": Label(refusals.lookalike, context=1),
    "rewritten": Label(refusals.rewritten, context=1, times=4),
    "other-file": Label(refusals.other_file, times=10),
    "duplicate": Label(refusals.duplicate),
    "already-applied": Label(refusals.already_applied),
    "hallucinated": Label(refusals.hallucinated, context=1),
    "placeholder": Label(refusals.placeholder, context=3),
    "leaked-marker": Label(refusals.leaked_marker),
    "hopeless-and-more": Label(HOPELESS_AND_MORE, context=1),
}
