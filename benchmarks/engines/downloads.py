"""downloads.py: releases, fetched once from their registry and kept in a cache directory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from benchmarks.engines.packages import Package

Release = dict[str, bytes]
"""The files of a release by their path below its top directory."""


def default_cache() -> Path:
    """Where releases are kept unless the command line says otherwise."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hkgit-benchmarks"


def release_of(package: Package, version: str, cache: Path) -> Release:
    """The files of one release; raises CalledProcessError when the registry has it not."""
    home = cache / "releases" / package.registry / f"{package.name}-{version}"
    if not home.is_dir():
        home.mkdir(parents=True)
        try:
            _fetch(package, version, home)
        except subprocess.CalledProcessError:
            shutil.rmtree(home)
            raise
    return _unpacked(next(iter(sorted(home.iterdir()))))


def _fetch(package: Package, version: str, home: Path) -> None:
    """Download the source archive with the registry's own client."""
    if package.registry == "npm":
        command = ["npm", "pack", "--silent", f"{package.name}@{version}"]
    else:
        source = ("--no-deps", "--no-binary", package.name)
        command = [sys.executable, "-m", "pip", "download", "-q", *source]
        command.append(f"{package.name}=={version}")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(command, cwd=scratch, check=True, capture_output=True)
        for archive in Path(scratch).iterdir():
            shutil.move(archive, home / archive.name)


def _unpacked(archive: Path) -> Release:
    """The regular files of an archive, without its top directory."""
    if archive.suffix in {".zip", ".whl"}:
        with zipfile.ZipFile(archive) as opened:
            return {_below_top(i.filename): opened.read(i) for i in opened.infolist()}
    with tarfile.open(archive) as opened_tar:
        members = [member for member in opened_tar if member.isfile()]
        readers = {_below_top(m.name): opened_tar.extractfile(m) for m in members}
        return {path: reader.read() for path, reader in readers.items() if reader is not None}


def _below_top(name: str) -> str:
    return name.split("/", 1)[-1]
