"""text.py: characters that show a reader another text than a compiler or a model gets.

Bidirectional controls (Boucher and Anderson, "Trojan Source", 2021), characters without width,
NUL, which makes a file binary to git's diff, and carriage returns of their own, which let one
line overwrite another in a terminal. Only what a commit adds counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hkgit.edits import File, Snapshot, decoded, encoded
from hkgit.gate.case import Case
from hkgit.git.trees import TreeChange
from hkgit.ledger.entry import LEDGER, Entry
from hkgit.paths import quote_path
from hkgit.replay.findings import Finding, Verdict

KINDS: Mapping[str, re.Pattern[str]] = {
    "bidi": re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
    "zero-width": re.compile(
        "[\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0"
        "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    ),
    "nul": re.compile("\0"),
    "lone-cr": re.compile("\r(?!\n)(?!\\Z)"),
}
"""What each kind of `reject_text` finds."""

_NAMES = {
    "bidi": "a bidirectional control", "zero-width": "a character without width",
    "nul": "a NUL", "lone-cr": "a carriage return without a line feed",
}  # fmt: skip

# Joiners that join letters of scripts which need them, or emoji; flags of regions; variants of
# ideographs; how a sign is drawn, one after each that is no ASCII, and keycaps: there they are
# spelling.
_SPELLING = re.compile(
    "(?<=[^\\0-\x7f\u200b-\u200f])[\u200c\u200d](?=[^\\0-\x7f\u200b-\u200f])"
    "|(?<=\U0001f3f4)[\U000e0020-\U000e007e]{2,6}\U000e007f"
    "|(?<=[\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|(?<=[^\0-\x7f\u200b-\u200f\ufe00-\ufe0f\U000e0000-\U000e01ef])[\ufe00-\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
# The first bytes of all of them: most files hold none, and are looked at no further.
_SUSPECT = re.compile(
    rb"\0|\r(?!\n|\Z)|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\xa0\x8e"
    rb"|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]"
    rb"|\xe3\x85\xa4|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xef\xbe\xa0|\xf3\xa0[\x80\x81\x84-\x87]"
)
_BOM = b"\xef\xbb\xbf"
_SNIFFED = 8000
"""So many bytes git looks at to see whether a file is binary."""


_DERIVED = (Verdict.STRICT, Verdict.SPLICED)


def text_findings(case: Case) -> Iterator[Finding]:
    """Where a commit adds text that the policy rejects, the first place a file and kind."""
    kinds = case.policy.reject_text
    for kind, line, character in _added([], File(case.candidate.message or b""), kinds):
        yield _finding(kind, f"message:{line}", character)
    yield from _in_names(case)
    yield from _in_files(case)


def _finding(kind: str, where: str, character: str) -> Finding:
    what = f"adds {_NAMES[kind]}, U+{ord(character):04X}"
    fix = "Take it out, or write it as an escape; the policy says so (reject_text)."
    return Finding("text", where, what, fix)


def _in_names(case: Case) -> Iterator[Finding]:
    made = [each.path for each in case.changes if each.old is None and not each.path.isascii()]
    for path in made:
        for kind in case.policy.reject_text:
            for character in _found(kind, path)[:1]:
                yield _finding(kind, quote_path(path), character)


def _in_files(case: Case) -> Iterator[Finding]:
    if case.judged.verdict in _DERIVED and not any(map(_is_suspect, case.judged.entries)):
        return
    after = case.repository.snapshot(case.candidate.tree)
    before = [case.repository.snapshot(tree) for tree in case.parents]
    moved = {file.new_path: file.path for _, entry in case.judged.entries for file in entry.files}
    for change in case.changes:
        if change.new is None or change.path.startswith(f"{LEDGER}/"):
            continue
        new = after.get(change.path)
        old = _old_files(before, change, moved.get(change.path))
        if new is None or (change.path not in moved and _stays_binary(old, new)):
            continue
        for kind, line, character in _added(old, new, case.policy.reject_text):
            yield _finding(kind, f"{quote_path(change.path)}:{line}", character)


def _is_suspect(named: tuple[str, Entry]) -> bool:
    """Whether the new text of an entry holds anything that could be rejected."""
    _, entry = named
    return any(_SUSPECT.search(encoded(h.new_text)) for file in entry.files for h in file.hunks)


def _old_files(
    before: Sequence[Snapshot], change: TreeChange, moved_from: str | None
) -> list[File]:
    paths = {change.path, moved_from or change.path}
    found = (snapshot.get(path) for snapshot in before for path in sorted(paths))
    return [file for file in found if file is not None]


def _stays_binary(old: Sequence[File], new: File) -> bool:
    """Whether nobody ever read it as text: an image, say."""
    return all(b"\0" in file.data[:_SNIFFED] for file in (*old, new))


def _added(
    old: Sequence[File], new: File, kinds: Sequence[str]
) -> Iterator[tuple[str, int, str]]:
    """Each kind that a file has more of than before, its first new line and the character."""
    if not _SUSPECT.search(new.data):
        return
    known = Counter(line for file in old for _, line in _suspect_lines(file.data))
    added: list[tuple[int, str]] = []
    for number, line in _suspect_lines(new.data):
        if known[line]:
            known[line] -= 1
        else:
            added.append((number, line))
    for kind in kinds:
        spare = Counter(found for line in known.elements() for found in _found(kind, line))
        for number, line in added:
            extra = Counter(_found(kind, line)) - spare
            spare.subtract(_found(kind, line))
            if extra:
                yield kind, number, next(iter(extra))
                break


def _suspect_lines(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), 1):
        if _SUSPECT.search(line):
            yield number, decoded(line)


def _found(kind: str, line: str) -> list[str]:
    return KINDS[kind].findall(_SPELLING.sub("", line))
