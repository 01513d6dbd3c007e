"""planning.py: plans specs on files held in memory, for the tests of `hkgit.applying`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from hkgit import dialects
from hkgit.applying.outcome import EditOutcome, Plan, files_after
from hkgit.applying.planner import Options, plan
from hkgit.edits import AnyEdit, File, MappingSnapshot, Read, Spec
from hkgit.text.document import range_hash

Files = Mapping[str, bytes | File]
Operation = dict[str, object]

hash_of = range_hash
"""The hash of a range as a spec quotes it."""

SOURCE = Path(json.__file__).read_bytes()
"""A real file of 350 lines and more, the same on every machine with this Python."""


def file_of(letters: str) -> bytes:
    """A file that has each letter on a line of its own."""
    return "".join(f"{letter}\n" for letter in letters).encode()


def snapshot(files: Files) -> MappingSnapshot:
    """The files as a snapshot; bytes are those of a regular file."""
    return MappingSnapshot(
        {path: File(file) if isinstance(file, bytes) else file for path, file in files.items()}
    )


def protocol(*operations: Operation, **about: str) -> Spec:
    """A spec of the protocol, read from its JSON."""
    return dialects.parse(json.dumps({"version": "1", "operations": operations, **about}))


def spec_of(edits: Iterable[AnyEdit], *, sequential: bool) -> Spec:
    """A spec of edits as a program makes them."""
    listed = tuple(edits)
    return Spec("test", listed, sequential)


def planned(
    files: Files,
    *operations: Operation,
    reads: Iterable[Read] = (),
    relocate: bool = False,
) -> Plan:
    """The plan of the protocol's operations."""
    options = Options(relocate=relocate)
    return plan(protocol(*operations), snapshot(files), options, tuple(reads))


def in_sequence(files: Files, *edits: AnyEdit, reads: Iterable[Read] = ()) -> Plan:
    """The plan of edits of which each speaks of what the ones before it left."""
    return plan(spec_of(edits, sequential=True), snapshot(files), None, tuple(reads))


def on_base(files: Files, *edits: AnyEdit, reads: Iterable[Read] = ()) -> Plan:
    """The plan of edits that all speak of the base."""
    return plan(spec_of(edits, sequential=False), snapshot(files), None, tuple(reads))


def result(made: Plan) -> dict[str, bytes | None]:
    """What became of each changed path; a refusal fails the test with its reason."""
    assert made.ok, made.first_error
    return {path: None if file is None else file.data for path, file in files_after(made).items()}


def only(made: Plan) -> EditOutcome:
    """The outcome of the only edit."""
    [outcome] = made.outcomes
    return outcome


def refusal(made: Plan) -> str:
    """The status and the words of the first refusal; nothing may change with it."""
    assert made.files == ()
    error = made.first_error
    assert error is not None, "nothing was refused"
    return f"{error.status}: {error}"


def replace_range(path: str, data: bytes, start: int, end: int, new_text: str) -> Operation:
    """Replace lines of a file whose bytes are `data`, with their hash."""
    return delete_range(path, data, start, end) | {"op": "replace_range", "new_text": new_text}


def delete_range(path: str, data: bytes, start: int, end: int) -> Operation:
    """Delete lines, with their hash."""
    return {
        "op": "delete_range",
        "path": path,
        "start_line": start,
        "end_line": end,
        "expected_hash": hash_of(data, start, end),
    }


def insert_after(path: str, data: bytes, after: int, *new_lines: str) -> Operation:
    """Insert lines, with the hash that section 3 of the contract asks for."""
    hashed = (after, after) if after else (1, min(1, data.count(b"\n") + 1 if data else 0))
    return {
        "op": "insert_after",
        "path": path,
        "after_line": after,
        "expected_hash": hash_of(data, *hashed),
        "new_lines": list(new_lines),
    }
