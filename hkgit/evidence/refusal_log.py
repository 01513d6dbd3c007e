"""What was refused in a clone, by whom, why, which try it was, and how it ended.

A local record in the git directory, one JSON object a line. It proves nothing by itself: what
counts is in the entry that landed in the end, among its claims.

An edit that is refused again and again as stale or in conflict leaves a CONSULT: a question that
a person answers (`hkgit consult`). It is kept here as well.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.edits import AnyEdit, encode_text, new_text_of, old_text_of
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import entry_path, read_entry
from hkgit.text.escape import to_json_text
from hkgit.text.hashes import digest
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import asdict, dataclass, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from hkgit.applying.outcome import EditOutcome
    from hkgit.git.repository import Repository

    Read = TypeVar("Read", "RefusedAttempt", "Decision")

NAME = "refusals.jsonl"
LARGEST = 2_000_000
"""Bytes of the record; of a larger one the newer half is kept."""

_LONGEST = 400
_YEAR_10000 = 253402300800

CONFLICTS = ("stale", "conflict")
"""Statuses of edits that met what others did."""

ASKED_AFTER = 3
"""So many of them, of one text by one agent in one file, ask a person."""

DECISIONS = ("apply", "drop", "rewrite")
"""The edit is wanted as it is; it is not wanted; another one shall be written."""

NO_FILE = ""
"""The path of a spec that cannot be read: nothing tells which files it means."""


@dataclass(frozen=True)
class Refusal:
    """Which edit is refused and why; `text` is a digest of what it writes.

    By that it is known again where it lands. That of a spec that cannot be read is empty.
    """

    path: str
    status: str
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Decision:
    """What a person answered, and by what name."""

    decision: str
    by: str
    message: str = ""


@dataclass(frozen=True)
class RefusedAttempt:
    """One edit that was refused; `call` is `apply` or `edit`, `tries` counts from 1.

    `time` is in seconds since 1970. `landed` is the commit whose entry carries it; None while
    the same agent has not landed that text since; a spec that could not be read has none.
    `decided` is what a person answered. `text` is that of the refusal.
    """

    id: str
    time: int
    agent: str
    call: str
    path: str
    status: str
    reason: str
    text: str
    tries: int
    landed: str | None = None
    decided: Decision | None = None

    @property
    def when(self) -> str:
        """The moment as RFC 3339 writes it."""
        from datetime import UTC, datetime  # every commit of a session loads this module

        return datetime.fromtimestamp(self.time, UTC).isoformat()


Consult = tuple[RefusedAttempt, ...]
"""A question to a person: the refusals of one agent's edit, which the first of them names."""


@dataclass(frozen=True)
class RefusalLog:
    """The record of a repository."""

    path: Path

    @classmethod
    def of(cls, common_dir: Path) -> RefusalLog:
        """Open the record of the repository with this git directory."""
        return cls(common_dir / "hkgit" / NAME)

    def read(self) -> list[RefusedAttempt]:
        """Read every attempt, the oldest first; what cannot be read is left out.

        A later line with the id of an attempt says what has become of it.
        """
        records: dict[str, dict[str, Any]] = {}
        try:
            lines = self.path.read_bytes().splitlines()
        except OSError:
            return []
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                record = json.loads(line)
                records.setdefault(record["id"], {}).update(record)
        found = []
        for record in records.values():
            with suppress(TypeError):  # it lacks a field, or has one of another kind
                decided = record.pop("decided", None)
                known = None if decided is None else _expect_kinds(Decision(**decided))
                attempt = _expect_kinds(RefusedAttempt(**record, decided=known))
                found += [attempt] if 0 <= attempt.time < _YEAR_10000 else []
        return found

    def make_claims(self, agent: str, edits: Iterable[AnyEdit]) -> list[JsonObject]:
        """Make what an entry of edits claims of the attempts that were refused before it."""
        told = ("id", "path", "status", "time", "tries")
        return [
            {name: getattr(each, name) for name in told}
            | ({} if each.decided is None else {"decided": asdict(each.decided)})
            for each in self._find_open(agent, set(map(_digest_text, edits)))
        ]

    def _find_open(self, agent: str, texts: Collection[str]) -> list[RefusedAttempt]:
        """Find an agent's refused edits of some texts that did not land."""
        name = to_json_text(agent).casefold()
        return [
            each
            for each in self.read()
            if each.landed is None and each.agent.casefold() == name and each.text in texts
        ]

    def note(self, agent: str, call: str, when: int, refused: Sequence[Refusal]) -> None:
        """Keep refused edits. Raises OSError."""
        name = to_json_text(agent)
        known = self._find_open(agent, {each.text for each in refused}) if refused else []
        lines = [
            {
                "id": os.urandom(8).hex(),
                "time": when,
                "agent": name,
                "call": call,
                "path": to_json_text(each.path),
                "status": each.status,
                "reason": to_json_text(each.reason)[:_LONGEST],
                "tries": 1 + sum(one.text == each.text for one in known),
                "text": each.text,
            }
            for each in refused
        ]
        self._append(lines)

    def settle(self, ids: Sequence[str], commit: str) -> None:
        """Note that attempts have landed in the end. Raises OSError."""
        self._append([{"id": name, "landed": commit} for name in ids])

    def find_consults(self) -> list[Consult]:
        """Find the questions about edits that have not landed, the oldest first."""
        asked: dict[tuple[object, ...], list[RefusedAttempt]] = {}
        for each in self.read():
            if each.landed is None and each.status in CONFLICTS:
                about = (each.agent.casefold(), each.path, each.text, each.decided)
                asked.setdefault(about, []).append(each)
        consults = map(tuple, asked.values())
        return [each for each in consults if len(each) >= ASKED_AFTER or each[0].decided]

    def decide(self, consult: Consult, decided: Decision) -> None:
        """Keep a person's answer. Raises InvalidInput where there is one, and OSError."""
        known = consult[0].decided
        if known is not None:
            what = f"was answered by {known.by}: {known.decision}"
            fix = "If an edit is refused as often again, it asks again."
            raise InvalidInput(consult[0].id, what, fix)
        self._append([{"id": each.id, "decided": asdict(decided)} for each in consult])

    def _append(self, lines: Sequence[JsonObject]) -> None:
        if not lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(each) + "\n" for each in lines).encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(self.path, flags, 0o600), "ab") as file:
            file.write(text)
            size = file.tell()
        if size > LARGEST:
            self._forget_older()

    def _forget_older(self) -> None:
        kept = self.path.read_bytes()[-LARGEST // 2 :].partition(b"\n")[2]
        draft = self.path.with_name(f".{NAME}.{os.urandom(4).hex()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(kept)
        draft.replace(self.path)


_KINDS = {"int": int, "str": str, "str | None": str | None, "Decision | None": Decision | None}


def _expect_kinds(value: Read) -> Read:
    """Return a value; raise TypeError where a field is of another kind than its class says."""
    for name, kind in type(value).__annotations__.items():
        if not isinstance(getattr(value, name), _KINDS[kind]):
            raise TypeError(name)
    return value


def describe_conflicts(
    repository: Repository, log: RefusalLog, agent: str, refused: Iterable[Refusal], tip: str
) -> list[str]:
    """Say of each file in which an edit met others' work who changed it, and what a person says."""
    met = [each for each in refused if each.status in CONFLICTS]
    if not met:
        return []
    name = to_json_text(agent).casefold()
    consults = [each for each in log.find_consults() if each[0].agent.casefold() == name]
    lines = []
    for path in dict.fromkeys(each.path for each in met):
        texts = {each.text for each in met if each.path == path}
        asked = [each for each in consults if each[0].text in texts]
        found = [each for each in asked if each[0].path == to_json_text(path)]
        parts = [_find_last_change(repository, path, tip), *map(_describe_consult, found[-1:])]
        lines += [f"{path}: {'; '.join(filter(None, parts))}"] if any(parts) else []
    return lines


def _find_last_change(repository: Repository, path: str, tip: str) -> str:
    asked = ("log", "-1", "--format=%h %s", tip, "--", path)
    found = repository.git("--literal-pathspecs", *asked, check=False)
    return f"last changed by {found.text[:80]}" if found.code == 0 and found.text else ""


def _describe_consult(consult: Consult) -> str:
    decided = consult[0].decided
    if decided is None:
        show = f"hkgit consult {consult[0].id}"
        return f"refused {len(consult)} times, so a person has to decide: {show}"
    why = f" ({decided.message})" if decided.message else ""
    return f"{decided.by} decided: {decided.decision}{why}"


def note_refused(
    log: RefusalLog,
    agent: str,
    call: str,
    edits: Iterable[AnyEdit],
    outcomes: Iterable[EditOutcome],
) -> list[Refusal]:
    """Keep the refused ones among edits, and list them."""
    refused = [
        Refusal(each.path, each.status, each.error.what, _digest_text(edit))
        for edit, each in zip(edits, outcomes, strict=False)  # a later spec was not tried
        if each.error is not None
    ]
    with suppress(OSError):  # no edit is refused because a record failed
        log.note(agent, call, int(time.time()), refused)
    return refused


def _digest_text(edit: AnyEdit) -> str:
    """Digest what an edit writes, whatever whitespace is in it; of one that writes none, what
    goes."""
    words = new_text_of(edit).split() or old_text_of(edit).split() or [edit.path]
    return digest(encode_text(" ".join(words)))[:16]


def note_unread(log: RefusalLog, agent: str, call: str, error: InvalidInput) -> None:
    """Keep a spec that cannot be read among the refusals."""
    if isinstance(error.__cause__, OSError):
        return  # a file that is not there is no spec of an agent's
    why = f"{error.where}: {error.what}"
    with suppress(OSError):  # what is wrong is said, recorded or not
        log.note(agent, call, int(time.time()), [Refusal(NO_FILE, error.status, why)])


def find_claimed_conflicts(claims: Mapping[str, Json]) -> list[JsonObject]:
    """Find what an entry claims of its conflicts: by path, how many tries, and what was decided.

    A claim may be any JSON value; what is not of this form is left out.
    """
    listed = claims.get("refusals")
    found: dict[str, JsonObject] = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("status") in CONFLICTS:
            path, decided = str(each.get("path")), each.get("decided")
            met = found.setdefault(path, {"path": path, "tries": 0, "decided": None})
            met["tries"] += 1
            if isinstance(decided, dict):
                met["decided"] = {key: str(decided.get(key, "")) for key in fields_of(Decision)}
    return [*found.values()]


def settle_refusals(repository: Repository, names: Iterable[str], commit: str) -> None:
    """Note the refused attempts that landed with entries of a commit, as far as these say so."""
    log = RefusalLog.of(repository.common_dir)
    left = {each.id for each in log.read() if each.landed is None}
    for file in map(repository.snapshot(commit).get, map(entry_path, names if left else ())):
        claimed = None if file is None else read_entry(file.data).claims.get("refusals")
        listed = claimed if isinstance(claimed, list) else []
        landed = left & {str(each.get("id")) for each in listed if isinstance(each, dict)}
        with suppress(OSError):
            log.settle(sorted(landed), commit)
