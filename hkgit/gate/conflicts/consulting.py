"""consulting.py: CONSULTs, questions kept in a repository until a person answers them.

One file each, `.hkgit/consult/<id>.json`: the conflict with every try, what happened to the file
in between, and, once there is one, the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.edits import DIRECTORY, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.gate.conflicts.history import list_changing_commits, read_causes
from hkgit.gate.conflicts.records import (
    Cause,
    ConflictRecord,
    conflict_json,
    read_cause,
    read_conflict,
)
from hkgit.gate.policy.files import CONFIG, PYPROJECT, load_toml
from hkgit.git.repository import Repository
from hkgit.text.json_nodes import JsonObject, Node
from hkgit.text.strict_json import parse_document
from hkgit.values import asdict, dataclass, replace

DIRECTORY_PATH = ".hkgit/consult"
DECISIONS = ("apply", "drop", "rewrite")
"""The edit is wanted as it is; it is not wanted; another one shall be written."""

AFTER = 3
"""Tries after which a person is asked, unless `[consult] after` says otherwise."""

_MOST_BETWEEN = 20
_LARGEST = 2**20
"""Bytes of a record that are read."""


@dataclass(frozen=True, slots=True)
class ConsultAnswer:
    """What a person decided, when (seconds since 1970), and by what name."""

    decision: str
    message: str
    by: str
    time: int


@dataclass(frozen=True, slots=True)
class Consult:
    """A conflict that was not resolved by trying, and the commits that changed its file."""

    conflict: ConflictRecord
    opened: int
    between: tuple[Cause, ...]
    answer: ConsultAnswer | None = None

    @property
    def id(self) -> str:
        """The name that it shares with its conflict."""
        return self.conflict.id

    @property
    def path(self) -> str:
        """Where it stands in the tree."""
        return consult_path(self.id)


def consult_path(consult_id: str) -> str:
    """Return the path of a CONSULT in a tree."""
    return f"{DIRECTORY_PATH}/{consult_id}.json"


def consult_json(consult: Consult) -> JsonObject:
    """Write a CONSULT as one JSON object."""
    answer = None if consult.answer is None else asdict(consult.answer)
    return {
        "state": "open" if answer is None else "answered",
        "opened": consult.opened,
        "answer": answer,
        "conflict": conflict_json(consult.conflict),
        "between": [asdict(cause) for cause in consult.between],
    }


def consult_bytes(consult: Consult) -> bytes:
    """Write the bytes of a CONSULT's file."""
    return json.dumps(consult_json(consult), indent=2, sort_keys=True).encode() + b"\n"


def read_consult(data: bytes, path: str) -> Consult:
    """Parse the file of a CONSULT strictly. Raises InvalidInput."""
    fix = "Put it back as it was committed."
    if len(data) > _LARGEST:
        raise InvalidInput(path, f"has more than {_LARGEST} bytes", fix)
    try:
        consult = _consult(parse_document(data.decode()))
    except (UnicodeDecodeError, InvalidInput) as error:
        raise InvalidInput(path, f"is no CONSULT: {error}", fix) from error
    if consult.path != path:
        raise InvalidInput(path, f"holds CONSULT {consult.id}", fix)
    return consult


def _consult(node: Node) -> Consult:
    parts = node.fields(["state", "opened", "answer", "conflict", "between"], [])
    answer = parts["answer"]
    return Consult(
        read_conflict(parts["conflict"]),
        parts["opened"].integer(0),
        tuple(read_cause(each) for each in parts["between"].items()),
        None if answer.value is None else _answer(answer),
    )


def _answer(node: Node) -> ConsultAnswer:
    parts = node.fields(["decision", "message", "by", "time"], [])
    if parts["decision"].text() not in DECISIONS:
        raise parts["decision"].wrong(f"one of {', '.join(DECISIONS)}")
    words = parts["decision"].text(), parts["message"].text(), parts["by"].text()
    return ConsultAnswer(*words, parts["time"].integer(0))


def read_consults_of(repository: Repository, commit: str) -> Iterator[Consult]:
    """Read every CONSULT of a commit, by id. Raises InvalidInput for a file that is none."""
    snapshot = repository.snapshot(commit)
    directory = snapshot.entry(DIRECTORY_PATH)
    if directory is None or directory.mode != DIRECTORY:
        return
    for name in sorted(repository.tree(directory.id)):
        path = f"{DIRECTORY_PATH}/{name}"
        file = snapshot.get(path)
        if name.endswith(".json") and file is not None:
            yield read_consult(file.data, path)


def read_consults_below(work_tree: Path) -> Iterator[Consult]:
    """Read every CONSULT of a work tree, committed or not. Raises InvalidInput."""
    for path in sorted((work_tree / DIRECTORY_PATH).glob("*.json")):
        if path.is_file() and not path.is_symlink():
            yield read_consult(path.read_bytes(), f"{DIRECTORY_PATH}/{path.name}")


def read_allowed_tries(files: Snapshot) -> int:
    """Read from the configuration after how many tries a person is asked. Raises InvalidInput."""
    file = files.get(CONFIG)
    table = {} if file is None else load_toml(CONFIG, file.data).get("consult", {})
    after = table.get("after", AFTER) if isinstance(table, Mapping) else None
    if type(after) is not int or after < 1:
        raise InvalidInput(f"{CONFIG}: consult.after", f"expected a count, found {after!r}")
    return after


def is_set_up(files: Snapshot, work_tree: Path) -> bool:
    """Whether `hkgit init` was run, for a commit's files or in the work tree."""
    if files.get(CONFIG) is not None or (work_tree / CONFIG).is_file():
        return True
    project = files.get(PYPROJECT)
    table = {} if project is None else load_toml(PYPROJECT, project.data)
    tool = table.get("tool")
    return isinstance(tool, Mapping) and "hkgit" in tool


def ask(repository: Repository, work_tree: Path, conflict: ConflictRecord, now: int) -> None:
    """Write the CONSULT of a conflict into a work tree. Raises OSError where it cannot be."""
    between = tuple(read_causes(repository, _between(repository, conflict)))
    place = work_tree / consult_path(conflict.id)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(consult_bytes(Consult(conflict, now, between)))


def _between(repository: Repository, conflict: ConflictRecord) -> Sequence[str]:
    """The commits that changed the file since the edit was written, as far as that is known."""
    since = conflict.base
    if since is None and conflict.causes:
        parents = repository.commit(conflict.causes[0].commit).parents
        since = parents[0] if parents else None
    if since is None:
        return ()
    try:
        base = repository.resolve(since)
    except HkgitError:
        return ()
    return list_changing_commits(repository, conflict.path, conflict.tip, since=base)[
        :_MOST_BETWEEN
    ]


def take_committed_answers(
    found: Iterable[Consult], committed: Iterable[Consult]
) -> Iterator[Consult]:
    """Pair CONSULTs of a work tree with their committed answers; no other answer counts."""
    answers = {each.id: each.answer for each in committed}
    for each in found:
        yield replace(each, answer=answers.get(each.id))


def answer_consult(consult: Consult, answer: ConsultAnswer) -> Consult:
    """Add an answer to a CONSULT. Raises InvalidInput where it has one."""
    if consult.answer is not None:
        what = f"was answered by {consult.answer.by}: {consult.answer.decision}"
        raise InvalidInput(consult.id, what, "A new conflict gets a new CONSULT.")
    return replace(consult, answer=answer)
