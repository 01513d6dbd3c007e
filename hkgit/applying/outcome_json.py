"""Outcomes as JSON (`hkgit schema outcome`) and as text for people and models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from shlex import quote

from hkgit.applying.outcome import APPLIED, Candidate, EditOutcome
from hkgit.errors import HkgitError
from hkgit.text.escape import to_json_text, visible
from hkgit.text.strict_json import JsonObject

_ENDS = "\r\n"


WOULD_APPLY, NOT_APPLIED = "would_apply", "not_applied"
"""An edit that has a place: of a dry run, and beside one that is refused."""


def outcome_json(outcome: EditOutcome, status: str | None = None) -> JsonObject:
    """Write one outcome as the published JSON object; `status` is another word than its own."""
    named = {} if outcome.spec is None else {"spec": to_json_text(outcome.spec)}
    return {
        "number": outcome.number,
        **named,
        "path": outcome.path,
        "file": outcome.path,
        "status": outcome.status if status is None else status,
        "tier": outcome.tier,
        "match_type": outcome.tier,
        "similarity": outcome.similarity,
        "confidence": outcome.confidence,
        "evidence": outcome.evidence.kind,
        "expected_hash": outcome.evidence.expected_hash,
        "lines": [list(lines) for lines in outcome.lines],
        "repairs": [*outcome.repairs, *outcome.respelled],
        "notes": list(outcome.notes),
        "matched_text": to_json_text(outcome.matched_text),
        "diff": to_json_text(outcome.diff),
        "error": None if outcome.error is None else error_json(outcome.error),
        "candidates": [_candidate_json(each) for each in outcome.candidates],
        "corrected": to_json_text(outcome.corrected),
    }


def _candidate_json(candidate: Candidate) -> JsonObject:
    permille = candidate.similarity_permille
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "range_hash": candidate.range_hash,
        "similarity": None if permille is None else permille / 1000,
        "text": to_json_text(candidate.text),
    }


def error_json(error: HkgitError) -> JsonObject:
    """Write a failure as JSON: where, what, what next, and the exit code."""
    return {
        "where": to_json_text(error.where),
        "what": to_json_text(error.what),
        "fix": to_json_text(error.fix),
        "exit_code": error.exit_code,
    }


def render_apply_json(
    status: str,
    outcomes: Sequence[EditOutcome],
    commit: str | None,
    error: HkgitError | None = None,
    *,
    dry_run: bool = False,
) -> JsonObject:
    """Render what `apply --json` prints; with exactly one edit the keys of seed harnesskit too.

    Nothing is called applied where no file has changed: of a dry run, or beside a refusal.
    """
    is_refused = error is not None or any(each.error is not None for each in outcomes)
    word = NOT_APPLIED if is_refused else WOULD_APPLY if dry_run else APPLIED
    document: JsonObject = {
        "status": word if status == APPLIED else status,
        **({"dry_run": True} if dry_run else {}),
        "edits": [outcome_json(each, word if each.error is None else None) for each in outcomes],
        "commit": commit,
    }
    if error is not None:
        document["error"] = error_json(error)
    if len(outcomes) == 1:
        only = outcomes[0]
        document |= {
            "file": only.path,
            "match_type": only.tier,
            "confidence": only.confidence,
            "matched_text": to_json_text(only.matched_text),
        }
    return document


def refusal_text(outcomes: Sequence[EditOutcome]) -> str:
    """Write every refused edit with its reason and next step; edits of one reason once."""
    refused = (each for each in outcomes if each.error is not None)
    reasons = groupby(refused, key=lambda each: each.error)
    return "\n".join(_reason(str(error), list(edits)) for error, edits in reasons)


def _reason(error: str, edits: Sequence[EditOutcome]) -> str:
    first, last = edits[0].number, edits[-1].number
    named = f"edit {first}" if first == last else f"edits {first}-{last}"
    if edits[0].spec is not None:
        named += f" (in {visible(edits[0].spec)})"
    return "".join([f"{named}: {error}", *map(_remedy, edits)])


def _remedy(outcome: EditOutcome) -> str:
    """The corrected edit, which quotes the place; without one the places themselves."""
    if outcome.corrected is not None:
        # A diff may end with a blank line of context, which is a blank alone.
        return "\nCorrected: " + outcome.corrected.removesuffix("\n")
    return "".join(_place(outcome.path, each) for each in outcome.candidates)


def _place(path: str, candidate: Candidate) -> str:
    where = f"{candidate.start_line}-{candidate.end_line}"
    if candidate.text is None or candidate.range_hash is None:
        return f"\nLines {where} are too long to show here: hkgit read {quote(f'{path}:{where}')}"
    head = f"\nLines {where}, hash {candidate.range_hash[:12]}:"
    return f"{head}\n{candidate.text.rstrip(_ENDS)}"
