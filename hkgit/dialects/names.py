"""names.py: turn file names as agents write them into paths below the root."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hkgit.edits import Read
from hkgit.errors import InvalidInput
from hkgit.values import late_pattern

_EXPECT = late_pattern(
    r"(?P<path>(?!:[0-9]+[-=]).+?)(?::(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?)?"
    r"=(?P<hash>[0-9A-Fa-f]{12,64})",
    re.DOTALL,
)
MOST_COMPARED = 5000
"""With so many paths a name that is not there is compared."""

MOST_MORE = 10
"""By so many letters a path may be longer or shorter than a name like it."""

_DRIVE = late_pattern(r"[A-Za-z]:[\\/]")


def relative_path(path: str, root: str | None) -> str:
    """Strip a leading `./` from a path and, where it lies below it, the absolute `root`.

    Whatever else is wrong with a path is for the applying layer to refuse.
    """
    if root is not None:
        path = _below(path, root)
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


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


def require_normal(path: str, where: str) -> str:
    """Return a path that is relative to the root and normal; raise InvalidInput for any other."""
    if {"", ".", ".."} & set(path.split("/")):
        what = f'expected a path from the root without "." and "..", found "{path}"'
        raise InvalidInput(where, what, 'Write it as git does: "src/app.py".')
    return path


def parse_expect(argument: str) -> Read:
    """Read `PATH[:N | :START-END]=HASH`, the argument of --expect; raises InvalidInput."""
    found = _EXPECT.fullmatch(argument)
    if found is None:
        what = f'expected PATH[:N | :START-END]=HASH with 12 to 64 hex digits, found "{argument}"'
        raise InvalidInput("--expect", what, "Take the hash from `hkgit read PATH:START-END`.")
    path, digits = found["path"], found["hash"].lower()
    if found["start"] is None:
        return Read(path, None, None, digits)
    start = int(found["start"])
    end = start if found["end"] is None else int(found["end"])
    if not 1 <= start <= end + 1:
        what = f"expected lines START-END that count from 1, found {start}-{end}"
        raise InvalidInput("--expect", what, "Write the first line, a dash, and the last line.")
    return Read(path, start, end, digits)


def _below(path: str, root: str) -> str:
    """The path from `root` if it lies below it, else as it is; on a drive neither case nor the
    kind of slash tells two paths apart."""
    prefix = root.rstrip("/\\") + "/"
    if not _DRIVE.match(root):
        return path[len(prefix) :].lstrip("/") if path.startswith(prefix) else path
    slashed = path.replace("\\", "/")
    is_below = slashed.lower().startswith(prefix.replace("\\", "/").lower())
    return slashed[len(prefix) :].lstrip("/") if is_below else path
