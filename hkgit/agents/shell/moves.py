"""moves.py: find what a command has done to HEAD, as git's own log of it tells."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.edits import File
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.repository import Repository

_MOST = 50
"""So many moves of HEAD are looked at."""

_COMMITS = ("commit: ", "commit (")
_RESET = "reset:"


@dataclass(frozen=True, slots=True)
class ShellWork:
    """Files that a command has changed, as they were before it.

    `committed` are those that it has committed past git's hooks, by `time`, in milliseconds since
    1970. `since` is when each file was as it is given. `lost` are files that another session has
    found changed meanwhile, by its name, and could not tell by whom.
    """

    changed: Mapping[str, File | None] = field(default_factory=dict)
    committed: Mapping[str, File | None] = field(default_factory=dict)
    time: int = 0
    command: str = ""
    since: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeadMoves:
    """Where HEAD has been since a commit.

    `is_told` says that files were brought along wherever it went. Where it was moved by commits
    alone, of which none has evidence, `paths` are theirs, and `time` is that of the first. `base`
    is the commit that it was reset to before them: files may have been left as they were.
    """

    is_told: bool
    paths: tuple[str, ...] = ()
    time: int = 0
    base: str | None = None


def find_moves(repository: Repository, head: str | None) -> HeadMoves:
    """Find where HEAD has been since it was `head`; None is before the first commit."""
    if head is None:
        return HeadMoves(is_told=True)
    said: list[tuple[str, str]] = []
    for line in repository.git("reflog", f"-{_MOST}", "--format=%H %gs").text.splitlines():
        commit, _, how = line.partition(" ")
        if commit == head:
            return _find_since(repository, head, said)
        said.append((commit, how))
    return HeadMoves(is_told=False)


def _find_since(repository: Repository, head: str, said: list[tuple[str, str]]) -> HeadMoves:
    resets = (at for at, (_, how) in enumerate(said) if how.startswith(_RESET))
    last = next(resets, None)
    hows = [how for _, how in said]
    if last is None:
        return _find_commits(repository, head, hows)
    if not all(how.startswith((_RESET, *_COMMITS)) for how in hows[last:]):
        return HeadMoves(is_told=False)
    base = said[last][0]
    found = _find_commits(repository, base, hows[:last])
    is_plain = bool(found.paths) or not hows[:last]
    return replace(found, is_told=False, base=base if is_plain else None)


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


def is_overlapping(first: File | None, second: File | None, third: File | None) -> bool:
    """Whether what leads from the second file to the third changes what made it of the first."""
    if first == second:
        return False
    if first is None or second is None or third is None:
        return True
    lines = [split_raw(each.data) for each in (first, second, third)]
    made, changed = find_changes(lines[0], lines[1]), find_changes(lines[1], lines[2])
    return any(a.new_start <= b.old_end and b.old_start <= a.new_end for a in made for b in changed)
