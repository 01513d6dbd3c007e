"""The repositories of a fleet, their mirrors, and what is to be judged in each."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from sqlite3 import Error as DatabaseError

from hkgit.audit.tables.database import explain_failure
from hkgit.audit.tables.rows import describe_versions, find_roots, normalise_url
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.grants import BREAK_GLASS
from hkgit.gate.trusted_policy import follow_policy, read_trusted_policy
from hkgit.git.mirrors import (
    check_address,
    hide_credentials,
    list_mirror,
    list_remote,
    update_mirror,
)
from hkgit.git.repository import Repository
from hkgit.git.transaction import locks
from hkgit.text.formats import describe_format, find_faults
from hkgit.text.hashes import digest
from hkgit.text.strict_json import Json
from hkgit.values import dataclass, replace

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class ListedRepository:
    """A repository to verify: what it is called here, where it is, which refs of it.

    Without `refs`, the branch that its HEAD names.
    """

    name: str
    address: str
    refs: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The address as it may be shown and stored."""
        return hide_credentials(self.address)

    @property
    def identity(self) -> str:
        """The address in one form, however it was written."""
        return find_identity(self.address)

    @property
    def directory(self) -> str:
        """A name for its files that no other address, and no other choice of refs, has."""
        readable = _ODD.sub("-", last_name(self.identity)).strip(".-")[:60] or "repository"
        return f"{readable}-{digest(repr((self.identity, self.refs)).encode())[:12]}"


def read_list(path: Path) -> tuple[ListedRepository, ...]:
    """Parse a list of repositories, in order. Raises InvalidInput, naming the line or key."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(path), f"cannot be read: {error}", "Name a file.") from error
    read = _read_toml if path.suffix == ".toml" else _read_lines
    listed = tuple(read(path, text))
    if not listed:
        fix = "Write one path or URL per line."
        raise InvalidInput(str(path), "lists no repositories", fix)
    # Those that would have one name are called by their address.
    names, places = (Counter(map(attrgetter(key), listed)) for key in ("name", "place"))
    return tuple(
        each
        if names[each.name] == 1
        else replace(each, name=each.place + (f" #{number}" if places[each.place] > 1 else ""))
        for number, each in enumerate(listed, 1)
    )


def find_identity(address: str) -> str:
    """Write all addresses of a place in one form: `https://host/path`, or `file://` and a path.

    Links in such a path are followed.
    """
    if not _is_path(address):
        return normalise_url(address)
    local = Path(address.removeprefix("file://")).resolve()
    return f"file://{local.parent if local.name == '.git' else local}"


def _is_path(address: str) -> bool:
    return normalise_url(address).startswith("file:") or Path(address).exists()


def _read_lines(path: Path, text: str) -> Iterator[ListedRepository]:
    for number, line in enumerate(text.splitlines(), 1):
        address = line.strip()
        if address and not address.startswith("#"):
            yield _parse_listed(f"{path}:{number}", path, None, address, ())


def _read_toml(path: Path, text: str) -> Iterator[ListedRepository]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(path), f"is not TOML: {error}") from error
    for fault in find_faults(str(path), table, describe_format("fleet_list")):
        raise fault
    for number, each in enumerate(table.get("repository", ()), 1):
        refs = tuple(map(_full_ref, each.get("refs", ())))
        where = f"{path}: repository {number}"
        yield _parse_listed(where, path, each.get("name"), each["url"], refs)


def _full_ref(ref: str) -> str:
    """A branch by its short name as a whole one."""
    return ref if ref.startswith("refs/") else f"refs/heads/{ref}"


def _parse_listed(
    where: str, path: Path, name: str | None, address: str, refs: tuple[str, ...]
) -> ListedRepository:
    """One entry of a list; relative paths start where the list is."""
    try:
        check_address(address)
    except HkgitError as error:
        raise InvalidInput(where, f"{error.where} {error.what}", error.fix) from error
    if "://" not in address and _is_path(address):
        address = str((path.parent / address).absolute())
    name = name or last_name(find_identity(address))
    return ListedRepository(name, address, refs)


def last_name(identity: str) -> str:
    """Return the last part of an address, which names a repository where nobody says a name."""
    return identity.rpartition("/")[2].removesuffix(".git")


@dataclass(frozen=True)
class FleetDirectory:
    """Where everything of a fleet is kept."""

    root: Path

    @property
    def summary(self) -> Path:
        return self.root / "summary.json"

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    def mirror(self, name: str) -> Path:
        return self.root / "mirrors" / f"{name}.git"

    def prepare(self) -> None:
        """Make the directory, or see that it is a fleet's. Raises InvalidInput."""
        if not self.tables.exists() and self.root.exists() and any(self.root.iterdir()):
            fix = "Name a new directory, or one that hkgit fleet has made."
            raise InvalidInput(str(self.root), "contains something else", fix)
        self.tables.mkdir(parents=True, exist_ok=True)

    def expect_seen(self) -> None:
        """Raise InvalidInput where a worker does not reach the directory."""
        if not self.tables.exists():
            what = "is not visible to a worker"
            fix = "Workers use the same path for the directory: use a shared file system."
            raise InvalidInput(str(self.root), what, fix)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let one run at a time work here. Raises GitRefused."""
        path = self.root / "lock"
        held = locks.wait_for(path, 0)
        if held is None:
            fix = "Wait for it, or name another directory."
            raise GitRefused(str(self.root), "another run is using this directory", fix)
        try:
            yield
        finally:
            locks.remove(path, held)


def write_json(path: Path, value: Mapping[str, Json]) -> None:
    """Write a file so that a crash leaves the old or the new one. Raises OSError."""
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


RepositoryState = tuple[str, Mapping[str, str]]
"""On what the judgement of a repository rests: its `basis` and `tips`, as in a plan."""


@dataclass(frozen=True)
class PlannedRepository:
    """A repository that is here, and all its commits; None where nothing has changed.

    `basis` names all that its rulings depend on: policy, versions, and the refs on which open ones
    hang (`lasting` in the tables is false): what failed, what a key or a record in refs accepts.
    `tips` are the commits by ref; it has none where it is empty.
    """

    basis: str
    tips: Mapping[str, str]
    policy: Policy
    roots: tuple[str, ...] = ()
    commits: tuple[str, ...] | None = None

    @property
    def tip(self) -> str:
        """The commit of its first ref; it has one unless it is empty."""
        return next(iter(self.tips.values()))


def refuse(error: BaseException, place: str) -> HkgitError:
    """Build what is said of a repository whose work failed; one that ends the run is raised."""
    if isinstance(error, HkgitError):
        return error
    if isinstance(error, DatabaseError):
        return explain_failure(error, place)
    if isinstance(error, OSError):
        name = place if error.filename is None else str(error.filename)
        fix = "Free some space or give access, then run it again."
        return GitRefused(name, error.strerror or str(error), fix)
    if isinstance(error, BrokenExecutor | CancelledError) or not isinstance(error, Exception):
        raise error  # the worker is gone, or somebody has interrupted it
    fix = "Run it again; if it stays, run hkgit verify in the mirror with --debug and report it."
    return HkgitError("worker", f"{type(error).__name__}: {error}".partition("\n")[0], fix)


def plan_repository(
    directory: FleetDirectory,
    listed: ListedRepository,
    policy: Policy | None = None,
    before: RepositoryState = ("", {}),
) -> PlannedRepository:
    """Bring the mirror of a repository up to date, and list what is to be judged.

    `policy` is the one that was named, `before` what the last run left. Raises HkgitError.
    """
    directory.expect_seen()
    mirror, place = directory.mirror(listed.directory), listed.place
    remote = list_remote(listed.address)
    try:
        if not remote.refs or remote.refs != list_mirror(mirror):
            update_mirror(listed.address, mirror)
    except GitRefused as error:
        fix = f"The next run tries again; if it stays, remove {mirror}: it is fetched again."
        raise GitRefused(place, error.what, fix) from error
    try:
        return _plan(listed, mirror, remote.branch, policy, before)
    except (Unverifiable, GitRefused) as error:
        fix = f"Remove {mirror}; the next run fetches it again."
        raise GitRefused(place, f"its mirror cannot be read: {error.what}", fix) from error


def _plan(
    listed: ListedRepository,
    mirror: Path,
    branch: str | None,
    named: Policy | None,
    before: RepositoryState,
) -> PlannedRepository:
    repository, refs = Repository.discover(mirror), list_mirror(mirror)
    tips = _find_tips(listed, refs, branch)
    policy = _read_policy(repository, named, tips)
    own = (BREAK_GLASS, "refs/hkgit/")
    evidence = sorted(each for each in refs.items() if each[0].startswith(own))
    basis = digest(repr((policy, sorted(tips), describe_versions(), evidence)).encode())
    if not tips or (basis, tips) == before:
        return PlannedRepository(basis, tips, policy)
    first, *others = map(repository.resolve, tips.values())
    commits = tuple(_list_commits(repository, (first, *others)))
    roots = find_roots(repository, first)
    return PlannedRepository(basis, tips, policy, roots=roots, commits=commits)


def _list_commits(repository: Repository, tips: Sequence[str]) -> Iterator[str]:
    for number, tip in enumerate(tips):
        if tip not in tips[:number]:
            yield from repository.commits_between(None, tip, *tips[:number])


def _find_tips(
    listed: ListedRepository, refs: Mapping[str, str], branch: str | None
) -> dict[str, str]:
    if not refs:
        return {}
    wanted = listed.refs or _find_default(refs, branch)
    if not wanted:
        fix = "Name refs in a list in TOML: refs = [...]."
        raise InvalidInput(listed.place, "its HEAD names no branch", fix)
    missing = [ref for ref in wanted if ref not in refs]
    if missing:
        raise InvalidInput(listed.place, f"has no {missing[0]}", "Name refs that it has.")
    return {ref: refs[ref] for ref in wanted}


def _find_default(refs: Mapping[str, str], branch: str | None) -> tuple[str, ...]:
    """Find the branch that HEAD names, or else the only one."""
    if branch is not None and branch in refs:
        return (branch,)
    branches = tuple(ref for ref in refs if ref.startswith("refs/heads/"))
    return branches if len(branches) == 1 else ()


def _read_policy(repository: Repository, named: Policy | None, tips: Mapping[str, str]) -> Policy:
    """Read the policy at the first tip, unless another was named."""
    if named is not None:
        return follow_policy(repository, named)
    if not tips:
        return Policy()
    return read_trusted_policy(repository, repository.resolve(next(iter(tips.values()))))
