"""Resolve the file names of a spec against the files that are there."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.dialects import resolve_path
from hkgit.edits import AnyEdit, Edit, Snapshot, Spec
from hkgit.errors import InvalidInput
from hkgit.values import replace

_LOOSE = frozenset({"search-replace"})
"""Dialects in which a file name stands in prose, often cut short."""


def resolve_names(spec: Spec, files: Snapshot) -> Spec:
    """Complete every loose file name of a spec; raise InvalidInput when one fits several."""
    if spec.dialect not in _LOOSE:
        return spec
    return replace(spec, edits=tuple(_edits(spec, files)))


def _edits(spec: Spec, files: Snapshot) -> Iterator[AnyEdit]:
    created: set[str] = set()
    for edit in spec.edits:
        if not isinstance(edit, Edit):
            yield edit
        elif edit.old_text == "":
            created.add(edit.path)
            yield edit
        else:
            yield replace(edit, path=_path(edit.path, files, created))


def _path(name: str, files: Snapshot, created: set[str]) -> str:
    def exists(path: str) -> bool:
        try:
            return path in created or files.get(path) is not None
        except InvalidInput:
            return True  # a path that cannot be one: its own edit is refused for that

    return resolve_path(name, exists, files.paths)
