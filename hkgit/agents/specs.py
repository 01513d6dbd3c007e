"""The calls of agents' tools as specs and commands, their paths from the root."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from hkgit import dialects
from hkgit.agents.events import (
    Did,
    Editing,
    LateEdit,
    Looks,
    NotebookReading,
    PendingToolEdit,
    Shell,
    ToolReading,
)
from hkgit.edits import AnyEdit, RenameFile, Spec
from hkgit.errors import InvalidInput
from hkgit.sessions.homes import find_checkout
from hkgit.values import replace


def find_commands(did: Did) -> list[str]:
    """Find the shell commands that a call runs."""
    parts = did.parts if isinstance(did, Looks) else (did,)
    return [each.command for each in parts if isinstance(each, Shell)]


def find_touched_paths(did: Did, root: Path, directory: Path) -> list[str]:
    """Find the paths, from the root, that a call may change. Raises InvalidInput outside it."""
    match did:
        case (Editing() as edit) | LateEdit(edit):
            return paths_of(spec_of(edit, root, directory))
        case PendingToolEdit(path):
            return [relative_to_root(path, root, directory)]
    return []


def find_named_paths(did: Did) -> list[str]:
    """Find the paths that a call of a tool names, as it names them; of commands nothing."""
    match did:
        case Editing(text, dialect):
            return paths_of(dialects.parse(text, dialect))
        case PendingToolEdit(path) | ToolReading(path) | NotebookReading(path):
            return [path]
        case Looks(parts):
            return [each.path for each in parts if isinstance(each, ToolReading)]
    return []


_WORD = r"[^\s'\"`;&|()<>=]*/[^\s'\"`;&|()<>=]*|(?<=cd )[^\s'\"`;&|()<>=]+"


def find_named_checkouts(did: Did, directory: Path) -> list[Path]:
    """Find the checkouts of the files that commands name, as far as words alone tell."""
    words = (word for command in find_commands(did) for word in re.findall(_WORD, command))
    found: dict[Path, None] = {}
    for word in dict.fromkeys(words):
        # A word may be no path, and a path out of reach.
        with suppress(OSError, RuntimeError, ValueError):
            root = find_checkout(Path(directory, Path(word).expanduser()))
            found |= {root: None} if (root / ".git").exists() else {}
    return [*found]


def spec_of(did: Editing, root: Path, directory: Path) -> Spec:
    """Convert a call to a spec with paths from the root. Raises InvalidInput."""
    spec = dialects.parse(did.text, did.dialect)
    edits = tuple(_make_root_relative(edit, root, directory) for edit in spec.edits)
    return replace(spec, edits=edits)


def _make_root_relative(edit: AnyEdit, root: Path, directory: Path) -> AnyEdit:
    moved = replace(edit, path=relative_to_root(edit.path, root, directory))
    if not isinstance(moved, RenameFile):
        return moved
    return replace(moved, new_path=relative_to_root(moved.new_path, root, directory))


def relative_to_root(path: str, root: Path, directory: Path) -> str:
    """Convert a path of the agent's to one from the root. Raises InvalidInput for one outside."""
    if "\0" in path:
        raise InvalidInput("path", "holds a NUL")
    place = Path(directory, path)
    whole = place.parent.resolve() / place.name
    if not whole.is_relative_to(root.resolve()):
        raise InvalidInput(path, "is outside the checkout")
    return whole.relative_to(root.resolve()).as_posix()


def paths_of(spec: Spec) -> list[str]:
    """List every path that a spec may change."""
    renamed = [edit.new_path for edit in spec.edits if isinstance(edit, RenameFile)]
    return list(dict.fromkeys([*(edit.path for edit in spec.edits), *renamed]))
