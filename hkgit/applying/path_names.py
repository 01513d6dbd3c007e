"""What file a name in an edit means, by the files that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hkgit.edits import AnyEdit, Edit, Snapshot, Spec
from hkgit.errors import InvalidInput
from hkgit.values import replace

_LOOSE = frozenset({"search-replace"})
"""Dialects in which a file name stands in prose, often cut short."""

MOST_COMPARED = 5000  # With so many paths a name that is not there is compared
MOST_MORE = 10  # By so many letters a path may be longer or shorter than a name like it


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


def find_namesakes(name: str, paths: Iterable[str]) -> list[str]:
    """List the files of the same name in other directories, sorted; case is ignored."""
    last = _last(name)
    return sorted(path for path in paths if _last(path) == last)


def find_similar(name: str, paths: Iterable[str]) -> list[str]:
    """List up to three files whose paths are nearly this one, the likeliest first."""
    # Few calls need it.
    from difflib import get_close_matches

    known = [path for path in paths if abs(len(path) - len(name)) <= MOST_MORE][:MOST_COMPARED]
    return get_close_matches(name, known, n=3, cutoff=0.8)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()
