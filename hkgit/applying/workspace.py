"""The files that a spec has changed so far, over an immutable snapshot."""

from __future__ import annotations

from hkgit.applying.draft import Draft
from hkgit.applying.hunk import Hunk, net_hunks
from hkgit.applying.outcome import FileChange
from hkgit.applying.path_names import find_namesakes, find_similar
from hkgit.edits import DIRECTORY, REGULAR, SUBMODULE, SYMLINK, File, Snapshot, decode_text
from hkgit.errors import InvalidInput, Stale
from hkgit.text.document import MOST_LINES, Document, has_too_many_lines, terminate
from hkgit.text.paths import check_new_path, check_path
from hkgit.values import dataclass, replace

_BINARY_PROBE = 8000  # git looks for a NUL byte in as many bytes to call a file binary
NAMED = 3  # So many files are named in place of one that is not there
KINDS = {DIRECTORY: "a directory", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}
"""What stands where a file was meant, by its mode."""

_ADVICE = {
    SYMLINK: "Name the file that the link leads to.",
    SUBMODULE: "It is a repository of its own: run hkgit in it, with paths from its root.",
}


def advise_on(mode: int) -> str:
    """Say what to name in place of what is no file."""
    return _ADVICE.get(mode, "Name a regular file.")


@dataclass(frozen=True, slots=True)
class FileState:
    """One file under way: its path in the base and its path now, either None for "is not".

    `key` names it for as long as the spec is at work. `is_closed` says that an edit of the whole
    file has settled what becomes of it, so that no other edit of the base may touch it.
    """

    key: str
    origin: str | None
    path: str | None
    before: File | None
    draft: Draft
    mode: int
    is_terminated: bool
    is_closed: bool = False

    @property
    def is_touched(self) -> bool:
        """Whether an edit has moved the file or written into it."""
        return self.path != self.origin or bool(self._editors())

    def change(self) -> FileChange:
        """Describe what became of the file."""
        if self.path is None:
            gone = Hunk(1, self.draft.base.line_count, b"", self._editors())
            hunks = (gone,) if gone.end_line else ()
            return FileChange(
                path=self.origin, new_path=None, before=self.before, after=None, hunks=hunks
            )
        after = File(self.draft.result(is_terminated=self.is_terminated), self.mode)
        return FileChange(
            path=self.origin,
            new_path=self.path,
            before=self.before,
            after=after,
            hunks=net_hunks(self.draft),
        )

    def _editors(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(n for piece in self.draft.pieces for n in piece.edits))


class Workspace:
    """Files by their path in the base and by their path now."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._states: dict[str, FileState] = {}
        self._now: dict[str, str] = {}
        self._loaded: dict[str, FileState] = {}

    def find(self, path: str, *, in_base: bool) -> FileState | None:
        """Find the file at a path of the base, or of the present; None when there is none.

        Raises InvalidInput for a path that must not be touched.
        """
        check_path(path)
        key = path if in_base else self._now.get(path)
        if key is not None and key in self._states:
            return self._states[key]
        if path in self._states:
            return None
        return self._load(path)

    def _load(self, path: str) -> FileState | None:
        self._check_parents(path)
        if path in self._loaded:
            return self._loaded[path]
        file = self._snapshot.get(path)
        if file is None:
            return None
        if file.mode in KINDS:
            target = f" to {decode_text(file.data)}" if file.mode == SYMLINK else ""
            raise InvalidInput(path, f"is {KINDS[file.mode]}{target}", advise_on(file.mode))
        if has_too_many_lines(file.data):
            what = f"has more than {MOST_LINES} lines"
            raise InvalidInput(path, what, "Split the file, or edit it by hand.")
        is_terminated = Document(file.data).is_terminated
        draft = Draft.of(file.data)
        state = FileState(
            key=path,
            origin=path,
            path=path,
            before=file,
            draft=draft,
            mode=file.mode,
            is_terminated=is_terminated,
        )
        self._loaded[path] = state
        return state

    def _check_parents(self, path: str) -> None:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            above = self._snapshot.get(parent)
            if parent in self._now or (above is not None and above.mode != DIRECTORY):
                mode = REGULAR if above is None else above.mode
                fix = _ADVICE.get(mode, "Nothing stands below a file: name another path.")
                raise InvalidInput(path, f"{parent} is {KINDS.get(mode, 'a file')}", fix)

    def namesakes(self, path: str) -> list[str]:
        """List some files of the same name elsewhere, else those with a name like it."""
        paths = list(self._snapshot.paths())
        return (find_namesakes(path, paths) or find_similar(path, paths))[:NAMED]

    def put(self, state: FileState) -> None:
        """Keep the next state of a file."""
        old = self._states.get(state.key)
        if old is not None and old.path is not None:
            self._now.pop(old.path, None)
        self._states[state.key] = state
        if state.path is not None:
            self._now[state.path] = state.key

    def create(self, path: str, data: bytes, edit: int, mode: int = REGULAR) -> None:
        """Add a file that neither the base nor an earlier edit has; raise Stale when one has it."""
        self._check_free(path)
        document = Document(data)
        draft = Draft.of(b"").replace(0, 0, terminate(document).data, edit)
        self.put(
            FileState(
                key=f"\0{path}",
                origin=None,
                path=path,
                before=None,
                draft=draft,
                mode=mode,
                is_terminated=document.is_terminated,
            )
        )

    def rename(self, state: FileState, new_path: str) -> None:
        """Move a file to a free path. Raises Stale when the path is taken."""
        self._check_free(new_path)
        self.put(replace(state, path=new_path))

    def delete(self, state: FileState, edit: int) -> None:
        """Remove a file."""
        end = len(state.draft.document.data)
        draft = state.draft.replace(0, end, b"", edit)
        self.put(replace(state, path=None, draft=draft, is_closed=True))

    def _check_free(self, path: str) -> None:
        check_new_path(path)
        self._check_parents(path)
        if path in self._states and path not in self._now:
            raise refuse_made_and_removed(path)
        if path in self._now and self._states[self._now[path]].origin != path:
            raise InvalidInput(path, "is made twice by one spec", "Make it once.")
        if path in self._now or self._snapshot.get(path) is not None:
            raise Stale(path, "exists already", f"Read it (`hkgit read {path}`) and edit that.")
        if any(name.startswith(f"{path}/") for name in self._now):
            raise InvalidInput(path, "is a directory", "Name a file.")

    def changes(self) -> tuple[FileChange, ...]:
        """List every file that differs from the base, by name.

        A file that was made and removed again is left out.
        """
        changes = (state.change() for state in self._states.values() if state.origin or state.path)
        changed = (c for c in changes if c.path != c.new_path or c.before != c.after)
        return tuple(sorted(changed, key=lambda change: change.name))


def refuse_made_and_removed(path: str) -> InvalidInput:
    """Build the error for a spec that makes a file at a path from which it removes one."""
    return InvalidInput(path, "is removed and made by one spec", "Replace its text instead.")


def check_text(path: str, state: FileState) -> None:
    """Raises InvalidInput for a file whose lines mean nothing."""
    if b"\0" in state.draft.base.data[:_BINARY_PROBE]:
        raise InvalidInput(path, "is a binary file", "Edits of text need a text file.")
