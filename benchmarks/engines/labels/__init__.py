"""labels: the modelled mistakes, each a function from a faultless draft to one that has it.

A mistake that does not fit a draft answers None. `LABELS` is the one table of them all.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from benchmarks.engines.drafts import Draft
from benchmarks.engines.labels import context, refusals, whitespace

Mistake = Callable[[Random, Draft], Draft | None]

LABELS: dict[str, Mistake] = {
    "none": lambda rng, draft: draft,
    "trailing-lost": whitespace.trailing_lost,
    "trailing-added": whitespace.trailing_added,
    "dedented": whitespace.dedented,
    "indented": whitespace.indented,
    "crlf-file": whitespace.crlf_file,
    "context-line-missing": context.line_missing,
    "context-line-extra": context.line_extra,
    "context-identifier": context.wrong_identifier,
    "removed-token": refusals.removed_token,
    "changed-meanwhile": refusals.changed_meanwhile,
    "duplicate": refusals.duplicate,
    "already-applied": refusals.already_applied,
}
