"""What a repository is called in tables: its address without secrets, or its roots.

`git@host:a/b.git` and `https://user:token@host/a/b` are one repository, `host/a/b`.
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, unquote

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import digest
from hkgit.git.repository import Repository
from hkgit.text.escape import visible
from hkgit.values import dataclass

_SCHEMED = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[^/?#]*)(?P<path>[^?#]*)", re.I)
_SCP = re.compile(r"(?P<host>\[[^\]/]+\]|[^/:\[\]]{2,}):(?!:)(?P<path>[^?#]*)")
_HOST = re.compile(r"(\[[0-9a-f:.%]+\]|[^:@\[\]]+)(:\d*)?")
_PORTS = {
    "http": "80",
    "https": "443",
    "ssh": "22",
    "git+ssh": "22",
    "ssh+git": "22",
    "git": "9418",
}
_DRIVE = re.compile(r"[a-z]:[\\/]", re.I)
_LONGEST = 200
"""Characters of a name in a path: file systems end at 255."""


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """A repository: its name, the address that the name comes from, the ids of its roots.

    `url` has no credentials; None where the name comes from elsewhere. A shallow clone knows no
    roots.
    """

    name: str
    url: str | None = None
    roots: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        """The name of its directory below each table."""
        return f"repository={quote_name(self.name)}"


def identify(repository: Repository, tip: str | None = None) -> RepositoryIdentity:
    """Identify a repository by its remote, else by the roots of what leads to `tip`.

    Raises InvalidInput where it has neither.
    """
    url = find_url(repository)
    roots = find_roots(repository, tip)
    if url is not None:
        return RepositoryIdentity(name_url(url), url, roots)
    if not roots:
        fix = "Add a remote, or fetch the whole history: git fetch --unshallow"
        raise InvalidInput("repository", "has no remote and no first commit to name it by", fix)
    return RepositoryIdentity(f"root-{digest(' '.join(roots).encode())[:16]}", None, roots)


def find_url(repository: Repository) -> str | None:
    """Find the normalised address of `origin`, else of the first remote; None without any."""
    names = repository.git("remote", check=False).text.split()
    if not names:
        return None
    remote = "origin" if "origin" in names else min(names)
    address = repository.git("ls-remote", "--get-url", "--", remote, check=False).text.strip()
    return normalise_url(address, str(repository.start)) if address else None


def normalise_url(address: str, start: str = "/") -> str:
    """Write an address without credentials, query, default port, `.git`; ssh and https alike.

    A path is one from the root, a relative one from `start`. What runs a program (`ext::…`) may
    hold anything: it is named by its hash.
    """
    address = address.strip()
    schemed = _SCHEMED.match(address)
    if schemed is not None and schemed["scheme"].lower() != "file":
        port = _PORTS.get(schemed["scheme"].lower(), "")
        return _join(address, schemed["host"].rpartition("@")[2], port, schemed["path"])
    if schemed is not None:
        return visible(f"file:///{_clean(unquote(schemed['path']))}")
    head, slash, rest = address.partition("/")
    scp = _SCP.match(head.rpartition("@")[2] + slash + rest)
    if scp is not None:
        return _join(address, scp["host"], "22", scp["path"])
    if ":" in head and not _DRIVE.match(address):
        return _hide(address)
    return visible(f"file:///{_clean(posixpath.join(start, address))}")


def name_url(url: str) -> str:
    """Name a repository by its normalised address: `host/path`, or the beginning of a long one."""
    name = url.removeprefix("https://")
    if len(quote_name(name)) <= _LONGEST:
        return name
    kept = name
    while len(quote_name(kept)) > _LONGEST - 20:
        kept = kept[:-1]
    return f"{kept}~{digest(name.encode())[:16]}"


def quote_name(name: str) -> str:
    """Quote a name as part of a path: all but letters, digits, `.`, `-` and `_` as %XX."""
    return quote(name, safe="").replace("~", "%7E")


def _join(address: str, host: str, port: str, path: str) -> str:
    """The address of a host and a path; where the host is none, a password may be in it."""
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return _hide(address)
    shown = found[1] if found[2] in (None, ":", f":{port}") else found[0]
    return visible(f"https://{shown}/{_clean(path)}")


def _hide(address: str) -> str:
    return f"other:{digest(address.encode('utf-8', 'surrogateescape'))[:16]}"


def _clean(path: str) -> str:
    path = posixpath.normpath("/" + path.strip("/")).lstrip("/")
    return path.removesuffix(".git").rstrip("/")


def find_roots(repository: Repository, tip: str | None) -> tuple[str, ...]:
    """Find the commits without a parent that lead to `tip`; none known in a shallow clone."""
    if tip is None or repository.is_shallow:
        return ()
    asked = ("rev-list", "--max-parents=0", tip, "--")
    return tuple(sorted(repository.git(*asked, check=False).text.split()))
