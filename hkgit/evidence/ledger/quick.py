"""quick.py: an entry from its bytes in a fraction of the time, where nothing about it is odd.

A verifier reads millions of these. The strict reader (`reading`) names every mistake with its
place; this one only ever says yes, and then gives what the strict one would give: the bytes are
those that the entry would be written as, and every value has been looked at. Whatever it cannot
say yes to it leaves to the strict one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import NoReturn

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import CHECKED, KINDS
from hkgit.applying.hunks import CONTEXT
from hkgit.edits import MAX_EDITS, Read
from hkgit.evidence.ledger.entry import (
    SCHEMA,
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    RecordedHunk,
    entry_json,
)
from hkgit.text.json_nodes import Json
from hkgit.values import late_pattern

_HEX = late_pattern(r"(?:[0-9a-f]{64} )*\Z")
_ID = late_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_MODE = late_pattern(r"[0-7]{6}\Z")
_LONGEST = 15
"""Digits of an integer that every reader of JSON takes for the same."""

_DEEPEST = 16


class _Odd(Exception):
    """The bytes are unusual: leave them to the strict reader."""


def read_quickly(data: bytes) -> Entry | None:
    """Read an entry quickly; None where the strict reader must decide."""
    try:
        value = _DECODER.decode(data.decode())
        entry = _entry(value)
        encoded = _ENCODER.encode(entry_json(entry)).encode() + b"\n"
    except (_Odd, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None
    return entry if encoded == data else None


def _refuse(text: str) -> NoReturn:
    raise _Odd


def _integer(text: str) -> int:
    if len(text) > _LONGEST:
        raise _Odd
    return int(text)


_DECODER = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse, parse_int=_integer)
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _entry(value: Json) -> Entry:
    threshold, claims = value["parameters"]["threshold"], value["claims"]
    _check(type(value["schema"]) is int and value["schema"] == SCHEMA, _is_plain(claims, 0))
    _check(isinstance(claims, dict), str(claims.get("agent", "")).isprintable())
    _check(isinstance(claims.get("agent", ""), str))
    edits = tuple(map(_edit, value["edits"]))
    _check([edit.id for edit in edits] == [*range(1, len(edits) + 1)], 1 <= len(edits) <= MAX_EDITS)
    base = value["base"]
    _check(base is None or _ID.match(base) is not None)
    _check_numbers((value["ladder"], *_per_mille(threshold)))
    entry = Entry(
        ladder=value["ladder"],
        threshold=threshold,
        base=base,
        spec_digest=value["spec"]["digest"],
        reads=tuple(map(_read, value["reads"])),
        edits=edits,
        files=tuple(map(_file, value["files"])),
        claims=claims,
    )
    _check_hashes([entry.spec_digest])
    return entry


def _check(*holds: bool) -> None:
    if not all(holds):
        raise _Odd


def _check_hashes(hashes: Collection[str]) -> None:
    """All at once: a regular expression for each would take longer than all the rest.

    A text that holds two hashes and a blank would make what is joined too long for their number.
    """
    joined = " ".join((*hashes, ""))
    _check(len(joined) == 65 * len(hashes), _HEX.match(joined) is not None)


def _check_numbers(numbers: Iterable[Json]) -> None:
    for number in numbers:
        if type(number) is not int or number < 0:
            raise _Odd


def _check_texts(*texts: Json) -> None:
    for text in texts:
        if type(text) is not str:
            raise _Odd


def _per_mille(*numbers: Json) -> tuple[Json, ...]:
    _check(all(number <= 1000 for number in numbers))
    return numbers


def _read(value: Json) -> Read:
    first, last = (None, None) if value["lines"] is None else _lines(value["lines"])
    _check(value["kind"] in CHECKED)
    _check_texts(value["path"])
    _check_hashes([value["range_hash"]])
    return Read(
        path=value["path"],
        start_line=first,
        end_line=last,
        range_hash=value["range_hash"],
        kind=value["kind"],
    )


def _edit(value: Json) -> RecordedEdit:
    runner_up, lines = value["runner_up"], value["evidence_lines"]
    edit = RecordedEdit(
        id=value["id"],
        dialect=value["dialect"],
        path=value["path"],
        text=value["text"],
        evidence=value["evidence"],
        expected_hash=value["expected_hash"],
        evidence_lines=None if lines is None else _lines(lines),
        lines=tuple(map(_lines, value["lines"])),
        base_lines=tuple(map(_lines, value["base_lines"])),
        relocated=value["relocated"],
        tier=value["tier"],
        repairs=tuple(value["repairs"]),
        similarity=value["similarity"],
        confidence=value["confidence"],
        runner_up=runner_up,
    )
    _check(bool(edit.lines and edit.base_lines), type(edit.relocated) is bool)
    _check(edit.evidence in KINDS)
    _check_texts(edit.dialect, edit.path, edit.text, edit.tier, *edit.repairs)
    _check_hashes([] if edit.expected_hash is None else [edit.expected_hash])
    known = [] if runner_up is None else [runner_up]
    _check_numbers((edit.id, *_per_mille(edit.similarity, edit.confidence, *known)))
    return edit


def _file(value: Json) -> RecordedFile:
    file = RecordedFile(
        path=value["path"],
        new_path=value["new_path"],
        before=_mark(value["before"]),
        after=_mark(value["after"]),
        final_newline=value["final_newline"],
        hunks=tuple(map(_hunk, value["hunks"])),
    )
    _check(type(file.final_newline) is bool)
    _check((file.path is None) == (file.before is None))
    _check((file.new_path is None) == (file.after is None))
    _check_texts(*(path for path in (file.path, file.new_path) if path is not None))
    return file


def _mark(value: Json) -> FileMark | None:
    if value is None:
        return None
    _check(_MODE.match(value["mode"]) is not None)
    _check_hashes([value["sha256"]])
    return FileMark(int(value["mode"], 8), value["sha256"])


def _hunk(value: Json) -> RecordedHunk:
    first, last = _lines(value["lines"])
    hunk = RecordedHunk(
        start_line=first,
        end_line=last,
        old_hash=value["old_hash"],
        new_hash=value["new_hash"],
        new_text=value["new_text"],
        before=tuple(value["before"]),
        after=tuple(value["after"]),
        edits=tuple(value["edits"]),
    )
    _check_texts(hunk.new_text, hunk.old_hash, hunk.new_hash, *hunk.before, *hunk.after)
    _check_hashes((hunk.old_hash, hunk.new_hash, *hunk.before, *hunk.after))
    _check_numbers(hunk.edits)
    _check(0 not in hunk.edits, len(hunk.before) <= CONTEXT, len(hunk.after) <= CONTEXT)
    return hunk


def _lines(value: Json) -> Lines:
    first, last = value
    _check(type(first) is int and type(last) is int and 1 <= first <= last + 1)
    return first, last


def _is_plain(value: Json, depth: int) -> bool:
    """Whether a claim is such that there is one way to write it, whoever sorts its keys."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(key.isascii() and _is_plain(each, depth + 1) for key, each in value.items())
    return not isinstance(value, list) or all(_is_plain(each, depth + 1) for each in value)
