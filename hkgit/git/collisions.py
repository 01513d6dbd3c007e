"""Find names that some file system cannot tell apart.

Two names that differ in case, in the normal form of their letters, or in what HFS+ leaves out can
stand side by side in a tree, but not in every checkout: there one overwrites the other, and a
link among them leads the other's content astray (the class of CVE-2021-21300). What is there
already stays editable; a spec may not add to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from hkgit.edits import DIRECTORY, File
from hkgit.errors import InvalidInput
from hkgit.git.objects import TreeSnapshot
from hkgit.text.paths import fold_name, quote_path


def expect_no_collisions(files: TreeSnapshot, changed: Mapping[str, File | None]) -> None:
    """Raise InvalidInput where a changed file's name collides with another one.

    Only the directories in which a name is new are looked at.
    """
    for new, old in find_collisions(files, changed):
        raise refuse_collision(new, old)


def refuse_collision(new: str, old: str) -> InvalidInput:
    """Build the error for a path that collides with another."""
    fix = "Choose a name that differs in more than case and accents."
    what = f"is the same as {quote_path(old)} to some file systems"
    return InvalidInput(quote_path(new), what, fix)


def find_collisions(
    files: TreeSnapshot, changed: Mapping[str, File | None]
) -> Iterator[tuple[str, str]]:
    """Yield the new paths among changed files that collide with another, each with that one."""
    for directory, names in _new_names(files, changed).items():
        known = {fold_name(name): name for name in names}
        listed = _entries(files, directory)
        pairs = [(known.get(fold_name(name)), name) for name in (*listed, *names)]
        for new, old in pairs:
            if new is not None and new != old and _stays(files, directory + old, changed):
                yield directory + new, directory + old


def _new_names(files: TreeSnapshot, changed: Mapping[str, File | None]) -> dict[str, list[str]]:
    """By directory (with its slash, the root is empty), the names that it does not have yet."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for path in (path for path, file in changed.items() if file is not None):
        parts = path.split("/")
        for depth, name in enumerate(parts):
            directory = "".join(f"{part}/" for part in parts[:depth])
            if files.entry(directory + name) is None:
                found[directory][name] = None
    return {directory: list(names) for directory, names in found.items()}


def _entries(files: TreeSnapshot, directory: str) -> Iterator[str]:
    tree = files.tree_id
    if directory:
        entry = files.entry(directory.removesuffix("/"))
        if entry is None or entry.mode != DIRECTORY:
            return
        tree = entry.id
    yield from files.trees.entries(tree)


def _stays(files: TreeSnapshot, path: str, changed: Mapping[str, File | None]) -> bool:
    """Whether a name is still there when everything is changed."""
    kept = (name for name, file in changed.items() if file is not None)
    if any(f"{name}/".startswith(f"{path}/") for name in kept):
        return True
    entry = files.entry(path)
    if entry is None or entry.mode != DIRECTORY:
        return entry is not None and path not in changed
    inside = (f"{path}/{name}" for name, _ in files.trees.walk(entry.id))
    return any(name not in changed for name in inside)
