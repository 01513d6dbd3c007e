"""originals.py: settings as they were before hkgit's parts came, to be given back byte for byte.

They are kept in the git directory. Where a file is no longer what hkgit made of them, somebody
else has changed it: then its parts are taken out one by one instead.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from hkgit.agents import HOOKED, MODES, PLAIN, parts_of
from hkgit.errors import InvalidInput
from hkgit.sessions.storage.paths import find_git_dir
from hkgit.sessions.storage.small_files import keep_json
from hkgit.values import dataclass

Added = tuple[tuple[str, str], ...]
"""Agents and their modes, in the order in which they were connected."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file before hkgit, None for none; and the agents whose parts were put into it since."""

    text: str | None
    added: Added = ()

    def with_agent(self, name: str, mode: str) -> Original:
        return Original(self.text, (*self.without_agent(name).added, (name, mode)))

    def without_agent(self, name: str) -> Original:
        return Original(self.text, tuple(each for each in self.added if each[0] != name))

    def build(self, path: str) -> str | None:
        """Build the file with the parts of all agents. Raises InvalidInput."""
        text = self.text
        for name, mode in self.added:
            for part in parts_of(name, mode):
                if part.path == path:
                    text = part.add_to(text)
        return text

    def explains(self, path: str, text: str | None) -> bool:
        """Whether a file is what hkgit made of this one."""
        with suppress(InvalidInput):
            return bool(self.added) and self.build(path) == text
        return False


class Originals:
    """The originals of a checkout by path; outside a repository none are kept."""

    def __init__(self, root: Path) -> None:
        git_dir = find_git_dir(root)
        self._place = None if git_dir is None else git_dir / "hkgit" / "agents.json"
        self._known = {} if self._place is None else _load(self._place)

    def get(self, path: str) -> Original | None:
        return self._known.get(path)

    def put(self, path: str, original: Original) -> None:
        """Keep an original; one that no agent has added to is forgotten."""
        self._known.pop(path, None)
        if original.added:
            self._known[path] = original

    def save(self) -> None:
        """Write them down, if the git directory can be written; without them removal is coarser."""
        if self._place is None:
            return
        document = {path: [each.text, each.added] for path, each in self._known.items()}
        with suppress(OSError):
            keep_json(self._place, document)


def _load(place: Path) -> dict[str, Original]:
    with suppress(OSError, ValueError, TypeError, AttributeError):
        found = json.loads(place.read_text()).items()
        return {path: Original(text, tuple(map(_agent, added))) for path, (text, added) in found}
    return {}


def _agent(pair: list[str]) -> tuple[str, str]:
    name, mode = pair
    if name not in (*HOOKED, *PLAIN) or mode not in MODES:
        raise ValueError(name)
    return name, mode
