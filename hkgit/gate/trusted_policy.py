"""Where a policy is read, and whose is trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.edits import EXECUTABLE, REGULAR, File, MappingSnapshot, Snapshot
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate.policy.model import BUILT_IN, Policy
from hkgit.git.layout import HEX
from hkgit.git.repository import Repository
from hkgit.text.hashes import sha256
from hkgit.values import replace


def hash_policy(policy: Policy) -> str:
    """Hash a policy's value: `sha256:` and 64 hex digits.

    The value is the table as TOML says it, and the allowed signers that are beside it: JSON with
    sorted keys, without whitespace. Of the built-in policy the table is null. The tables of those
    that it extends are behind, the nearest first.
    """
    value = [policy.table, policy.signers, *policy.below]
    # A TOML table may hold dates, which JSON cannot say.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


PYPROJECT = "pyproject.toml"
CONFIG = ".hkgit/config.toml"
LARGEST = 2**18
"""Bytes that a file with a policy may have."""
MOST_STEPS = 3_000_000
"""A fraction of a second; a long pyproject.toml takes a hundredth of it."""
DEEPEST = 8
"""Tables and lists that may be in each other in a policy."""


def read_policy(files: Snapshot) -> Policy:
    """Read the policy of a tree. Raises InvalidInput if it is malformed or in both places.

    Where CONFIG has the policy, a pyproject.toml that cannot be read is not one of the gate's.
    """
    tables = {CONFIG: _table(files, CONFIG)}
    try:
        tables[PYPROJECT] = _table(files, PYPROJECT)
    except InvalidInput:
        if tables[CONFIG] is None:
            raise
    found = {path: table for path, table in tables.items() if table is not None}
    if len(found) > 1:
        what = f"the gate's policy is in {' and '.join(found)}"
        raise InvalidInput("policy", what, "Keep one of them.")
    for source, table in found.items():
        return add_signers(_parse(source, table), files)
    return Policy()


def _parse(source: str, table: object) -> Policy:
    """Parse what a file says of the policy; the built-in one where that is nothing."""
    if table is None:
        return Policy(source=source)
    from hkgit.gate.policy.key_table import parse_policy  # few trees have a policy

    return parse_policy(table, source)


def add_signers(policy: Policy, files: Snapshot) -> Policy:
    """Add the keys of its principals to a policy, from the side that it was read from.

    Raises InvalidInput where the file that it names is not there.
    """
    if policy.allowed_signers is None:
        return policy
    file = files.get(policy.allowed_signers)
    if file is None or file.mode not in (REGULAR, EXECUTABLE):
        where, what = f"{policy.source}: allowed_signers", f"there is no {policy.allowed_signers}"
        raise InvalidInput(where, what, "Commit the file with, or before, the policy.")
    signers = file.data.decode("utf-8", "replace")
    lines = (line.split(maxsplit=1) for line in signers.splitlines())
    listed = {words[0] for words in lines if len(words) > 1 and not words[0].startswith("#")}
    for principal in policy.principals:
        if principal not in listed:
            what = f"{policy.allowed_signers} does not list {principal}"
            raise InvalidInput(policy.source, what, "Add the principal's key, or take it out.")
    return replace(policy, signers=signers)


def _table(files: Snapshot, path: str) -> object:
    """The policy's table in a file, or None; whether it is a table is not known yet."""
    file = files.get(path)
    return None if file is None else load_table(path, file.data, path)


def load_table(where: str, data: bytes, name: str) -> object:
    """Load the policy's table from a TOML file of this name; None where the file has none.

    It lies deeper in a pyproject.toml. Raises InvalidInput, also for a table that is nested deeper
    than any policy, and for what is beside it where nothing else may be: it would not hold.
    """
    document = _load_toml(where, data)
    table: object = document
    for key in ("tool", "hkgit", "gate") if name == PYPROJECT else ("gate",):
        table = table.get(key) if isinstance(table, dict) else None
    beside = next((key for key in document if key != "gate"), None)
    if name != PYPROJECT and beside is not None:
        raise InvalidInput(f"{name}: {beside}", "is outside of [gate]", "The policy is [gate].")
    if _is_beyond(table, DEEPEST):
        what = "the gate's policy is nested too deeply or has numbers of over 64 bits"
        raise InvalidInput(f"{name}: gate", what, "Fix the file.")
    return table


def _is_beyond(value: object, levels: int) -> bool:
    """Whether tables and lists nest to more than so many levels, or hold an integer too large for
    TOML.

    Python reads longer integers, which it then refuses to write.
    """
    if isinstance(value, int):
        return value.bit_length() > 63
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_beyond(each, levels - 1) for each in inner)


def _load_toml(where: str, data: bytes) -> Mapping[str, object]:
    if len(data) > LARGEST:
        raise InvalidInput(where, f"has over {LARGEST} bytes", "Make it shorter.")
    if _count_steps(data) > MOST_STEPS:
        raise InvalidInput(where, "has keys with too many parts", "Fix the file.")
    import tomllib  # few trees have a policy, and it takes half a start of the interpreter

    try:
        return tomllib.loads(data.decode())
    except RecursionError as error:
        raise InvalidInput(where, "is nested too deeply", "Fix the file.") from error
    except ValueError as error:  # no TOML, no UTF-8, or an integer of too many digits
        raise InvalidInput(where, f"is not TOML: {error}", "Fix the file.") from error


def _count_steps(data: bytes) -> int:
    """Count what tomllib takes at most for dotted keys: it copies a key for each of its parts.

    And a table's own key for each line of the table. Where a string holds the dots, too many are
    counted.
    """
    lines = data.split(b"\n")
    dots = [line.count(b".") for line in lines]
    tables = (n for line, n in zip(lines, dots, strict=True) if line.lstrip().startswith(b"["))
    return sum(n * n for n in dots) + len(lines) * max(tables, default=0)


def policy_value(path: str, files: Snapshot) -> str | None:
    """Write the policy table of a file for comparison; of a broken file, what is wrong with it."""
    try:
        table = _table(files, path)
    except InvalidInput as error:
        return str(error)
    return None if table is None else json.dumps(table, sort_keys=True, default=repr)


_PINNED = rf"refs/\S+|{HEX}"
_URL = r"\w[\w+.-]*://|\S+@\S+:"


MOST_BROKEN = 1000
"""So many commits back, by first parents, the last readable policy is looked for."""


def read_trusted_policy(repository: Repository, commit: str | None) -> Policy:
    """Read the policy of the trusted side, a commit; where there is none the built-in one.

    Of a commit whose policy cannot be read it is that of the last one before it, by first parents,
    where it can, and the built-in one where none ever could. Raises InvalidInput where too many or
    too few are here to tell, and where what it extends cannot be read or is loosened: that no
    commit of this repository has broken.
    """
    if commit is None:
        return Policy()
    try:
        policy = read_policy(repository.snapshot(commit))
    except InvalidInput as error:
        readable = _find_last_readable(repository, commit)
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

    A pyproject.toml that is not TOML breaks it only where the policy was in that file. One that is
    broken already stays in force as it was: no merge gives it another past.
    """
    try:
        read_own_policy(repository, new)
    except InvalidInput as error:
        with suppress(InvalidInput):  # otherwise the last readable one holds
            before = read_own_policy(repository, old)
            if error.where != PYPROJECT or before.source.startswith(PYPROJECT):
                what = f"{error.where} {error.what}, so the policy could not be read"
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


def follow_policy(repository: Repository, policy: Policy, followed: int = 1) -> Policy:
    """Lay a policy over all that it extends. Raises InvalidInput where it loosens that."""
    if policy.extends is None:
        return policy
    if followed > MOST_POLICIES:
        what, fix = f"more than {MOST_POLICIES} policies extend each other", "Remove one `extends`."
        raise InvalidInput(f"{policy.source}: extends", what, fix)
    from hkgit.gate.policy.key_table import extend_policy

    base = _read_extended(repository, policy.extends, policy)
    return extend_policy(policy, follow_policy(repository, base, followed + 1))


MOST_POLICIES = 5
"""So many policies may extend one another."""


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
        raise InvalidInput(where, f"{named} could mean something else elsewhere", fix)
    return _of_revision(repository, rev, path)


def read_policy_file(file: Path) -> Policy:
    """Read a policy and its signers from the disk; what it extends is not followed."""
    data = _bytes(file)
    root = file.parent.parent if file.as_posix().endswith(CONFIG) else file.parent
    policy = _parse(str(file), load_table(str(file), data, file.name))
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
    where, name = f"{rev}:{path}", path.rpartition("/")[2]
    return add_signers(_parse(where, load_table(where, file.data, name)), files)
