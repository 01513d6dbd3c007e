"""trailers.py: the evidence at the foot of a commit message, for people to read.

An unverified view: the record is the ledger entry. Messages are read with a strict grammar of our
own, because git's parsers disagree with each other and with configuration.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from hkgit.applying.evidence import KINDS
from hkgit.ledger.entry import Entry, RecordedEdit
from hkgit.paths import quote_path

MAX_EDIT_LINES = 10
_KEYS = ("Entry", "Base", "Agent", "Evidence", "Tiers", "Confidence", "Edit")
_TRAILER = re.compile(r"Hkgit-([A-Za-z0-9-]+): (.*)\Z")
_ANY_TRAILER = re.compile(r"[A-Za-z0-9-]+:[ \t]|\(cherry picked from commit ")
_ENTRY = re.compile(r"sha256:([0-9a-f]{64})\Z")


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
    moved = {file.path: file for file in entry.files if file.path is not None}
    for edit in edits[:MAX_EDIT_LINES]:
        file = moved.get(edit.path)
        target = file.new_path if file is not None and edit.tier == "file" else None
        named.append(f"Hkgit-Edit: {edit_line(edit, target, is_new=file is None)}")
    return tuple(named)


def edit_line(edit: RecordedEdit, target: str | None, *, is_new: bool) -> str:
    """One edit on one line: path, base range, hash, tier, confidence."""
    digits = "-" if edit.expected_hash is None else edit.expected_hash[:12]
    where = f"{quote_path(edit.path)}:{_range(edit, target, is_new=is_new)}"
    return f"{where} {digits} {edit.tier} {decimal(edit.confidence)}"


def _range(edit: RecordedEdit, target: str | None, *, is_new: bool) -> str:
    if edit.tier == "file":
        if is_new:
            return "new"
        return "gone" if target is None else f"-> {quote_path(target)}"
    first, last = edit.base_lines[0][0], edit.base_lines[-1][1]
    return f"{first}-{last}" if first <= last else f"{last}+"


def decimal(per_mille: int) -> str:
    """A per mille number with two decimals, rounded down."""
    return f"{per_mille // 1000}.{per_mille % 1000 // 10:02d}"


def read_trailers(message: bytes) -> Trailers:
    """The hkgit trailers of a raw commit message.

    They count in the last paragraph only, which must not be the first; each `Hkgit-Entry` there
    names an entry. Whatever else shows hkgit's keys is a fault.
    """
    text = message.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n ")
    paragraphs = re.split(r"\n[ \t]*\n+", text)
    last = paragraphs[-1].split("\n") if len(paragraphs) > 1 else []
    above = "\n".join(paragraphs[:-1] if len(paragraphs) > 1 else paragraphs)
    faults = []
    if re.search(r"^Hkgit-[A-Za-z0-9-]+:", above, re.MULTILINE):
        faults.append("Hkgit- trailers stand above the last paragraph: they count for nothing")
    lines = [line for line in last if line.startswith("Hkgit-")]
    if lines and not all(_ANY_TRAILER.match(line) or line.startswith((" ", "\t")) for line in last):
        faults.append("the last paragraph mixes Hkgit- trailers with other text")
    entries = []
    for line in lines:
        found = _TRAILER.match(line)
        if found is None or found[1] not in _KEYS or not found[2].isprintable():
            faults.append(f"not a trailer of hkgit: {line[:60]!r}")
        elif found[1] == "Entry":
            name = _ENTRY.match(found[2])
            if name is None or name[1] in entries:
                faults.append(f"malformed or repeated: {line[:60]!r}")
            else:
                entries.append(name[1])
    return Trailers(tuple(entries), tuple(lines), tuple(faults))


def with_trailers(subject_and_body: str, lines: tuple[str, ...]) -> bytes:
    """A commit message: the text, an empty line, the trailers; nothing after them."""
    text = subject_and_body.rstrip("\n")
    return (text + "\n\n" + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")
