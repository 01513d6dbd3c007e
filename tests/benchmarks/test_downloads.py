"""Archives are read whole, each path below the directory at the top."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from benchmarks.engines.downloads import default_cache, release_of
from benchmarks.engines.packages import PACKAGES, Package, packages_of

PACKAGE = Package("p", "pypi", ("1", "2"), "tune")


def put(cache: Path, name: str) -> None:
    """A release in the cache, so that nothing is downloaded."""
    home = cache / "releases" / "pypi" / "p-1"
    home.mkdir(parents=True)
    source = cache / "a.py"
    source.write_bytes(b"x = 1\r\n")
    if name.endswith(".zip"):
        with zipfile.ZipFile(home / name, "w") as opened:
            opened.write(source, "p-1/lib/a.py")
    else:
        with tarfile.open(home / name, "w:gz") as opened_tar:
            opened_tar.add(source, "p-1/lib/a.py")


@pytest.mark.parametrize("name", ["p-1.tar.gz", "p-1.zip"])
def test_a_release_that_is_kept_is_read_from_the_cache(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert release_of(PACKAGE, "1", tmp_path) == {"lib/a.py": b"x = 1\r\n"}


def test_the_cache_is_where_the_user_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "hkgit-benchmarks"


def test_the_halves_share_no_package() -> None:
    tune, report = packages_of("tune"), packages_of("report")
    assert {*tune, *report} == set(PACKAGES)
    assert not {package.name for package in tune} & {package.name for package in report}
