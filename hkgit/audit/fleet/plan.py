"""The repositories of a fleet, their mirrors, and what is to be judged in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hkgit.audit.tables.rows import (
    describe_versions,
    find_roots,
    name_url,
    normalise_url,
    quote_name,
)
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
from hkgit.text.hashes import digest
from hkgit.values import cached_property, dataclass


@dataclass(frozen=True)
class ListedRepository:
    """A repository to verify, by its address: the branch that its HEAD names."""

    address: str

    @property
    def place(self) -> str:
        """The address as it may be shown and stored."""
        return hide_credentials(self.address)

    @cached_property
    def identity(self) -> str:
        """The address in one form, however it was written: `https://host/path`, `file:///path`.

        Links in a path of this machine are followed.
        """
        if not _is_path(self.address):
            return normalise_url(self.address)
        local = Path(self.address.removeprefix("file://")).resolve()
        return f"file://{local.parent if local.name == '.git' else local}"

    @property
    def name(self) -> str:
        """What it is called in rows and tables."""
        return name_url(self.identity)


def _is_path(address: str) -> bool:
    return normalise_url(address).startswith("file:") or Path(address).exists()


def read_list(path: Path) -> tuple[ListedRepository, ...]:
    """Parse a list of repositories, one address a line. Raises InvalidInput, naming the line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), "is not UTF-8", "Write one path or URL per line.") from error
    found: dict[str, ListedRepository] = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if line and not line.startswith("#"):
            listed = _read_line(path, number, line)
            if found.setdefault(listed.name, listed) is not listed:
                what = "is a repository that an earlier line names"
                raise InvalidInput(f"{path}:{number}", what, "Take the line out.")
    if not found:
        fix = "Write one path or URL per line."
        raise InvalidInput(str(path), "lists no repositories", fix)
    return tuple(found.values())


def _read_line(path: Path, number: int, address: str) -> ListedRepository:
    """One entry of a list; relative paths start where the list is."""
    try:
        check_address(address)
    except HkgitError as error:
        where, what = f"{path}:{number}", f"{error.where} {error.what}"
        raise InvalidInput(where, what, error.fix) from error
    if "://" not in address and _is_path(address):
        address = str((path.parent / address).absolute())
    return ListedRepository(address)


@dataclass(frozen=True)
class FleetDirectory:
    """Where everything of a fleet is kept."""

    root: Path

    @property
    def tables(self) -> Path:
        return self.root / "tables"

    def mirror(self, name: str) -> Path:
        return self.root / "mirrors" / f"{quote_name(name)}.git"

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


@dataclass(frozen=True)
class PlannedRepository:
    """A repository that is here, and all commits of its branch; None where it is as it was.

    `basis` names all that its rulings depend on: policy, versions, and the refs on which open ones
    hang (`lasting` in the tables is false): what failed, what a key or a record in refs accepts.
    Without commits there is no `tip`.
    """

    basis: str
    policy: Policy
    branch: str = ""
    tip: str | None = None
    roots: tuple[str, ...] = ()
    commits: tuple[str, ...] | None = None


def plan_repository(
    directory: FleetDirectory,
    listed: ListedRepository,
    policy: Policy | None = None,
    before: tuple[str, str] = ("", ""),
) -> PlannedRepository:
    """Bring the mirror of a repository up to date, and list what is to be judged.

    `policy` is the one that was named, `before` the basis and the tip of the last run. Raises
    HkgitError.
    """
    directory.expect_seen()
    mirror, place = directory.mirror(listed.name), listed.place
    remote = list_remote(listed.address)
    try:
        if not remote.refs or remote.refs != list_mirror(mirror):
            update_mirror(listed.address, mirror)
    except GitRefused as error:
        fix = f"The next run tries again; if it stays, remove {mirror}: it is fetched again."
        raise GitRefused(place, error.what, fix) from error
    try:
        repository, refs = Repository.discover(mirror), list_mirror(mirror)
        branch = _find_branch(refs, remote.branch, place)
        return _plan(repository, refs, branch, policy, before)
    except (Unverifiable, GitRefused) as error:
        fix = f"Remove {mirror}; the next run fetches it again."
        raise GitRefused(place, f"its mirror cannot be read: {error.what}", fix) from error


def _find_branch(refs: Mapping[str, str], head: str | None, place: str) -> str:
    """Find the branch that HEAD names, or else the only one; none where nothing is committed."""
    branches = [ref for ref in refs if ref.startswith("refs/heads/")]
    if head is not None and head in branches:
        return head
    if refs and len(branches) != 1:
        fix = "List a copy of which it does: git clone --mirror, then git symbolic-ref HEAD."
        raise InvalidInput(place, "its HEAD names no branch", fix)
    return branches[0] if refs else ""


def _plan(
    repository: Repository,
    refs: Mapping[str, str],
    branch: str,
    named: Policy | None,
    before: tuple[str, str],
) -> PlannedRepository:
    tip = repository.resolve(refs[branch]) if branch else None
    if named is not None:
        policy = follow_policy(repository, named)
    else:
        policy = read_trusted_policy(repository, tip)
    own = (BREAK_GLASS, "refs/hkgit/")
    evidence = sorted(each for each in refs.items() if each[0].startswith(own))
    basis = digest(repr((policy, branch, describe_versions(), evidence)).encode())
    if tip is None:
        return PlannedRepository(basis, policy)
    if (basis, tip) == before:
        return PlannedRepository(basis, policy, branch, tip)
    roots, commits = find_roots(repository, tip), repository.commits_between(None, tip)
    return PlannedRepository(basis, policy, branch, tip, roots=roots, commits=commits)
