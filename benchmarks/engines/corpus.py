"""corpus.py: real changes, one hunk each, from the files that differ between two releases."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path, PurePosixPath

from benchmarks.engines.downloads import Release, release_of
from benchmarks.engines.packages import Package, packages_of

MAX_LINES = 3000
MAX_HUNK_LINES = 40
FILES_PER_PACKAGE = 60
HUNKS_PER_FILE = 10
_SUFFIXES = (
    ".py .pyi .pyx .js .ts .tsx .jsx .mjs .c .h .cpp .css .scss .html .md .rst .txt .toml .yml"
    " .yaml .json .cfg .ini .sh .in"
)
SUFFIXES = frozenset(_SUFFIXES.split())
GENERATED = (".min.", "package-lock", "/dist/", "dist/", "vendor")

Splice = tuple[int, int, tuple[str, ...]]
"""Lines `start:end` (from 0) of the old release, and the lines of the new one in their place."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change of one file: `lines[start:end]` become `new`; `others` are the file's others."""

    package: str
    path: str
    lines: tuple[str, ...]
    start: int
    end: int
    new: tuple[str, ...]
    others: tuple[Splice, ...]

    @property
    def name(self) -> str:
        """What a report calls it."""
        return f"{self.package}/{self.path}:{self.start + 1}"


def hunks_of(half: str, cache: Path, seed: int = 0) -> list[Hunk]:
    """Every hunk of a half, the same for the same seed; packages that are missing are told."""
    hunks: list[Hunk] = []
    for package in packages_of(half):
        try:
            hunks += _package_hunks(package, cache, seed)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"corpus: {package.name} is left out: {error}", file=sys.stderr)
    return hunks


def _package_hunks(package: Package, cache: Path, seed: int) -> list[Hunk]:
    """The hunks of a package, kept in the cache, since difflib takes its time."""
    kept = cache / "hunks" / f"{package.name}-{'-'.join(package.versions)}-{seed}.pickle"
    if kept.is_file():
        rows = pickle.loads(kept.read_bytes())
        return [Hunk(*row) for row in rows]
    releases = [release_of(package, version, cache) for version in package.versions]
    hunks = [hunk for old, new in pairwise(releases) for hunk in _between(package, old, new, seed)]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps([_row(hunk) for hunk in hunks]))
    return hunks


def _row(hunk: Hunk) -> tuple[object, ...]:
    return (
        hunk.package,
        hunk.path,
        hunk.lines,
        hunk.start,
        hunk.end,
        hunk.new,
        hunk.others,
    )


def _between(package: Package, old: Release, new: Release, seed: int) -> list[Hunk]:
    """Some hunks of some of the files that changed."""
    rng = random.Random(f"{seed}:{package.name}:{len(old)}:{len(new)}")
    changed = sorted(path for path in old if path in new and old[path] != new[path])
    eligible = [path for path in changed if _is_eligible(path, old[path], new[path])]
    rng.shuffle(eligible)
    hunks: list[Hunk] = []
    for path in eligible[:FILES_PER_PACKAGE]:
        found = file_hunks(package.name, path, _lines(old[path]), _lines(new[path]))
        hunks += rng.sample(found, min(len(found), HUNKS_PER_FILE))
    return hunks


def _is_eligible(path: str, old: bytes, new: bytes) -> bool:
    """Text of a known kind, written by people, of a size that agents edit."""
    if PurePosixPath(path).suffix not in SUFFIXES or any(word in path for word in GENERATED):
        return False
    if any(b"\0" in data or data.count(b"\n") > MAX_LINES for data in (old, new)):
        return False
    return _is_utf8(old) and _is_utf8(new) and max(map(len, old.split(b"\n"))) < 1000


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines(data: bytes) -> tuple[str, ...]:
    """Lines without ends; labels decide about ends and byte order marks."""
    text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    return tuple(text.removesuffix("\n").split("\n"))


def file_hunks(package: str, path: str, old: tuple[str, ...], new: tuple[str, ...]) -> list[Hunk]:
    """One hunk for each run of changed lines; runs that a blank line parts are one."""
    splices = _splices(old, new)
    return [
        Hunk(package, path, old, start, end, lines, (*splices[:i], *splices[i + 1 :]))
        for i, (start, end, lines) in enumerate(splices)
        if end - start + len(lines) <= MAX_HUNK_LINES
    ]


def _splices(old: tuple[str, ...], new: tuple[str, ...]) -> list[Splice]:
    """The line diff; changes with at most one line between them are one change."""
    found: list[tuple[int, int, int, int]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if found and i1 - found[-1][1] <= 1:
            found[-1] = (found[-1][0], i2, found[-1][2], j2)
        else:
            found.append((i1, i2, j1, j2))
    return [(i1, i2, new[j1:j2]) for i1, i2, j1, j2 in found]
