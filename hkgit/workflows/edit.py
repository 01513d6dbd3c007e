"""edit.py: change files of a checkout, within a session; all edits of a request or none."""

from __future__ import annotations

from hkgit.applying.planner import Options
from hkgit.edits import Read, Spec
from hkgit.sessions.answers import EditReport
from hkgit.sessions.session import EditSession
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Specs, each planned on what the one before it leaves, and the reads that are promised.

    `batch` names the batch whose refused edits the one spec corrects. A dry run writes nothing.
    """

    specs: tuple[Spec, ...]
    options: Options
    expect: tuple[Read, ...] = ()
    dry_run: bool = False
    batch: str | None = None


def edit(session: EditSession, request: EditRequest) -> EditReport:
    """Apply the specs of a request. Refusals stand in the outcomes.

    Raises InvalidInput for a batch that is not there, GitRefused where a file cannot be written;
    then nothing has changed.
    """
    specs = request.specs
    if request.batch is not None:
        specs = (session.correct_batch(request.batch, specs),)
    return session.edit_all(
        specs,
        request.options,
        expect=request.expect,
        dry_run=request.dry_run,
        batch=request.batch,
    )
