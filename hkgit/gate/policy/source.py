"""The file that a policy is read from.

`[tool.hkgit.gate]` in pyproject.toml or `[gate]` in .hkgit/config.toml; without either the
built-in policy holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from hkgit.edits import EXECUTABLE, REGULAR, Snapshot
from hkgit.errors import InvalidInput
from hkgit.gate.policy.key_table import parse_policy
from hkgit.gate.policy.model import Policy
from hkgit.text.hashes import sha256
from hkgit.values import replace


def hash_policy(policy: Policy) -> str:
    """Hash a policy's value: `sha256:` and 64 hex digits.

    The value is the table as TOML says it, and the allowed signers that stand beside it: JSON with
    sorted keys, without blanks. Of the built-in policy the table is null. The tables of those that
    it extends stand behind, the nearest first.
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
"""Tables and lists that may stand in each other in a policy."""


def read_policy(files: Snapshot) -> Policy:
    """Read the policy of a tree. Raises InvalidInput if it is malformed or in both places.

    Where CONFIG has the policy, a pyproject.toml that cannot be read is none of the gate's.
    """
    tables = {CONFIG: _table(files, CONFIG)}
    try:
        tables[PYPROJECT] = _table(files, PYPROJECT)
    except InvalidInput:
        if tables[CONFIG] is None:
            raise
    found = {path: table for path, table in tables.items() if table is not None}
    if len(found) > 1:
        what = f"the gate's policy stands in {' and '.join(found)}"
        raise InvalidInput("policy", what, "Keep one of them.")
    for source, table in found.items():
        return add_signers(parse_policy(table, source), files)
    return Policy()


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
    for principal in policy.principals:
        if principal not in _list_principals(signers):
            what = f"{policy.allowed_signers} does not list {principal}"
            raise InvalidInput(policy.source, what, "Add the principal's key, or take it out.")
    return replace(policy, signers=signers)


def _list_principals(signers: str) -> set[str]:
    """List the principals of a file of allowed signers, each on a line with one key of its own."""
    lines = (line.split(maxsplit=1) for line in signers.splitlines())
    return {words[0] for words in lines if len(words) > 1 and not words[0].startswith("#")}


def _table(files: Snapshot, path: str) -> object:
    """The policy's table in a file, or None; whether it is a table is not known yet."""
    file = files.get(path)
    return None if file is None else find_policy_table(load_toml(path, file.data), path)


def find_policy_table(document: Mapping[str, object], name: str) -> object:
    """Find the policy's table in a TOML document, which lies deeper in a pyproject.toml; or None.

    Raises InvalidInput for one that is nested deeper than any policy.
    """
    table: object = document
    for key in ("tool", "hkgit", "gate") if name == PYPROJECT else ("gate",):
        table = table.get(key) if isinstance(table, dict) else None
    if _is_beyond(table, DEEPEST):
        what = "the gate's policy is nested too deep or has numbers of over 64 bits"
        raise InvalidInput(f"{name}: gate", what, "Fix the file.")
    return table


def _is_beyond(value: object, levels: int) -> bool:
    """Whether tables and lists nest to more than so many levels, or hold what is no TOML integer.

    Python reads longer integers, which it then refuses to write.
    """
    if isinstance(value, int):
        return value.bit_length() > 63
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_beyond(each, levels - 1) for each in inner)


def load_toml(where: str, data: bytes) -> Mapping[str, object]:
    """Load a TOML document. Raises InvalidInput."""
    if len(data) > LARGEST:
        raise InvalidInput(where, f"has over {LARGEST} bytes", "Nothing that long is read.")
    if _count_steps(data) > MOST_STEPS:
        raise InvalidInput(where, "has keys of too many parts", "Fix the file.")
    import tomllib  # few trees have a policy, and it takes half a start of the interpreter

    try:
        return tomllib.loads(data.decode())
    except RecursionError as error:
        raise InvalidInput(where, "is nested too deep", "Fix the file.") from error
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


def policy_value(files: Snapshot, path: str) -> str | None:
    """Write the policy table of a file for comparison; of a broken file, what is wrong with it."""
    try:
        table = _table(files, path)
    except InvalidInput as error:
        return str(error)
    return None if table is None else json.dumps(table, sort_keys=True, default=repr)
