"""Refused calls: what is noted of them, and what waits for corrections.

A spec in which some edits were refused is a batch: it is kept until their corrections come.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.applying.corrections import correct_spec
from hkgit.edits import NOTATIONS, Spec
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.refusal_log import (
    CONFLICTS,
    RefusalLog,
    describe_conflicts,
    list_refused,
    note_unread,
)
from hkgit.git.state_files import find_files
from hkgit.sessions.blobs import keep_json, refuse_unwritable
from hkgit.sessions.homes import find_git_dir
from hkgit.text.edit_json import expect_sayable, parse_edit, write_edit
from hkgit.text.strict_json import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.call_plan import CallPlan

_TARGET = r"(?P<id>b[0-9a-f]{8})(?::(?P<numbers>\d+(?:,\d+)*))?\Z"
KEPT = 20
"""So many batches of a session wait at most; the oldest are thrown away."""


def note_refused(root: Path, plan: CallPlan, agent: str) -> tuple[str, ...]:
    """Record what was refused in the clone's own record; return what to say of its conflicts."""
    log = find_log(root)
    if log is None:
        return ()
    edits = [edit for step in plan.steps for edit in step.spec.edits]
    refused = list_refused(edits, plan.outcomes)
    with suppress(OSError):  # no edit is refused because a record failed
        log.note(agent, "edit", int(time.time()), refused)
    if not any(each.status in CONFLICTS for each in refused):
        return ()
    # Few refusals are conflicts, and these open the repository.
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    return tuple(describe_conflicts(repository, log, agent, refused, "HEAD"))


def note_unread_spec(root: Path, agent: str, call: str, error: InvalidInput) -> None:
    """Keep a spec that cannot be read, in the clone's own record."""
    log = find_log(root)
    if log is not None:
        note_unread(log, agent, call, error)


def find_log(root: Path) -> RefusalLog | None:
    """Find the record of a checkout's clone; None without a repository."""
    git_dir = find_git_dir(root)
    return None if git_dir is None else RefusalLog.of_git_dir(git_dir)


def keep_batch(folder: Path, plan: CallPlan, named: str | None = None) -> str | None:
    """Keep a call that can be sent again in part, under its id or a new one.

    That is one spec, in which some edits apply and some do not; for any other, `named` is returned.
    Raises GitRefused.
    """
    refused = [each.number for each in plan.outcomes if each.error is not None]
    if len(plan.steps) != 1 or len(refused) == len(plan.outcomes):
        return named
    name = f"b{os.urandom(4).hex()}" if named is None else _split(named)[0]
    spec = plan.steps[0].spec
    fields = {
        "dialect": spec.dialect,
        "digest": spec.digest,
        "edits": [*map(write_edit, spec.edits)],
        "agent": spec.agent,
        "refused": refused,
        "miscounted": sorted(spec.miscounted),
    }
    try:
        keep_json(folder / name, fields)
        for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise refuse_unwritable(folder / name, error) from error
    return name


def drop_batch(folder: Path, named: str) -> None:
    """Forget a batch that has landed."""
    (folder / _split(named)[0]).unlink(missing_ok=True)


def list_batches(folder: Path) -> tuple[str, ...]:
    """List the ids of the batches that wait."""
    return tuple(path.name for path in find_files(folder, "*"))


def correct_batch(folder: Path, named: str, corrections: Spec) -> Spec:
    """Put corrections in place of the refused edits of the batch `ID` or `ID:N,...`.

    Without numbers there must be one correction for each refused edit, in order. Raises
    InvalidInput.
    """
    name, numbers = _split(named)
    try:
        fields = json.loads((folder / name).read_text())
        edits = tuple(parse_edit(Node("edits", each)) for each in fields["edits"])
    except (OSError, ValueError, KeyError) as error:
        fix = "Send all edits again, without a batch."
        raise InvalidInput(f"batch {name}", "is not stored here any more", fix) from error
    wanted = fields["refused"] if numbers is None else numbers
    missing = [number for number in wanted if not 1 <= number <= len(edits)]
    if missing:
        what = f"has no edit {missing[0]}: it has {len(edits)}"
        raise InvalidInput(f"batch {name}", what, "Name the edits that were refused.")
    if len(wanted) != len(corrections.edits):
        listed = ",".join(map(str, fields["refused"]))
        what = f"edits {listed} were refused, and {len(corrections.edits)} corrections were sent"
        fix = f"Send one for each, in order, or name the edits: {name}:{listed}"
        raise InvalidInput(f"batch {name}", what, fix)
    expect_sayable(fields["dialect"], corrections.edits)
    spec = Spec(
        dialect=fields["dialect"],
        edits=edits,
        sequential=NOTATIONS[fields["dialect"]].sequential,
        agent=fields["agent"],
        digest=fields["digest"],
        miscounted=frozenset(fields["miscounted"]),
    )
    return correct_spec(spec, wanted, corrections)


def _split(named: str) -> tuple[str, Sequence[int] | None]:
    found = re.match(_TARGET, named)
    if found is None:
        raise InvalidInput(f"batch {named[:40]!r}", "is not a batch", "Write its id, or ID:2,5.")
    numbers = found["numbers"]
    return found["id"], None if numbers is None else [int(n) for n in numbers.split(",")]
