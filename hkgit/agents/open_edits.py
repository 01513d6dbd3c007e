"""open_edits.py: note the edits that an agent is making, from the hook before to the hook after.

On a busy machine an agent stops a hook that takes too long. The edit is made all the same, so a
note that is left says which one nobody has recorded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from hkgit.agents.events import Editing
from hkgit.evidence.ledger.canonical import digest
from hkgit.sessions.storage.paths import say_waiting
from hkgit.sessions.storage.written import find_open_notes
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class OpenEdit:
    """An edit of which the hook after it has not told; it began `age` seconds ago."""

    edit: Editing
    directory: Path
    age: float
    note: Path


def note_open_edit(folder: Path, edit: Editing, directory: Path) -> None:
    """Note in a session that an edit is about to be made. Raises OSError."""
    place = _place(folder, edit)
    place.parent.mkdir(parents=True, exist_ok=True)
    fields = {"text": edit.text, "dialect": edit.dialect, "directory": str(directory)}
    place.write_text(json.dumps(fields))
    say_waiting(folder.parent)


def forget_open_edit(folder: Path, edit: Editing) -> None:
    """Forget an edit that the hook after it has told of."""
    _place(folder, edit).unlink(missing_ok=True)


def find_open_edits(folder: Path) -> Iterator[OpenEdit]:
    """Yield the edits of a session that are open, in the order in which they were begun."""
    begun = sorted((each.stat().st_mtime, each) for each in find_open_notes(folder))
    for since, place in begun:
        try:
            fields = json.loads(place.read_text())
            edit = Editing(fields["text"], fields["dialect"])
            yield OpenEdit(edit, Path(fields["directory"]), time.time() - since, place)
        except (OSError, ValueError, LookupError, TypeError):
            place.unlink(missing_ok=True)


def _place(folder: Path, edit: Editing) -> Path:
    return folder / "aside" / f"open-{digest(edit.text.encode('utf-8', 'replace'))[:32]}.json"
