"""policy.py: what a repository lets pass, read from the trusted side.

`[tool.hkgit.gate]` in pyproject.toml or `[gate]` in .hkgit/config.toml; without either the
built-in policy holds.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from hkgit.applying.evidence import KINDS
from hkgit.edits import Snapshot
from hkgit.errors import InvalidInput
from hkgit.replay.findings import Verdict

PYPROJECT = "pyproject.toml"
CONFIG = ".hkgit/config.toml"
BUILT_IN = "built-in policy"

ACCEPTED = (
    "strict", "reanchored", "merge", "revert", "prune", "empty", "manual", "ungoverned",
)  # fmt: skip
"""Verdicts that pass by default."""

_ACCEPTABLE = tuple(
    dict.fromkeys(
        each for each in (*ACCEPTED, *Verdict) if each not in (Verdict.FAIL, Verdict.UNVERIFIABLE)
    )
)

KNOWN_AGENTS = (
    "*[[]bot]*", "aider*", "*(aider)*", "amp <*", "claude <*", "claude-*", "claude code*",
    "*noreply@anthropic.com>", "codex*", "*noreply@openai.com>", "*copilot*", "cursor agent*",
    "*cursoragent@cursor.com>", "devin <*", "devin-*", "devin ai*", "gemini*", "goose*",
    "hkgit-agent*", "jules <*", "jules-*", "openhands*", "opencode*", "windsurf*",
)  # fmt: skip
"""Globs on `Name <email>`, in lower case, of agents that commit under a name of their own.

People are called Claude, Devin and Jules too; then a family name follows.
"""

Default = TypeVar("Default", tuple[str, ...], None)

_CO_AUTHOR = re.compile(rb"^co-authored-by:[ \t]*(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may change which paths by hand: by name (clients only) or by signing key."""

    paths: tuple[str, ...]
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def covers(self, paths: Sequence[str]) -> bool:
        """Whether every path is granted."""
        return all(any(fnmatchcase(path, glob) for glob in self.paths) for path in paths)


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of the gate; floors are per mille; `source` says where they were read."""

    mode: str = "enforce"
    govern: str = "agents"
    agents: tuple[str, ...] = KNOWN_AGENTS
    accept: tuple[str, ...] = ("hash", "receipt")
    verdicts: tuple[str, ...] = ACCEPTED
    tiers: tuple[str, ...] | None = None
    ladders: tuple[int, ...] | None = None
    min_confidence: int = 0
    since: str | None = None
    manual: tuple[Grant, ...] = ()
    source: str = BUILT_IN
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    def is_agent(self, identity: str) -> bool:
        """Whether a `Name <email>` is one of the agents."""
        return matches(identity, self.agents)

    def governing_name(self, identities: Sequence[str], message: bytes | None) -> str | None:
        """The first of author, committer and co-authors who is an agent."""
        everyone = [*identities, *co_authors(message or b"")]
        return next((name for name in everyone if self.is_agent(name)), None)


def matches(identity: str, globs: Sequence[str]) -> bool:
    """Whether a `Name <email>` fits one of some globs, whatever the case of its letters."""
    return any(fnmatchcase(identity.lower(), glob.lower()) for glob in globs)


def co_authors(message: bytes) -> Iterator[str]:
    """Everyone a message names as co-author, wherever in it."""
    for found in _CO_AUTHOR.findall(message):
        yield found.decode("utf-8", "replace")


def read_policy(files: Snapshot) -> Policy:
    """The policy of a tree. Raises InvalidInput when it is malformed or stands in both places."""
    tables = {path: _table(files, path) for path in (PYPROJECT, CONFIG)}
    found = {path: table for path, table in tables.items() if table is not None}
    if len(found) > 1:
        what = f"the gate's policy stands in {' and '.join(found)}"
        raise InvalidInput("policy", what, "Keep one of them.")
    for source, table in found.items():
        return parse_policy(table, source)
    return Policy()


def _table(files: Snapshot, path: str) -> Any:
    """The policy's table in a file, or None; whether it is a table is not known yet."""
    file = files.get(path)
    return None if file is None else policy_in(load_toml(path, file.data), path)


def policy_in(document: Mapping[str, Any], name: str) -> Any:
    """The policy's table in a TOML document, which lies deeper in a pyproject.toml; else None."""
    table: Any = document
    for key in ("tool", "hkgit", "gate") if name == PYPROJECT else ("gate",):
        table = table.get(key) if isinstance(table, dict) else None
    return table


def load_toml(where: str, data: bytes) -> Mapping[str, Any]:
    """A TOML document. Raises InvalidInput."""
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(where, f"is not TOML: {error}", "Mend it where it stands.") from error


def policy_value(files: Snapshot, path: str) -> str | None:
    """The value of a file's policy table, for comparison; of a broken file what is wrong with it.
    """
    try:
        table = _table(files, path)
    except InvalidInput as error:
        return str(error)
    return None if table is None else json.dumps(table, sort_keys=True, default=repr)


def parse_policy(table: Any, source: str) -> Policy:
    """A policy from its table. Raises InvalidInput, naming the key."""
    reader = _Table(source, table)
    reader.check_keys(
        "mode", "govern", "agents", "accept", "verdicts", "tiers", "ladders", "min_confidence",
        "since", "manual",
    )  # fmt: skip
    return Policy(
        mode=reader.choice("mode", ("enforce", "warn", "report"), "enforce"),
        govern=reader.choice("govern", ("agents", "all"), "agents"),
        agents=(*KNOWN_AGENTS, *reader.texts("agents", ())),
        accept=reader.choices("accept", KINDS, ("hash", "receipt")),
        verdicts=reader.choices("verdicts", _ACCEPTABLE, ACCEPTED),
        tiers=reader.texts("tiers", None),
        ladders=reader.integers("ladders"),
        min_confidence=reader.per_mille("min_confidence"),
        since=reader.text("since"),
        manual=tuple(reader.grants("manual")),
        source=source,
        table=table,
    )


class _Table:
    """A TOML table that names its source and key when a value is wrong."""

    def __init__(self, source: str, table: Any) -> None:
        self.source = source
        if not isinstance(table, dict):
            raise InvalidInput(source, "the gate's policy is not a table", "Write [gate].")
        self.table = table

    def wrong(self, key: str, expected: str) -> InvalidInput:
        found = self.table.get(key)
        return InvalidInput(f"{self.source}: {key}", f"expected {expected}, found {found!r}")

    def check_keys(self, *known: str) -> None:
        for key in self.table:
            if key not in known:
                fix = f"Known keys: {', '.join(known)}."
                raise InvalidInput(f"{self.source}: {key}", "unknown key of the policy", fix)

    def text(self, key: str) -> str | None:
        value = self.table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def texts(self, key: str, default: Default) -> tuple[str, ...] | Default:
        """A list of strings, or the default."""
        values = self.table.get(key)
        if values is None:
            return default
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise self.wrong(key, "a list of strings")
        return tuple(values)

    def integers(self, key: str) -> tuple[int, ...] | None:
        values = self.table.get(key)
        if values is None:
            return None
        if not isinstance(values, list) or any(type(each) is not int for each in values):
            raise self.wrong(key, "a list of integers")
        return tuple(values)

    def choice(self, key: str, known: Sequence[str], default: str) -> str:
        value = self.table.get(key, default)
        if value not in known:
            raise self.wrong(key, f"one of {', '.join(known)}")
        return str(value)

    def choices(
        self, key: str, known: Sequence[str], default: tuple[str, ...]
    ) -> tuple[str, ...]:
        values = self.texts(key, default)
        if any(value not in known for value in values):
            raise self.wrong(key, f"some of {', '.join(dict.fromkeys(map(str, known)))}")
        return values

    def per_mille(self, key: str) -> int:
        value = self.table.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.wrong(key, "a number from 0 to 1")
        return round(value * 1000)

    def grants(self, key: str) -> Iterator[Grant]:
        grants = self.table.get(key, [])
        if not isinstance(grants, list):
            raise self.wrong(key, "a list of tables")
        for grant in grants:
            reader = _Table(f"{self.source}: {key}", grant)
            reader.check_keys("paths", "names", "keys")
            paths = reader.texts("paths", ())
            if not paths:
                raise reader.wrong("paths", "at least one glob")
            yield Grant(paths, reader.texts("names", ()), reader.texts("keys", ()))
