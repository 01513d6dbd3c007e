"""Where transcripts are, and what their paths mean on this machine."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from hkgit.agents import find_agent, list_logged
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field


def find_logs(
    roots: Sequence[Path], environment: Mapping[str, str], agent: str | None = None
) -> list[Path]:
    """Find the logs that may refer to one of some checkouts, by one agent or by all."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nonexistent")
    names = list_logged() if agent is None else (agent,)
    forms = (log for name in names for log in find_agent(name).logs)
    found = (path for log in forms for path in log.find(home, environment, roots))
    return sorted({path for path in found if path.is_file()})


def logs_at(place: Path) -> list[Path]:
    """List every log below a directory, or the one file. Raises InvalidInput for none."""
    if place.is_file():
        return [place]
    own = (log.suffix for name in list_logged() for log in find_agent(name).logs)
    ends = {".jsonl", ".json", *(each for each in own if each.startswith("."))}
    found = sorted({path for end in ends for path in place.rglob(f"*{end}")})
    if not found:
        known = ", ".join(list_logged())
        fix = f"Name an agent ({known}), a directory with logs, or one log."
        raise InvalidInput(str(place), "there are no logs", fix)
    return found


_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass
class PathMap:
    """Maps names of logs to the paths of a repository that are `known`.

    `find_checkout` gives the checkout around a directory of this machine, and whether it is of
    this repository; None where there is none.
    """

    known: Collection[str]
    find_checkout: Callable[[Path], tuple[Path, bool] | None]
    others: set[str] = field(default_factory=set)
    _roots: dict[str, tuple[str | None, bool]] = field(default_factory=dict)

    def path(self, directory: str, name: str) -> str | None:
        """Find the path of a name; None where it is not one of the known ones."""
        here, whole = _unify(directory), _unify(name)
        whole = posixpath.normpath(posixpath.join(here, whole) if here else whole)
        root, is_own = self._root(here)
        if not is_own:
            return None
        if root is not None:
            path = _below(whole, root)
            return path if path in self.known else None
        return self._guess(here, whole)

    def _root(self, directory: str) -> tuple[str | None, bool]:
        """The checkout that a directory lies in, and whether it may be of the repository."""
        if directory not in self._roots:
            place = Path(directory) if directory.startswith("/") else None
            found = self.find_checkout(place) if place is not None and place.is_dir() else None
            if found is not None and not found[1]:
                self.others.add(directory)
            self._roots[directory] = (
                (None, True) if found is None else (found[0].as_posix(), found[1])
            )
        return self._roots[directory]

    def _guess(self, directory: str, whole: str) -> str | None:
        if not whole.startswith(("/", "//")) and not _DRIVE.match(whole):
            return whole if whole in self.known else None
        above = directory
        roots = [above]
        while above not in ("", "/") and posixpath.dirname(above) != above:
            above = posixpath.dirname(above)
            roots.append(above)
        # The longest path is the surest: many directories have a README.
        paths = (_below(whole, root) for root in reversed(roots))
        return next((path for path in paths if path is not None and path in self.known), None)


def _unify(name: str) -> str:
    return name.replace("\\", "/") if _DRIVE.match(name) else name


def _below(whole: str, root: str) -> str | None:
    prefix = root.rstrip("/") + "/"
    return whole[len(prefix) :] if whole.startswith(prefix) else None
