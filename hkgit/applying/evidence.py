"""Find the evidence that ties an edit to content that was read.

One rule covers every kind of hash: it refers to a range of base lines, it must hold there, and
the range must cover the base lines that the edit touches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hkgit.edits import Read
from hkgit.errors import Near, Stale
from hkgit.text.document import Document, Lines
from hkgit.text.escape import quote_word
from hkgit.text.hashes import sha256
from hkgit.values import dataclass, replace

KINDS = ("hash", "receipt", "quote", "tag", "late", "none")
"""Every kind of evidence, in the order in which trailers count them."""

HASHED = ("hash", "receipt")
"""The kinds that tie an edit to what was read by a hash: those that a policy accepts by default."""

LATE = "late"  # The kind of what was read after the fact: it names lines, and shows no reading
CHECKED = (*HASHED, LATE)  # The kinds that come with a hash, which replay checks
RECOVERED = "recovered"
"""How a reading is shown that only a transcript reports: whoever has the file can write it."""

KNOWN = ("hash", "receipt", "tag", RECOVERED)
"""The kinds that show that lines were known when they were changed."""


def is_weak(kind: str) -> bool:
    """Whether a kind of evidence leaves open that an edit was written unseen: a quote, or less."""
    return kind not in KNOWN


STRONGEST_FIRST = (*KNOWN, *filter(is_weak, KINDS))
"""Every kind of evidence as it is shown."""


def is_blind(kind: str, accepted: Collection[str] = HASHED) -> bool:
    """Whether an edit with this kind of evidence is blind, where these kinds are accepted."""
    return kind not in accepted


@dataclass(frozen=True)
class Evidence:
    """The kind, the full hash, and the base lines it refers to.

    `lines` is None where the hash is that of each range the edit touches, or where there is none.
    """

    kind: str
    expected_hash: str | None = None
    lines: Lines | None = None


NONE = Evidence("none")
ABSENT = Evidence("hash")  # The evidence of creating a file: expected to be absent, and it is
NO_LINES = sha256(b"").hexdigest()  # The hash of a file without lines, and of one that is not there
LATE_ABSENT = Evidence(LATE, NO_LINES, (1, 0))  # The same after the fact


def is_empty(lines: Lines) -> bool:
    """Whether a range is a point between two lines."""
    return lines[0] > lines[1]


def join_touched(touched: Sequence[Lines]) -> Lines:
    """Join lines from the first to the last touched; for a point it is the line above it."""
    first, last = touched[0][0], touched[-1][1]
    return (first, last) if first <= last else (max(last, 1), max(last, 1))


def vouches(base: Document, lines: Lines) -> bool:
    """Whether the hash of a range says anything: that of the empty one does in an empty file."""
    return not is_empty(lines) or base.line_count == 0


def covers(lines: Lines, touched: Lines) -> bool:
    """Whether a range that was read vouches for one that is touched.

    A point between two lines is vouched for by either neighbour.
    """
    if is_empty(touched):
        return lines[0] <= touched[0] <= lines[1] + 1
    return lines[0] <= touched[0] and touched[1] <= lines[1]


def whole(base: Document) -> Lines:
    """Return the range of all lines of a document."""
    return 1, base.line_count


def find_holding_hash(base: Document, touched: Sequence[Lines], expected: str) -> Evidence | None:
    """Find the evidence of an expected hash (or its first 12 digits or more), or None.

    It may be the hash of the whole base file, or the one that all touched ranges share. An empty
    range has the same hash everywhere, so it vouches for nothing.
    """
    ranges = [lines for lines in touched if not is_empty(lines)]
    if ranges and all(base.range_hash(*lines).startswith(expected) for lines in ranges):
        return Evidence("hash", base.range_hash(*ranges[0]))
    if base.whole_hash.startswith(expected):
        return Evidence("hash", base.whole_hash, whole(base))
    return None


def find_holding_read(
    base: Document, touched: Sequence[Lines], reads: Iterable[Read]
) -> Evidence | None:
    """Find the first of the reads that still holds and covers everything touched, or None."""
    for read in reads:
        if read.start_line is None or read.end_line is None:
            found = find_holding_hash(base, touched, read.range_hash)
            if found is not None:
                return replace(found, kind=read.kind)
            continue
        lines = read.start_line, read.end_line
        is_known = read_holds(base, read) and vouches(base, lines)
        if is_known and all(covers(lines, each) for each in touched):
            return Evidence(read.kind, base.range_hash(*lines), lines)
    return None


def read_holds(base: Document, read: Read) -> bool:
    """Whether the lines that a read names still have the hash they had; True without lines."""
    if read.start_line is None or read.end_line is None:
        return True
    if not 1 <= read.start_line <= read.end_line + 1 <= base.line_count + 1:
        return False
    return base.range_hash(read.start_line, read.end_line).startswith(read.range_hash)


def refuse_stale_hash(base: Document, path: str, touched: Sequence[Lines], expected: str) -> Stale:
    """Build the error for an expected hash that neither these lines nor the whole file have."""
    first, last = touched[0]
    where = f"{path}:{first}-{last}"
    return Stale(
        where,
        f"expected hash {expected[:12]} is neither that of these lines nor of the whole file",
        f"Read them again (`hkgit read {quote_word(where)}`) and write the edit against that.",
        Near(first, last),
    )
