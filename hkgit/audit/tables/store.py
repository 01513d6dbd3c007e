"""Tables in a directory, added to by each export.

`TABLE/repository=NAME/*.parquet` hold the rows. `_hkgit/repository=NAME.json` lists the files that
count: it is replaced in one step when all of them are there, so that a crash leaves the old or the
new. A file that it does not list is what a crash left, and goes at the next export.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from hkgit.audit.tables.columns import OF_COMMITS, TABLES, VERSION
from hkgit.audit.tables.identity import RepositoryIdentity
from hkgit.audit.tables.rows import Row, Rows
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.transaction import locks
from hkgit.text.strict_json import Json
from hkgit.values import dataclass


def list_names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def flush_file(path: Path) -> None:
    """Have a file on the disk before anything counts on it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def open_lines(draft: Path) -> Iterator[dict[str, IO[str]]]:
    """Open a file of JSON lines for each table."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context((draft / f"{name}.jsonl").open("w", encoding="utf-8"))
            for name in TABLES
        }


def to_line(row: Row) -> str:
    return json.dumps(row) + "\n"


@dataclass(frozen=True, slots=True)
class SortedRows:
    """What became of the rows that came in; `claimed` are the refusals that entries claim."""

    added: int
    changed: tuple[str, ...]
    kept: int
    claimed: frozenset[str]


def sort_rows(
    rows: Iterable[Rows], known: Mapping[str, str], lines: Mapping[str, IO[str]]
) -> SortedRows:
    """Write the rows of commits that are new or of which something else is said."""
    done: set[str] = set()
    claimed: set[str] = set()
    added, kept, changed = 0, 0, []
    for each in rows:
        (commit,) = each["commits"]
        name = commit["commit"]
        if name in done:
            continue
        done.add(name)
        claimed.update(row["refusal"] for row in each["refusals"])
        if known.get(name) == commit["digest"]:
            kept += 1
            continue
        for table in OF_COMMITS:
            lines[table].writelines(map(to_line, each[table]))
        if name in known:
            changed.append(name)
        else:
            added += 1
    return SortedRows(added, tuple(changed), kept, frozenset(claimed))


HIDDEN = "_hkgit"
_ABOUT = "tables.json"
_PATIENCE = 60.0
"""Seconds that an export waits for another one of the same repository."""

Files = Mapping[str, tuple[str, ...]]
"""The names of the files that count, by table."""


@dataclass(frozen=True, slots=True)
class TableDirectory:
    """A directory of tables."""

    path: Path

    @classmethod
    def open(cls, path: Path) -> TableDirectory:
        """Open one that is there. Raises InvalidInput if there is none, or one of a newer hkgit."""
        if not cls(path).is_begun:
            fix = "Write them first: hkgit export --to DIR"
            raise InvalidInput(str(path), "is no directory of tables", fix)
        _check_version(path / HIDDEN / _ABOUT)
        return cls(path)

    @classmethod
    def make(cls, path: Path) -> TableDirectory:
        """Open one that is there, or make a new one; raise as `open` does, and OSError."""
        about = path / HIDDEN / _ABOUT
        if not about.exists():
            if path.exists() and any(path.iterdir()) and not (path / HIDDEN).is_dir():
                fix = "Name a new or empty directory."
                raise InvalidInput(str(path), "holds other files", fix)
            about.parent.mkdir(parents=True, exist_ok=True)
            write_json(about, {"format": "hkgit tables", "version": VERSION})
        return cls.open(path)

    @property
    def is_begun(self) -> bool:
        """Whether anything says that it is one: an export may be about to."""
        return (self.path / HIDDEN / _ABOUT).is_file()

    def parts(self, table: str) -> list[Path]:
        """List the files of a table that count, those of every repository."""
        manifests = sorted((self.path / HIDDEN).glob("repository=*.json"))
        return [
            self.path / table / manifest.stem / name
            for manifest in manifests
            for name in _read_manifest(manifest).get(table, ())
        ]

    def files_of(self, identity: RepositoryIdentity) -> Files:
        """List the files that count of one repository."""
        return _read_manifest(self._manifest(identity))

    def place(self, table: str, identity: RepositoryIdentity) -> Path:
        """Return the directory of a repository's part of a table."""
        return self.path / table / identity.directory

    def replace_files(self, identity: RepositoryIdentity, files: Files) -> None:
        """Let other files count from now on, and take away those that no longer do."""
        write_json(self._manifest(identity), {"version": VERSION, "files": files})
        self.tidy(identity)

    def tidy(self, identity: RepositoryIdentity) -> None:
        """Take away what does not count. Only the holder of the lock may."""
        files = self.files_of(identity)
        for table in TABLES:
            place = self.place(table, identity)
            for path in place.iterdir() if place.is_dir() else ():
                if path.name not in files.get(table, ()):
                    path.unlink(missing_ok=True)

    @contextmanager
    def lock(self, identity: RepositoryIdentity) -> Iterator[None]:
        """Be the only one who writes a repository. Raises GitRefused where another one stays."""
        path = self.path / HIDDEN / f"{identity.directory}.lock"
        descriptor = locks.wait_for(path, _PATIENCE)
        if descriptor is None:
            fix = "Wait until it is done, then run it again: nothing was written."
            raise GitRefused(str(self.path), f"another export writes {identity.name}", fix)
        try:
            yield
        finally:
            locks.remove(path, descriptor)

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """Make a directory for files that do not count yet; it is removed at the end."""
        path = self.path / HIDDEN / f"draft-{os.getpid()}-{os.urandom(6).hex()}"
        path.mkdir()
        try:
            yield path
        finally:
            with suppress(OSError):
                shutil.rmtree(path)

    def _manifest(self, identity: RepositoryIdentity) -> Path:
        return self.path / HIDDEN / f"{identity.directory}.json"


def _read_manifest(path: Path) -> Files:
    try:
        manifest = json.loads(path.read_bytes())
        return {str(name): tuple(map(str, files)) for name, files in manifest["files"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fix = "Remove it and export again."
        raise InvalidInput(str(path), "is no list of files", fix) from error


def _check_version(path: Path) -> None:
    try:
        version = json.loads(path.read_bytes())["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(str(path), "does not say its version", "Export again.") from error
    if version != VERSION:
        what = f"holds tables of version {version}, this hkgit knows {VERSION}"
        fix = "Update hkgit, or name another directory."
        raise InvalidInput(str(path.parent.parent), what, fix)


def write_json(path: Path, value: Mapping[str, Json]) -> None:
    """Write a file so that a crash leaves the old or the new one. Raises OSError.

    Threads of one process may write the same file: each has a draft of its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            json.dump(value, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
