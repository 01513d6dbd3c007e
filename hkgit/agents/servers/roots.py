"""roots.py: the directories a server may work in: the client's roots, or where it was started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from hkgit.errors import InvalidInput
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class Root:
    """A checkout, and the directory below it (or it) that may be read and changed."""

    root: Path
    within: Path

    @classmethod
    def around(cls, directory: Path) -> Root:
        """Find the checkout that holds a directory; the directory itself where there is none."""
        here = directory.resolve()
        holders = (above for above in (here, *here.parents) if (above / ".git").exists())
        return cls(next(holders, here), here)

    def expect_inside(self, paths: Iterable[str]) -> None:
        """Raise InvalidInput for a path from the root that leads out of what is allowed."""
        for path in paths:
            place = PurePosixPath(self.root.as_posix(), path)
            if self.within.parts and not place.is_relative_to(self.within.as_posix()):
                what = "lies outside the roots that the client allows"
                raise InvalidInput(path, what, f"Name a file below {self.within}.")


def places(start: Path, roots: Sequence[str] | None) -> list[Root]:
    """List where to work: each of the client's roots (file URIs) that is a directory, in order.

    Without any, the checkout around `start`: all of it; and this in place of a root that is a
    directory above it. Raises InvalidInput where the client names roots, but none of them is a
    directory here.
    """
    home = Root.around(start).root
    if not roots:
        return [Root(home, home)]
    found = [path for path in map(_path, roots) if path is not None and path.is_dir()]
    if not found:
        what = f"none is a directory here: {', '.join(roots)}"
        raise InvalidInput("the client's roots", what, "Offer the root of a checkout.")
    return list(
        dict.fromkeys(
            Root(home, home) if root.resolve() in home.parents else Root.around(root)
            for root in found
        )
    )


def choose_root(offered: Sequence[Root], asked: str | None) -> Root:
    """Choose the place that a call asks for; the first one by default. Raises InvalidInput."""
    if asked is None:
        return offered[0]
    wanted = Path(asked).resolve() if "\0" not in asked else None
    for place in offered:
        if wanted in (place.within, place.root):
            return place
    known = ", ".join(str(place.within) for place in offered)
    raise InvalidInput("argument root", "is none of the roots", f"Known: {known}.")


def _path(uri: str) -> Path | None:
    from urllib.request import url2pathname  # it loads all that speaks HTTP

    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in unquote(uri):
        return None
    return Path(url2pathname(parts.path))
