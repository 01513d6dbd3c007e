"""moves.py: find what a command has done to HEAD, as git's own log of it tells."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.edits import File
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.repository import Repository

_MOST = 50
"""So many moves of HEAD are looked at."""

_COMMITS = ("commit: ", "commit (")


@dataclass(frozen=True, slots=True)
class ShellWork:
    """Files that a command has changed, as they were before it.

    `committed` are those that it has committed past git's hooks, by `time`, in milliseconds since
    1970.
    """

    changed: Mapping[str, File | None]
    committed: Mapping[str, File | None]
    time: int = 0


@dataclass(frozen=True, slots=True)
class HeadMoves:
    """Where HEAD has been since a commit.

    `is_told` says that files were brought along wherever it went. Where it was moved by commits
    alone, of which none has evidence, `paths` are theirs, and `time` is that of the first.
    """

    is_told: bool
    paths: tuple[str, ...] = ()
    time: int = 0


def find_moves(repository: Repository, head: str | None) -> HeadMoves:
    """Find where HEAD has been since it was `head`; None is before the first commit."""
    if head is None:
        return HeadMoves(is_told=True)
    said: list[str] = []
    for line in repository.git("reflog", f"-{_MOST}", "--format=%H %gs").text.splitlines():
        commit, _, how = line.partition(" ")
        if commit == head:
            return _find_commits(repository, head, said)
        if how.startswith("reset:"):
            break
        said.append(how)
    return HeadMoves(is_told=False)


def _find_commits(repository: Repository, head: str, said: list[str]) -> HeadMoves:
    if not said or not all(how.startswith(_COMMITS) for how in said):
        return HeadMoves(is_told=True)
    form = "--format=%ct %(trailers:key=Hkgit-Entry,valueonly,separator=%x2C)"
    lines = repository.git("log", form, f"{head}..HEAD").text.splitlines()
    times = [int(line) for line in lines if line.strip().isdecimal()]
    if not times or len(times) < len(lines):
        return HeadMoves(is_told=True)
    changed = repository.git("diff", "--name-only", "--no-renames", "-z", head, "HEAD").text
    paths = tuple(path for path in changed.split("\0") if path)
    return HeadMoves(is_told=True, paths=paths, time=min(times) * 1000)
