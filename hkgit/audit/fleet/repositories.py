"""Read the list of repositories, a path or an address a line, or TOML."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.audit.tables.identity import normalise_url
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.entry import digest
from hkgit.gate.policy.table import Table
from hkgit.git.mirrors import check_address, hide_credentials
from hkgit.values import dataclass, replace

_SCP = re.compile(r"(?:[^/@\s:]+@)?[^/@\s:]+:(?!//)\S+")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """A repository to verify: what it is called here, where it is, which refs of it.

    `number` is its place in the list. Without `refs`, the branch that its HEAD names.
    """

    number: int
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
    listed = [replace(each, number=number) for number, each in enumerate(read(path, text), 1)]
    if not listed:
        fix = "Write a path or an address a line."
        raise InvalidInput(str(path), "lists no repository", fix)
    return _name_apart(listed)


def _name_apart(listed: Sequence[ListedRepository]) -> tuple[ListedRepository, ...]:
    """The same, with names that no two have: those that would are called by their address."""
    names = Counter(each.name for each in listed)
    places = Counter(each.place for each in listed)
    return tuple(
        each
        if names[each.name] == 1
        else replace(each, name=each.place + (f" #{each.number}" if places[each.place] > 1 else ""))
        for each in listed
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
    if address.lower().startswith("file://"):
        return True
    is_remote = "://" in address or _SCP.fullmatch(address) is not None
    return not is_remote or Path(address).exists()


def _read_lines(path: Path, text: str) -> Iterator[ListedRepository]:
    for number, line in enumerate(text.splitlines(), 1):
        address = line.strip()
        if address and not address.startswith("#"):
            yield _parse_listed(f"{path}:{number}", path, None, address, ())


def _read_toml(path: Path, text: str) -> Iterator[ListedRepository]:
    try:
        table = Table(str(path), tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(path), f"is not TOML: {error}") from error
    table.check_keys("repository")
    for number, each in enumerate(table.tables("repository"), 1):
        each.check_keys("name", "url", "refs")
        address = each.text("url")
        if address is None:
            fix = 'Write url = "https://..." or a path.'
            raise InvalidInput(f"{path}: repository {number}", "has no url", fix)
        refs = tuple(map(_full_ref, each.texts("refs", ())))
        yield _parse_listed(f"{path}: repository {number}", path, each.text("name"), address, refs)


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
    if "://" not in address and (_SCP.fullmatch(address) is None or Path(address).exists()):
        address = str((path.parent / address).absolute())
    name = name or last_name(find_identity(address))
    return ListedRepository(number=0, name=name, address=address, refs=refs)


def last_name(identity: str) -> str:
    """Return the last part of an address, which names a repository where nobody says a name."""
    return identity.rpartition("/")[2].removesuffix(".git")
