"""recorder.py: record what an agent's own tools read and edit, as receipts and journalled edits.

Before an edit its files are put aside; after it, the call is planned again on them. Where the
plan comes to exactly what now stands in the checkout, the call is what was done, and the session
takes it in. Where it does not (a formatter ran, a tool reads its own way), the difference is
taken in as a diff.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hkgit import dialects
from hkgit.agents.aside import PutAside
from hkgit.agents.events import Did, Editing, PendingToolEdit, Shell, ToolEvent, ToolReading
from hkgit.agents.shown.readings import find_readings
from hkgit.edits import AnyEdit, File, RenameFile, Spec, decode_text, encode_text
from hkgit.errors import InvalidInput, Stale
from hkgit.evidence.ledger.canonical import digest
from hkgit.paths import quote_path
from hkgit.sessions.answers import EditReport
from hkgit.sessions.readings.checkout import Checkout
from hkgit.sessions.session import EditSession
from hkgit.text.document import split_raw
from hkgit.values import replace


class Recorder:
    """The session of an agent's conversation in one checkout; it works in `directory`."""

    def __init__(self, session: EditSession, directory: Path) -> None:
        self._session = session
        self._directory = directory
        self._checkout = Checkout(session.root)
        self._aside = PutAside(session.journal.folder, session.journal.blobs)

    def before(self, did: Did) -> None:
        """Put aside what is about to be changed. Raises HkgitError."""
        for path in find_touched_paths(did, self._session.root, self._directory):
            self._aside.put(path, _words(did), self._checkout.get(path))

    def after(self, event: ToolEvent) -> EditReport | None:
        """Take in what has been done. Raises HkgitError where that cannot be."""
        match event.did:
            case Editing() as edit:
                return self._take(self._spec(edit), edit.text)
            case ToolReading() | Shell() as look:
                for read in find_readings(look, self._directory):
                    self._look(read)
        return None

    def _spec(self, did: Editing) -> Spec:
        return spec_of(did, self._session.root, self._directory)

    def _look(self, read: ToolReading) -> None:
        # A command may show files of other places too, which are nobody's evidence.
        with suppress(InvalidInput):
            path = _relative(read.path, self._session.root, self._directory)
            self._session.read(path, read.start_line, read.end_line)

    def _take(self, spec: Spec, words: str) -> EditReport | None:
        before = {path: self._aside.get(path, words) for path in _paths(spec)}
        after = {path: self._checkout.get(path) for path in before}
        try:
            answer = self._session.adopt(spec, before)
        except Stale:
            answer = None
        if answer is None or not answer.ok:
            difference = self._difference(before)
            answer = None if difference is None else self._session.adopt(difference, before)
        if answer is not None and answer.error is not None:
            raise answer.error
        for path, file in after.items():
            self._aside.drop(path, words)
            self._aside.renew(path, file)
        return answer

    def _difference(self, before: Mapping[str, File | None]) -> Spec | None:
        """What has changed, as a diff; None where nothing has, as after a call that failed."""
        text = "".join(
            line
            for path, old in before.items()
            for line in _diff(path, old, self._checkout.get(path))
        )
        return self._session.parse(text, "unified-diff") if text else None


def _words(did: Did) -> str:
    """What tells a call from others that change the same file."""
    return did.text if isinstance(did, Editing) else ""


def find_touched_paths(did: Did, root: Path, directory: Path) -> list[str]:
    """The paths, from the root, that a call may change. Raises InvalidInput for one outside."""
    match did:
        case Editing() as edit:
            return _paths(spec_of(edit, root, directory))
        case PendingToolEdit(path):
            return [_relative(path, root, directory)]
    return []


def spec_of(did: Editing, root: Path, directory: Path) -> Spec:
    """A call as a spec, its paths from the root. Raises InvalidInput, also for one outside."""
    spec = dialects.parse(did.text, did.dialect)
    edits = tuple(_make_root_relative(edit, root, directory) for edit in spec.edits)
    render = dialects.DIALECTS[spec.dialect].render
    blocks = tuple(render([edit]) for edit in edits)
    return replace(spec, edits=edits, blocks=blocks, digest=digest(encode_text(did.text)))


def _make_root_relative(edit: AnyEdit, root: Path, directory: Path) -> AnyEdit:
    moved = replace(edit, path=_relative(edit.path, root, directory))
    if not isinstance(moved, RenameFile):
        return moved
    return replace(moved, new_path=_relative(moved.new_path, root, directory))


def _relative(path: str, root: Path, directory: Path) -> str:
    """A path of the agent's as one from the root. Raises InvalidInput for one outside."""
    if "\0" in path:
        raise InvalidInput("path", "holds a NUL")
    place = Path(directory, path)
    whole = place.parent.resolve() / place.name
    if not whole.is_relative_to(root.resolve()):
        raise InvalidInput(path, "lies outside the checkout")
    return whole.relative_to(root.resolve()).as_posix()


def _paths(spec: Spec) -> list[str]:
    """Every path that a spec may change."""
    renamed = [edit.new_path for edit in spec.edits if isinstance(edit, RenameFile)]
    return list(dict.fromkeys([*(edit.path for edit in spec.edits), *renamed]))


def _diff(path: str, old: File | None, new: File | None) -> Iterator[str]:
    names = [
        "/dev/null" if file is None else quote_path(f"{mark}/{path}")
        for mark, file in (("a", old), ("b", new))
    ]
    for line in difflib.unified_diff(_lines(old), _lines(new), names[0], names[1]):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(file: File | None) -> list[str]:
    return [] if file is None else [*map(decode_text, split_raw(file.data))]
