"""Read the policy of the trusted side, with all that it extends.

The commits under test have no influence: files that a policy names are read from the commit of
the policy itself, from outside the repository, or from a pinned revision. A policy that is broken
leaves its last readable version in force: so whoever could change it before it broke can fix it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from hkgit.edits import File, MappingSnapshot, Snapshot
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.gate.policy.source import (
    CONFIG,
    LARGEST,
    PYPROJECT,
    add_signers,
    find_policy_table,
    hash_policy,
    load_toml,
    read_policy,
)
from hkgit.git.objects import HEX
from hkgit.git.repository import Repository
from hkgit.values import replace

_PINNED = rf"refs/\S+|{HEX}"
_URL = r"\w[\w+.-]*://|\S+@\S+:"


MOST_BROKEN = 1000
"""So many commits back, by first parents, the last readable policy is looked for."""


def read_trusted_policy(repository: Repository, side: str | Snapshot | None) -> Policy:
    """Read the policy of the trusted side, a commit or files; where there is none the built-in one.

    Of a commit whose policy cannot be read it is that of the last one before it, by first parents,
    where it can, and the built-in one where none ever could. Raises InvalidInput where too many or
    too few are here to tell, for files, and where what it extends cannot be read or is loosened:
    that no commit of this repository has broken.
    """
    if not isinstance(side, str):
        return read_own_policy(repository, side)
    try:
        policy = read_policy(repository.snapshot(side))
    except InvalidInput as error:
        readable = _find_last_readable(repository, side)
        if readable is None:
            raise
        broken = f"{error.where} cannot be read: {error.what}"
        policy = replace(readable, source=f"{readable.source} ({broken})")
    return follow_policy(repository, policy)


def read_own_policy(repository: Repository, side: str | Snapshot | None) -> Policy:
    """Read the policy that a commit or files have themselves.

    Raises InvalidInput when it is malformed, contradicts itself or loosens what it extends.
    """
    files = repository.snapshot(side) if isinstance(side, str) else side
    return follow_policy(repository, Policy() if files is None else read_policy(files))


def _find_last_readable(repository: Repository, commit: str) -> Policy | None:
    listed = repository.git("rev-list", "--first-parent", f"--max-count={MOST_BROKEN}", commit)
    commits = listed.text.split()
    for each in commits[1:]:
        with suppress(InvalidInput):
            policy = read_policy(repository.snapshot(each))
            if policy.source == BUILT_IN:
                return policy
            return replace(policy, source=f"{policy.source} of {each[:12]}, the last readable")
    is_whole = len(commits) < MOST_BROKEN and not repository.is_shallow
    return Policy() if is_whole else None


def expect_readable(repository: Repository, old: str | None, new: str) -> None:
    """Raise Rejected where a policy that could be read, or was not there, no longer can.

    A pyproject.toml that is no TOML breaks it only where the policy was in that file. One that is
    broken already stays in force as it was: no merge gives it another past.
    """
    try:
        read_own_policy(repository, new)
    except InvalidInput as error:
        with suppress(InvalidInput):  # else it is broken already, and its last readable one holds
            before = Policy() if old is None else read_own_policy(repository, old)
            if error.where != PYPROJECT or before.source.startswith(PYPROJECT):
                what = f"{error.where} {error.what}, so nobody could read the policy"
                raise Rejected("policy", what, error.fix) from error
        held, holds = (hash_policy(read_trusted_policy(repository, each)) for each in (old, new))
        if held != holds:
            what = f"{error.where} {error.what}, and its last readable version would be another one"
            raise Rejected("policy", what, error.fix) from error


def read_named_policy(repository: Repository, given: str) -> Policy:
    """Read the policy that was named, as FILE or REV:PATH. Raises InvalidInput."""
    if Path(given).is_file():
        return follow_policy(repository, read_policy_file(Path(given)))
    rev, colon, path = given.partition(":")
    if not colon:
        raise InvalidInput("--policy", f"there is no {given}", "Name a FILE or REV:PATH.")
    return follow_policy(repository, _of_revision(repository, rev, path))


def load_policy(repository: Repository, given: str | None, trusted: str | None) -> Policy:
    """Load the policy that was named, as FILE or REV:PATH, else that of the trusted commit."""
    if given is None:
        return read_trusted_policy(repository, trusted)
    return read_named_policy(repository, given)


def follow_policy(repository: Repository, policy: Policy) -> Policy:
    """Add to a policy what it extends. Raises InvalidInput where it loosens that."""
    if policy.extends is None:
        return policy
    # Few policies extend another, and every commit waits for this module.
    from hkgit.gate.policy.extension import follow_extends

    return follow_extends(policy, lambda named, by: _read_extended(repository, named, by))


def _read_extended(repository: Repository, named: str, by: Policy) -> Policy:
    """Read the policy that another one extends, from places that its author controls."""
    where = f"{by.source}: extends"
    if re.match(_URL, named):
        fix = "Fetch it into the repository, and name refs/...:PATH."
        raise InvalidInput(where, "hkgit fetches nothing", fix)
    if Path(named).is_absolute():
        return read_policy_file(Path(named))
    rev, colon, path = named.partition(":")
    if not colon or not re.fullmatch(_PINNED, rev):
        fix = "Name an absolute path, refs/...:PATH, or COMMIT:PATH with all its digits."
        raise InvalidInput(where, f"{named} could mean another thing elsewhere", fix)
    return _of_revision(repository, rev, path)


def read_policy_file(file: Path) -> Policy:
    """Read a policy and its signers from the disk; what it extends is not followed."""
    data = _bytes(file)
    root = file.parent.parent if file.as_posix().endswith(CONFIG) else file.parent
    policy = _parse(str(file), file.name, data)
    signers = policy.allowed_signers
    found = {} if signers is None else {signers: File(_bytes(root / signers))}
    return add_signers(policy, MappingSnapshot(found))


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)  # what is longer is refused where it is parsed
    except OSError as error:
        raise InvalidInput(str(file), f"cannot be read: {error.strerror}") from error


def _of_revision(repository: Repository, rev: str, path: str) -> Policy:
    files: Snapshot = repository.snapshot(repository.resolve(rev))
    file = files.get(path)
    if file is None:
        raise InvalidInput(f"{rev}:{path}", "is not there", "Name a FILE or REV:PATH.")
    return add_signers(_parse(f"{rev}:{path}", path.rpartition("/")[2], file.data), files)


def _parse(source: str, name: str, data: bytes) -> Policy:
    table = find_policy_table(load_toml(source, data), name)
    return Policy(source=source) if table is None else parse_policy(table, source)
