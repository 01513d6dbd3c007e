"""places.py: the directory of a fleet: mirrors, states, what is under way, the summary.

Workers on other machines reach it by the same path. `fleet.json` marks it, so that a worker that
does not see it says so, and fetches nothing to a place of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hkgit.audit.tables.store import write_json
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.transactions import locks
from hkgit.values import dataclass

LAYOUT = 1
"""The version of the directory's layout."""


@dataclass(frozen=True, slots=True)
class FleetDirectory:
    """Where everything of a fleet is kept."""

    root: Path

    @property
    def marker(self) -> Path:
        return self.root / "fleet.json"

    @property
    def summary(self) -> Path:
        return self.root / "summary.json"

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    def mirror(self, name: str) -> Path:
        return self.root / "mirrors" / f"{name}.git"

    def state(self, name: str) -> Path:
        return self.root / "states" / f"{name}.json"

    def pending(self, name: str) -> Path:
        """Return where the work on a repository is that is not in its state yet."""
        return self.root / "pending" / name

    def prepare(self) -> None:
        """Make the directory, or see that this hkgit knows the one that is there.

        Raises InvalidInput.
        """
        if self.marker.exists():
            self._check_layout()
            return
        if self.root.exists() and any(self.root.iterdir()):
            fix = "Name a new directory, or one that hkgit fleet has made."
            raise InvalidInput(str(self.root), "holds something else", fix)
        self.root.mkdir(parents=True, exist_ok=True)
        write_json(self.marker, {"layout": LAYOUT})

    def _check_layout(self) -> None:
        found = read_json(self.marker)
        if not isinstance(found, dict) or type(found.get("layout")) is not int:
            raise InvalidInput(str(self.marker), "is not a fleet's", "Name another directory.")
        if found["layout"] > LAYOUT:
            what = f"has layout {found['layout']}, and this hkgit knows {LAYOUT}"
            raise InvalidInput(str(self.root), what, "Use a newer hkgit, or a new directory.")

    def expect_seen(self) -> None:
        """Raise InvalidInput where a worker does not reach the directory."""
        if not self.marker.exists():
            what = "is not seen by a worker"
            fix = "Workers reach the directory by the same path: use a shared file system."
            raise InvalidInput(str(self.root), what, fix)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let one run at a time work here. Raises GitRefused."""
        path = self.root / "lock"
        held = locks.wait_for(path, 0)
        if held is None:
            fix = "Wait for it, or name another directory."
            raise GitRefused(str(self.root), "another run is at work here", fix)
        try:
            yield
        finally:
            locks.remove(path, held)


def read_json(path: Path) -> object:
    """Read the JSON value of a file; None where there is none that can be read."""
    try:
        found: object = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found
