"""Files to edit, and what their paths mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hkgit.applying.draft import Draft
from hkgit.applying.hunk import net_hunks
from hkgit.applying.outcome import FileChange
from hkgit.edits import (
    DIRECTORY,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    AnyEdit,
    Edit,
    File,
    Snapshot,
    Spec,
    decode_text,
)
from hkgit.errors import InvalidInput, Stale
from hkgit.text.document import MOST_LINES, Document, has_too_many_lines, read_document, terminate
from hkgit.text.escape import quote_word
from hkgit.text.paths import check_new_path, check_path
from hkgit.values import dataclass, replace

_LOOSE = frozenset({"search-replace"})
"""Dialects in which a file name is in prose, often cut short."""

MOST_COMPARED = 5000  # With so many paths a name that is not there is compared
MOST_MORE = 10  # By so many letters a path may be longer or shorter than a name like it


def resolve_names(spec: Spec, files: Snapshot) -> Spec:
    """Complete every loose file name of a spec; raise InvalidInput when one fits several."""
    if spec.dialect not in _LOOSE:
        return spec
    created: set[str] = set()

    def exists(path: str) -> bool:
        try:
            return path in created or files.get(path) is not None
        except InvalidInput:
            return True  # a path that cannot be one: its own edit is refused for that

    edits: list[AnyEdit] = []
    for edit in spec.edits:
        if isinstance(edit, Edit) and edit.old_text == "":
            created.add(edit.path)
        elif isinstance(edit, Edit):
            edit = replace(edit, path=resolve_path(edit.path, exists, files.paths))
        edits.append(edit)
    return replace(spec, edits=tuple(edits))


def resolve_path(
    name: str, exists: Callable[[str], bool], paths: Callable[[], Iterable[str]]
) -> str:
    """Find the file that a name means: itself, or the only file whose path ends with it.

    Where none does, neither case nor the kind of slash nor the `a/` of a diff tells names apart.
    A name that no file ends with stays as it is. Raises InvalidInput when several end with it.
    """
    if exists(name):
        return name
    known = list(paths())
    candidates = sorted(path for path in known if path.endswith("/" + name))
    candidates = candidates or _loosely(name, known)
    if len(candidates) > 1:
        shown = ", ".join(candidates[:10]) + (", …" if len(candidates) > 10 else "")
        what = f"the name fits {len(candidates)} files: {shown}"
        raise InvalidInput(name, what, "Write the path from the root of the repository.")
    return candidates[0] if candidates else name


def _loosely(name: str, paths: Iterable[str]) -> list[str]:
    """The files that a name may mean, in order; those that have its case if there are any."""
    slashed = name.replace("\\", "/").removeprefix("./")
    bare = slashed[2:] if slashed.startswith(("a/", "b/")) else slashed
    found = sorted(
        path
        for path in paths
        if f"/{path}".lower().endswith((f"/{slashed}".lower(), f"/{bare}".lower()))
    )
    return [path for path in found if f"/{path}".endswith(f"/{bare}")] or found


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()


_BINARY_PROBE = 8000  # git looks for a NUL byte in as many bytes to call a file binary
NAMED = 3  # So many files are named in place of one that is not there
KINDS = {DIRECTORY: "a directory", SYMLINK: "a symbolic link", SUBMODULE: "a submodule"}
"""What is where a file was meant, by its mode."""

_ADVICE = {
    SYMLINK: "Name the file that the link leads to.",
    SUBMODULE: "It is another repository: run hkgit in it, with paths from its root.",
}


def advise_on(mode: int) -> str:
    """Say what to name in place of what is no file."""
    return _ADVICE.get(mode, "Name a regular file.")


@dataclass(frozen=True)
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
        return self.path != self.origin or not self.draft.is_untouched

    def change(self) -> FileChange:
        """Describe what became of the file."""
        after = None
        if self.path is not None:
            after = File(self.draft.result(is_terminated=self.is_terminated), self.mode)
        return FileChange(
            path=self.origin,
            new_path=self.path,
            before=self.before,
            after=after,
            hunks=net_hunks(self.draft),
        )


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
        document = read_document(file.data)
        state = FileState(
            key=path,
            origin=path,
            path=path,
            before=file,
            draft=Draft(terminate(document)),
            mode=file.mode,
            is_terminated=document.is_terminated,
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
                fix = _ADVICE.get(mode, "A file cannot contain files: use another path.")
                raise InvalidInput(path, f"{parent} is {KINDS.get(mode, 'a file')}", fix)

    def namesakes(self, path: str) -> list[str]:
        """List some files of the same name elsewhere, in any case; else those with a path like it.

        The likeliest are first.
        """
        paths = sorted(self._snapshot.paths())
        named = [each for each in paths if _last(each) == _last(path)]
        if named:
            return named[:NAMED]
        # Few calls need it.
        from difflib import get_close_matches

        known = [each for each in paths if abs(len(each) - len(path)) <= MOST_MORE]
        return get_close_matches(path, known[:MOST_COMPARED], n=NAMED, cutoff=0.8)

    def put(self, state: FileState) -> None:
        """Keep the next state of a file."""
        old = self._states.get(state.key)
        if old is not None and old.path is not None:
            self._now.pop(old.path, None)
        self._states[state.key] = state
        if state.path is not None:
            self._now[state.path] = state.key

    def create(self, path: str, data: bytes, edit: int, mode: int) -> None:
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
            raise InvalidInput(path, "is created twice by one spec", "Create it once.")
        if path in self._now or self._snapshot.get(path) is not None:
            raise Stale(
                path, "exists already", f"Read it (`hkgit read {quote_word(path)}`) and edit that."
            )
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
    return InvalidInput(path, "is deleted and created by one spec", "Replace its text instead.")


def check_text(path: str, state: FileState) -> None:
    """Raises InvalidInput for a file whose lines mean nothing."""
    if b"\0" in state.draft.base.data[:_BINARY_PROBE]:
        raise InvalidInput(path, "is a binary file", "Edits of text need a text file.")
