"""Say how edits that the gate would reject get their evidence."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from hkgit.cli.output import print_note
from hkgit.cli.spec_options import SpecOptions
from hkgit.text.escape import count_noun, to_json_text
from hkgit.text.strict_json import JsonObject
from hkgit.workflows.application import ApplyResult, advise
from hkgit.workflows.landing_policy import Unread, explain_differing, find_differing

_SHOWN = 5
"""At most so many commands that read are named."""


def add_advice(session: str | None, root: Path | None, result: ApplyResult) -> ApplyResult:
    """Add to edits that are refused as blind how they get their evidence."""
    blind = result.blocking
    return advise(result, f"Fix: {_advise(session, root, result, blind)}") if blind else result


def blind_json(session: str | None, root: Path | None, blind: Sequence[Unread]) -> JsonObject:
    """Write blind edits as the JSON of `apply`, each with the command that reads its lines."""
    if not blind:
        return {}
    found = [
        {
            "number": each.number,
            "path": to_json_text(each.path),
            "lines": None if each.lines is None else [*each.lines],
            "read": to_json_text(_read(session, root, each)),
        }
        for each in blind
    ]
    return {"blind": found}


def warn_of_rejection(
    session: str | None, root: Path | None, result: ApplyResult, given: SpecOptions
) -> None:
    """Say in one line what the policy would reject of what has landed, or would."""
    assert result.rules is not None
    source = result.rules.policy.source
    if result.blind and given.allow_blind:
        count = count_noun(len(result.blind), "edit")
        landed = "would land" if given.dry_run else "landed"
        print_note(f"note: {count} {landed} blind, as asked; {source} would reject that")
    elif result.blind:
        error = result.rules.refusal(result.blind)
        way = f"{_take_back(result)}{_advise(session, root, result, result.blind)}"
        print_note(f"note: would be rejected: {error.where}: {error.what}. Fix: {way}")
    else:
        first = next((each.warning for each in result.landed if each.warning), None)
        if first is not None:
            print_note(f"note: would be rejected: {first.where}: {first.what}. {first.fix}")


def _advise(
    session: str | None, root: Path | None, result: ApplyResult, blind: Sequence[Unread]
) -> str:
    """Say how blind edits get their evidence: by reading what they were written against."""
    differing = find_differing(result.target, blind)
    if differing:
        return explain_differing(differing)
    reads = ", ".join(f"`{each}`" for each in _list_reads(session, root, blind))
    if _needs_session(session, blind):
        name = session or _SESSION
        return f"read the lines ({reads}) and run this again with `--session {name}`"
    places = dict.fromkeys(f"--expect {_quote(root, each)}=HASH" for each in blind)
    given = " ".join([*places][:_SHOWN])
    return f"read the lines ({reads}) and run this again with `{given}`, the hash that is printed"


_SESSION = "apply"
"""The session that is proposed where none was named and hashes alone do not count."""


def _needs_session(session: str | None, blind: Sequence[Unread]) -> bool:
    """Whether a receipt is the evidence to ask for; it speaks of lines in the checkout."""
    is_hash_accepted = all("hash" in each.accepted for each in blind)
    return not is_hash_accepted or (session is not None and all(each.rev is None for each in blind))


def _list_reads(session: str | None, root: Path | None, blind: Sequence[Unread]) -> list[str]:
    name = (session or _SESSION) if _needs_session(session, blind) else None
    reads = list(dict.fromkeys(_read(name, root, each) for each in blind))
    return reads[:_SHOWN]


def _read(session: str | None, root: Path | None, edit: Unread) -> str:
    """Write the command that reads the lines of an edit."""
    rev = "" if edit.rev is None else f" --rev {edit.rev}"
    kept = "" if session is None or rev else f" --session {session}"
    return f"hkgit read {_quote(root, edit)}{rev}{kept}"


def _quote(root: Path | None, edit: Unread) -> str:
    return shlex.quote(edit.where if root is None else os.path.relpath(root / edit.where))


def _take_back(result: ApplyResult) -> str:
    """The command that takes back what has landed, and leaves everything else alone."""
    if not result.landed or result.target is None:
        return ""
    branch, before = result.target.branch, f"{result.landed[0].commit[:12]}^"
    command = f"git update-ref refs/heads/{branch} {before}"
    if result.target.checkout:
        command = f"git reset -q --keep {before}"
    elif result.target.old is None:
        command = f"git branch -q -D {branch}"
    return f"take it back (`{command}`), "
