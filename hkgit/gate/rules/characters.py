r"""Characters that no reader sees or expects.

Bidirectional controls (Boucher and Anderson, "Trojan Source", 2021), zero-width characters,
NUL, which makes a file binary to git's diff, and lone carriage returns, which let one
line overwrite another in a terminal. Only what a commit adds counts.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hkgit.edits import File, decode_text, encode_text
from hkgit.evidence.entry import is_record
from hkgit.evidence.verdict import Finding, Verdict
from hkgit.gate.judged_commit import JudgedCommit
from hkgit.text.diff import find_changes
from hkgit.text.document import Document, has_too_many_lines
from hkgit.text.hashes import sha256
from hkgit.text.paths import quote_path
from hkgit.values import dataclass

VERSION = "14.0.0"
IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
r"""First and last code point of each stretch of the property Default_Ignorable_Code_Point.

Generated from DerivedCoreProperties.txt, Unicode 14.0.0, as Perl 5.36 carries it
(`\p{Default_Ignorable_Code_Point}`); a test makes it again where Perl knows that version.
"""

ANNOTATION = (0xFFF9, 0xFFFB)
"""Marks of interlinear annotation: not in the property, and not shown either."""


_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"


_UNSEEN = "".join(f"{chr(first)}-{chr(last)}" for first, last in (*IGNORABLE, ANNOTATION))

KINDS: Mapping[str, str] = {
    "bidi": f"[{_BIDI}]",
    "zero-width": f"(?![{_BIDI}])[{_UNSEEN}]",
    "nul": "\0",
    "lone-cr": "\r(?!\n)(?!\\Z)",
}
"""What each kind of `reject_text` finds."""

_NAMES = {
    "bidi": "a bidirectional control",
    "zero-width": "a zero-width character",
    "nul": "a NUL",
    "lone-cr": "a carriage return without a line feed",
}

# Joiners that join letters of scripts which need them, or emoji; flags of regions; variants of
# ideographs; how a sign is drawn, one after each that is no ASCII, and keycaps: there they are
# spelling.
_SPELLING = (
    "(?<=[^\\0-\x7f\u200b-\u200f])[\u200c\u200d](?=[^\\0-\x7f\u200b-\u200f])"
    "|(?<=\U0001f3f4)[\U000e0020-\U000e007e]{2,6}\U000e007f"
    "|(?<=[\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|(?<=[^\0-\x7f\u200b-\u200f\ufe00-\ufe0f\U000e0000-\U000e01ef])[\ufe00-\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    "|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]"
)
_SUSPECT = f"[\0{_UNSEEN}]|\r(?!\n|\\Z)"
"""Anything that any kind finds: most files hold none, and are looked at no further."""
_ENCODING = rb"(?m)^encoding([^\n]*)$"
_ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "iso8859-1": "latin-1",
    "latin1": "latin-1",
    "latin-1": "latin-1",
    "iso-8859-15": "iso8859-15",
    "iso8859-15": "iso8859-15",
}
"""Encodings of commits that are read, and Python's name for each."""
_UTF8 = "Commit with i18n.commitEncoding=UTF-8; the policy says so (reject_text)."
_BOM = b"\xef\xbb\xbf"
MOST = 500_000
"""So many suspects of a file are counted and compared with those that were there."""

_SNIFFED = 8000
"""So many bytes git looks at to see whether a file is binary."""


def text_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find text that a commit adds and the policy rejects, the first place a file and kind."""
    candidate = case.candidate
    encoding, faults = find_encoding(candidate.header)
    yield from faults
    names = [each.path for each in case.changes if each.old is None and not each.path.isascii()]
    # Nothing of a name is a mark of the file's order of bytes.
    shown = {
        "message": _read(candidate.message or b"", encoding),
        "author": b"'" + _read(encode_text(candidate.author), encoding),
        "committer": b"'" + _read(encode_text(candidate.committer), encoding),
        **{quote_path(path): b"'" + encode_text(path) for path in names},
    }
    for where, data in shown.items():
        for kind, line, character in find_added([], File(data), case.policy.reject_text):
            yield _finding(kind, f"{where}:{line}" if where == "message" else where, character)
    yield from _check_files(case)


def find_encoding(header: bytes) -> tuple[str, list[Finding]]:
    """Find the encoding in which git shows a commit, and what is wrong with the one it names.

    Known are those that every reader reads alike and that hide nothing but a soft hyphen.
    """
    named = [
        found.strip(b" \t").decode("ascii", "replace").lower()
        for found in re.findall(_ENCODING, header)
    ]
    odd = [name for name in named if name not in _ENCODINGS]
    what = "names the encoding {!r}: git shows another text"
    faults = [Finding("text", "header", what.format(name[:40]), _UTF8) for name in odd[:1]]
    if b"\0" in header:
        faults.append(_finding("nul", "header", "\0"))
    return next((name for name in named if name in _ENCODINGS), "utf-8"), faults


def _read(data: bytes, encoding: str) -> bytes:
    """Read what git shows of a text, as UTF-8."""
    is_utf8 = _ENCODINGS[encoding] == "utf-8"
    return data if is_utf8 else data.decode(_ENCODINGS[encoding], "replace").encode()


def _finding(kind: str, where: str, character: str) -> Finding:
    what = f"adds {_NAMES[kind]}, U+{ord(character):04X}"
    fix = "Remove it, or write it as an escape; the policy says so (reject_text)."
    return Finding("text", where, what, fix)


def _check_files(case: JudgedCommit) -> Iterator[Finding]:
    files = case.judged.files
    is_suspect = any(_is_suspect(hunk.new_text) for file in files for hunk in file.hunks)
    if case.judged.verdict is Verdict.STRICT and not is_suspect:
        return
    after = case.repository.snapshot(case.candidate.tree)
    before = [case.repository.snapshot(tree) for tree in case.parents]
    moved = {file.new_path: file.path for file in files}
    for change in case.changes:
        new = None if is_record(change.path) else after.get(change.path)
        if new is None:
            continue
        paths = sorted({change.path, moved.get(change.path) or change.path})
        found = (snapshot.get(path) for snapshot in before for path in paths)
        old = [file for file in found if file is not None]
        # Nobody ever read an image as text, say.
        stays_binary = all(b"\0" in file.data[:_SNIFFED] for file in (*old, new))
        if stays_binary and change.path not in moved:
            continue
        for kind, line, character in find_added(old, new, case.policy.reject_text):
            yield _finding(kind, f"{quote_path(change.path)}:{line}", character)


def _is_suspect(text: str) -> bool:
    """Whether a text holds anything that could be rejected; nearly all need no pattern for that."""
    is_plain = text.isascii() and "\0" not in text and "\r" not in text
    return not is_plain and re.search(_SUSPECT, text) is not None


@dataclass(frozen=True)
class _Suspect:
    """A character that is rejected, and a digest of its line up to it, without what is spelling."""

    line: int
    kind: str
    character: str
    beginning: bytes


def find_added(
    old: Sequence[File], new: File, kinds: Sequence[str]
) -> Iterator[tuple[str, int, str]]:
    """Find each kind that a commit adds to a file, its first line and the character.

    A character stays where its line does, or where a line in its place begins alike, up to it.
    Moved elsewhere it may hide what was seen before: from a string into code, say. In a file of
    very many suspects nobody counts.
    """
    text = decode_text(new.data)
    if not _is_suspect(text):
        return
    is_long = any(has_too_many_lines(file.data) for file in (*old, new))
    is_long = is_long or sum(1 for _ in re.finditer(_SUSPECT, text)) > MOST
    for kind in kinds:
        added = _list_suspects(new.data, kind)
        for file in () if is_long else old:
            added = _leave_out_known(file.data, new.data, added, kind)
        first = next(added, None)
        if first is not None:
            yield kind, first.line, first.character


def _list_suspects(data: bytes, kind: str) -> Iterator[_Suspect]:
    for number, line in _suspect_lines(data):
        text, beginning, done = re.sub(_SPELLING, "", line), sha256(b""), 0
        for found in re.finditer(KINDS[kind], text):
            beginning.update(encode_text(text[done : found.end()]))
            done = found.end()
            yield _Suspect(number, kind, found[0], beginning.digest())


def _leave_out_known(
    old: bytes, new: bytes, added: Iterable[_Suspect], kind: str
) -> Iterator[_Suspect]:
    """Leave out the characters that stayed: in lines that did, and at the beginning of others."""
    suspects = deque(added)
    before = deque(_list_suspects(old, kind) if suspects else ())
    for change in find_changes(Document(old).lines, Document(new).lines) if suspects else ():
        known = Counter(each.beginning for each in _take(before, change.old_start, change.old_end))
        for each in _take(suspects, change.new_start, change.new_end):
            known[each.beginning] -= 1
            if known[each.beginning] < 0:
                yield each


def _take(suspects: deque[_Suspect], start: int, end: int) -> Iterator[_Suspect]:
    """Take those of some lines, counted from 0, and drop those of lines before them."""
    while suspects and suspects[0].line <= end:
        each = suspects.popleft()
        if each.line > start:
            yield each


def _suspect_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines that may hold such characters, with their numbers; no other line is made."""
    text = decode_text(data.removeprefix(_BOM))
    number, done = 1, 0
    for found in re.finditer(f"(?:{_SUSPECT})[^\n]*", text):
        start = text.rfind("\n", 0, found.start()) + 1
        number += text.count("\n", done, start)
        done = start
        yield number, text[start : found.end()]
