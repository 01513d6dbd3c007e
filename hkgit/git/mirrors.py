"""Bare copies of repositories that nobody here vouches for.

What the other side sends is data. It starts no program and no hook, asks nobody anything, and
leads to no other address by a protocol that is not on the list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from hkgit.errors import GitRefused, HkgitError, InvalidInput
from hkgit.git.program import Git
from hkgit.git.transaction import locks
from hkgit.values import dataclass

PROTOCOLS = ("file", "https", "ssh")
"""Ways to reach a repository that cannot be made to run a command, as `ext::` can."""

FETCH_SECONDS = 3600.0  # So long one repository may take to fetch
ASK_SECONDS = 120.0  # So long it may take to list its refs

REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/hkgit/*:refs/hkgit/*")

_QUIET = {
    "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
    "GIT_ASKPASS": "",  # set and empty: git looks for no other program that would ask
    "SSH_ASKPASS": None,
    "GIT_TRACE": None,  # traces print what addresses hold
    "GIT_TRACE_CURL": None,
    "GIT_CURL_VERBOSE": None,
}
_SETTINGS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "fetch.writeCommitGraph=false"),
    *("-c", "gc.auto=0"),
    *("-c", "http.lowSpeedLimit=1000"),
    *("-c", "http.lowSpeedTime=60"),
    *("-c", "maintenance.auto=false"),
    *("-c", "transfer.bundleURI=false"),
)
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")  # a password may hold an @ as well
_SYMREF = re.compile(r"^ref: (refs/heads/\S+)\tHEAD$", re.MULTILINE)
_REF = re.compile(r"^([0-9a-f]{40,64})\t(refs/(?:heads|tags|hkgit)/\S+(?<!\^\{\}))$", re.MULTILINE)


@dataclass(frozen=True)
class RemoteRefs:
    """The refs of a remote with their ids, and the branch that its HEAD names, if it names one."""

    refs: Mapping[str, str]
    branch: str | None


def hide_credentials(text: str) -> str:
    """Remove what is before the `@` of addresses in a text."""
    return _CREDENTIALS.sub("", text)


def check_address(address: str) -> None:
    """Raise InvalidInput for an address that is not one, or by a way that is not allowed."""
    fix = f"Name a path, or a URL with {', '.join(PROTOCOLS)}."
    shown = hide_credentials(address)
    if not address or address.startswith("-") or any(ord(char) < 32 for char in address):
        raise InvalidInput(shown or "address", "is not the URL of a repository", fix)
    scheme, separator, _ = address.partition("://")
    if "::" in address.partition("/")[0] or (separator and scheme.lower() not in PROTOCOLS):
        raise InvalidInput(shown, "uses a protocol that is not allowed", fix)


def list_remote(address: str) -> RemoteRefs:
    """List a remote's refs. Raises GitRefused if it does not answer, InvalidInput before."""
    output = _ask(address, "ls-remote", "--symref", "--", address, seconds=ASK_SECONDS)
    branch = _SYMREF.search(output)
    return RemoteRefs(_read_refs(output), None if branch is None else branch[1])


def list_mirror(mirror: Path) -> Mapping[str, str]:
    """List the refs of a mirror with their ids; none without a mirror. Raises GitRefused."""
    if not (mirror / "HEAD").exists():
        return {}
    form = "--format=%(objectname)%09%(refname)"
    env = {"GIT_DIR": str(mirror)}
    return _read_refs(Git(mirror, env)("for-each-ref", form).text)


def _read_refs(lines: str) -> Mapping[str, str]:
    """Read the refs that are mirrored, of lines with an id, a tab and a name."""
    return {found[2]: found[1] for found in _REF.finditer(lines)}


def update_mirror(address: str, mirror: Path) -> None:
    """Make a mirror, or bring one up to date: branches, tags, and what hkgit keeps in refs.

    What exists is not fetched again; what a killed run left locked is cleared away. Raises
    GitRefused.
    """
    place = mirror.with_suffix(".lock")
    held = locks.wait_for(place, FETCH_SECONDS)
    if held is None:
        raise GitRefused(str(mirror), "is locked by another process", "Wait for it to end.")
    try:
        # Whoever has made a lock file of git holds ours no longer, so it is dead.
        for path in (*mirror.glob("*.lock"), *mirror.glob("refs/**/*.lock")):
            path.unlink(missing_ok=True)
        if not (mirror / "HEAD").exists():
            mirror.mkdir(parents=True, exist_ok=True)
            new = ("init", "-q", "--bare", "--template=", ".")
            _ask(address, *new, cwd=mirror, seconds=FETCH_SECONDS)
        args = ("fetch", "-q", "--atomic", "--prune", "--no-tags", "--no-write-fetch-head")
        _ask(address, *args, "--", address, *REFSPECS, cwd=mirror, seconds=FETCH_SECONDS)
    finally:
        locks.remove(place, held)


def _ask(address: str, *args: str, cwd: Path | None = None, seconds: float) -> str:
    """Run git where nothing can be asked; its words hold no credentials."""
    check_address(address)
    # ssh is as the user has it, where it can ask nobody.
    configured = Git(Path("/"))("config", "--get", "core.sshCommand", check=False).text
    ssh = os.environ.get("GIT_SSH_COMMAND") or configured or "ssh"
    env = {**_QUIET, "GIT_SSH_COMMAND": f"{ssh} -o BatchMode=yes -o ConnectTimeout=30"}
    if cwd is not None:
        env["GIT_DIR"] = str(cwd)
    try:
        return Git(cwd or Path("/"), env)(*_SETTINGS, *args, seconds=seconds).text
    except HkgitError as error:
        fix = error.fix or "The next run tries again."
        raise GitRefused(hide_credentials(address), hide_credentials(error.what), fix) from None
