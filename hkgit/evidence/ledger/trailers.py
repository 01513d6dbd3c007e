"""trailers.py: write and read the trailers that show evidence in a commit message.

An unverified view: the record is the ledger entry. Messages are read with a strict grammar of our
own, because git's parsers disagree with each other and with configuration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from hkgit.applying.evidence import KINDS
from hkgit.edits import encode_text
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.matching.places import decimal as decimal
from hkgit.paths import quote_path
from hkgit.values import dataclass

MAX_EDIT_LINES = 10
_KEYS = ("Entry", "Base", "Agent", "Evidence", "Tiers", "Confidence", "Edit")
_TRAILER = re.compile(r"Hkgit-([A-Za-z0-9-]+): (.*)\Z")
_ANY_TRAILER = re.compile(r"[A-Za-z0-9-]+:[ \t]|[ \t]|\(cherry picked from commit ")
_PARAGRAPHS = re.compile(r"\n(?:[ \t]*\n)+")
_ENTRY = re.compile(r"Hkgit-Entry: sha256:([0-9a-f]{64})\Z")
_DIVIDER = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_KEY = re.compile(r"^Hkgit-[A-Za-z0-9-]+[ \t]*:", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Trailers:
    """What a message says of hkgit: the entries it names, the lines, and what is wrong."""

    entries: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def trailer_lines(entry: Entry, entry_id: str) -> tuple[str, ...]:
    """The trailers of one entry, `Hkgit-Edit` at most ten times."""
    named = [f"Hkgit-Entry: sha256:{entry_id}"]
    if entry.base is not None:
        named.append(f"Hkgit-Base: {entry.base}")
    edits = entry.edits
    kinds = Counter(edit.evidence for edit in edits)
    counts = " ".join(f"{kind}={kinds[kind]}" for kind in KINDS)
    tiers = Counter(edit.tier for edit in edits)
    named += [
        f"Hkgit-Agent: {entry.agent}",
        f"Hkgit-Evidence: edits={len(edits)} {counts} files={len(entry.files)}",
        "Hkgit-Tiers: " + " ".join(f"{tier}={count}" for tier, count in tiers.items()),
        f"Hkgit-Confidence: {decimal(min(edit.confidence for edit in edits))}",
    ]
    files = {file.path: file for file in entry.files if file.path is not None}
    for edit in edits[:MAX_EDIT_LINES]:
        named.append(f"Hkgit-Edit: {_edit_line(edit, files.get(edit.path))}")
    return tuple(named)


def _edit_line(edit: RecordedEdit, file: RecordedFile | None) -> str:
    """One edit on one line: path, base range, hash, tier, confidence."""
    digits = "-" if edit.expected_hash is None else edit.expected_hash[:12]
    where = f"{quote_path(edit.path)}:{_range(edit, file)}"
    return f"{where} {digits} {edit.tier} {decimal(edit.confidence)}"


def _range(edit: RecordedEdit, file: RecordedFile | None) -> str:
    if edit.tier == "file":
        if file is None:
            return "new"
        if file.new_path is None:
            return "gone"
        if file.new_path != edit.path:
            return f"-> {quote_path(file.new_path)}"
    first, last = edit.base_lines[0][0], edit.base_lines[-1][1]
    return f"{first}-{last}" if first <= last else f"{last}+"


@lru_cache(16)
def read_trailers(message: bytes) -> Trailers:
    """The hkgit trailers of a raw commit message.

    They count in the last paragraph only, which must not be the first; each `Hkgit-Entry` there
    names an entry. Whatever else shows hkgit's keys is a fault. `lines` has what git shows, too.
    """
    text = message.decode("utf-8", "replace").replace("\r\n", "\n")
    above, last = _split_foot(text.rstrip("\n "))
    foot = last.split("\n")
    lines = list(filter(_is_ours, foot))
    named = [found[1] for line in lines if (found := _ENTRY.match(line)) is not None]
    faults = tuple(_faults(above, foot, lines, named))
    shown = (line for each in _read_as_git(text) for line in _unfold(_split_foot(each)[1]))
    lines += [line for line in shown if _is_ours(line) and line not in lines]
    return Trailers(tuple(dict.fromkeys(named)), tuple(lines), faults)


def _split_foot(text: str) -> tuple[list[str], str]:
    """The paragraphs of a message above the last one, and that one unless it is the first."""
    *above, last = _PARAGRAPHS.split(text)
    return (above, last) if above else ([last], "")


def _read_as_git(text: str) -> Iterator[str]:
    """A message as git's readers of trailers see it (trailer.c): without comments at its end.

    `git interpret-trailers` ends it at a line of dashes, `git log` does not.
    """
    for each in (text, _DIVIDER.split(text, maxsplit=1)[0]):
        lines = each.split("\n")
        while lines and _is_passed_by(lines):
            lines.pop()
        yield "\n".join(line for line in lines if not line.startswith("#"))


def _is_passed_by(lines: Sequence[str]) -> bool:
    """Whether git takes the last line for no part of the message: blank, a comment, conflicts."""
    last = lines[-1]
    if not last.strip() or last.startswith("#") or last == "Conflicts:":
        return True
    above = next((line for line in reversed(lines) if not line.startswith("\t")), "")
    return last.startswith("\t") and above == "Conflicts:"


def _unfold(foot: str) -> list[str]:
    """The lines of a paragraph, each with the ones that are folded into it."""
    return re.sub(r"\n[ \t]+", " ", foot).split("\n")


def _is_ours(line: str) -> bool:
    """Whether git, which knows no case in keys, would show a line as a trailer of hkgit."""
    return line[:6].lower() == "hkgit-"


def _faults(
    above: Sequence[str], foot: Sequence[str], lines: Sequence[str], named: Sequence[str]
) -> Iterator[str]:
    if any(map(_KEY.search, above)):
        yield "Hkgit- trailers stand above the last paragraph: they count for nothing"
    if lines and not all(map(_ANY_TRAILER.match, foot)):
        yield "the last paragraph mixes Hkgit- trailers with other text"
    if any(_is_ours(line) and after[:1] in (" ", "\t") for line, after in pairwise(foot)):
        yield "an Hkgit- trailer goes on in the line below it"
    for line in lines:
        found = _TRAILER.match(line)
        if found is None or found[1] not in _KEYS or not found[2].isprintable():
            yield f"not a trailer of hkgit: {line[:60]!r}"
        elif found[1] == "Entry" and _ENTRY.match(line) is None:
            yield f"names no entry: {line[:60]!r}"
    for name, count in Counter(named).items():
        if count > 1:
            yield f"entry {name[:12]} is named {count} times"
    if lines and not named:
        yield "Hkgit- trailers without an Hkgit-Entry stand for nothing"


def with_trailers(subject_and_body: str, lines: tuple[str, ...]) -> bytes:
    """A commit message: the text, then the trailers, behind those that it ends with itself."""
    text = subject_and_body.rstrip("\n")
    paragraphs = _PARAGRAPHS.split(text)
    foot = paragraphs[-1].split("\n")
    has_own = len(paragraphs) > 1 and all(map(_ANY_TRAILER.match, foot)) and foot[0][0] not in " \t"
    between = "\n" if has_own else "\n\n"
    return encode_text(text + between + "\n".join(lines) + "\n")
