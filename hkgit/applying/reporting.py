"""reporting.py: outcomes as JSON (`hkgit schema outcome`) and as text for people and models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hkgit.applying.outcome import Candidate, EditOutcome
from hkgit.errors import HkgitError

_ENDS = "\r\n"


def outcome_json(outcome: EditOutcome) -> dict[str, Any]:
    """One outcome as the published JSON object."""
    named = {} if outcome.spec is None else {"spec": shown_text(outcome.spec)}
    return {
        "number": outcome.number,
        **named,
        "path": outcome.path,
        "status": outcome.status,
        "tier": outcome.tier,
        "similarity": outcome.similarity,
        "confidence": outcome.confidence,
        "evidence": outcome.evidence.kind,
        "expected_hash": outcome.evidence.expected_hash,
        "lines": [list(lines) for lines in outcome.lines],
        "repairs": list(outcome.repairs),
        "notes": list(outcome.notes),
        "matched_text": shown_text(outcome.matched_text),
        "diff": shown_text(outcome.diff),
        "error": None if outcome.error is None else error_json(outcome.error),
        "candidates": [_candidate_json(each) for each in outcome.candidates],
        "corrected": shown_text(outcome.corrected),
    }


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    permille = candidate.similarity_permille
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "range_hash": candidate.range_hash,
        "similarity": None if permille is None else permille / 1000,
        "text": shown_text(candidate.text),
    }


def error_json(error: HkgitError) -> dict[str, Any]:
    """A failure as JSON: where, what, what next, and the exit code."""
    return {
        "where": shown_text(error.where),
        "what": shown_text(error.what),
        "fix": shown_text(error.fix),
        "exit_code": error.exit_code,
    }


def applied_json(
    status: str,
    outcomes: Sequence[EditOutcome],
    commit: str | None,
    error: HkgitError | None = None,
) -> dict[str, Any]:
    """What `apply --json` prints; with exactly one edit the keys of seed harnesskit too."""
    document: dict[str, Any] = {
        "status": status,
        "edits": [outcome_json(outcome) for outcome in outcomes],
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
            "matched_text": shown_text(only.matched_text),
        }
    return document


def shown_text(text: str | None) -> str | None:
    """Text as JSON can carry it: bytes that are not UTF-8 become replacement characters."""
    if text is None:
        return None
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def refusal_text(outcomes: Sequence[EditOutcome]) -> str:
    """Every refused edit with its reason and the next step; edits refused for one reason once."""
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
        return f"\nCorrected: {outcome.corrected.rstrip()}"
    return "".join(map(_place, outcome.candidates))


def _place(candidate: Candidate) -> str:
    where = f"{candidate.start_line}-{candidate.end_line}, hash {candidate.range_hash[:12]}"
    if candidate.text is None:
        return f"\nLines {where}: too long to show here"
    return f"\nLines {where}:\n{candidate.text.rstrip(_ENDS)}"


def visible(text: str) -> str:
    """Text without what could drive a terminal."""
    shown = shown_text(text) or ""
    return "".join(
        char if char.isprintable() else json.dumps(char)[1:-1] for char in shown
    )
