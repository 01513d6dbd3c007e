"""conftest.py: bare repositories with a replayable history, and a fleet over them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.history import make_history
from hkgit.audit.fleet.plan import FleetDirectory, read_list
from hkgit.audit.fleet.run import PART, FleetRow, verify_fleet
from tests.support.repos import Repo

COMMITS = 6
"""Commits with evidence upon a first one, which is an agent's and has none."""

Verify = Callable[..., dict[str, FleetRow]]


@pytest.fixture(scope="session")
def histories(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two bare repositories with histories of their own."""
    root = tmp_path_factory.mktemp("histories")
    places = root / "one.git", root / "two.git"
    for seed, place in enumerate(places, 1):
        make_history(place, COMMITS, seed=seed)
        Repo(place).git("repack", "-adq")  # one file to copy instead of hundreds
    return places


@pytest.fixture
def one(histories: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(histories[0], tmp_path / "one.git"))


@pytest.fixture
def two(histories: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(histories[1], tmp_path / "two.git"))


def run_fleet(listed: Path, to: Path, *, size: int = PART) -> list[FleetRow]:
    """The rows of a list, in its order."""
    several = read_list(listed)
    with ThreadPoolExecutor(1) as executor:
        run = verify_fleet(several, FleetDirectory(to), executor, size=size)
        rows = {row.listed: row for row in run}
    return [rows[each] for each in several]


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Verify a list of addresses, again and again in the same directory; the rows by name."""

    def again(*addresses: object, **more: int) -> dict[str, FleetRow]:
        listed = tmp_path / "list.txt"
        listed.write_text("".join(f"{each}\n" for each in addresses))
        rows = run_fleet(listed, tmp_path / "fleet", **more)
        return {Path(row.listed.name).stem: row for row in rows}

    return again
