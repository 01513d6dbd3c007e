"""Replace names of the author's by those that the file has in their place.

Somebody renamed a thing since the author read the file, or the author misremembers its name. The
old text then names it in lines that stand in the file but for the name; lines that the author
adds would bring the old name back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hkgit.errors import Conflict
from hkgit.matching.candidates import find_candidates
from hkgit.matching.place import Place
from hkgit.matching.view import EditLines, FileLines
from hkgit.matching.weight import REMARK
from hkgit.text.diff import find_changes
from hkgit.values import dataclass, field

NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*|[0-9.]+|\s+|.", re.DOTALL)
TELLING = re.compile(rb".*(?:_|[a-z][A-Z]|[0-9])")  # A word that is a name and not prose
SHORTEST = 3  # A shorter name stands for too many things to be carried over
LITERALS = frozenset({b"True", b"False", b"None", b"true", b"false", b"null", b"nil", b"undefined"})


@dataclass(slots=True)
class _Name:
    """What the file has where the author has one name, and in which old lines.

    It is prose, and may be reworded, where it stands in remarks only.
    """

    here: set[bytes] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)
    is_prose: bool = True


def find_renames(view: FileLines, wanted: EditLines, path: str) -> tuple[str, ...]:
    """Find the repairs that carry the file's names into the edit.

    Only names that the file has not at all are replaced, and only if the best candidate has one
    and the same other name for all of them, which the author does not use. Raises Conflict where
    the author's new lines use a name that is another one in the file, but not surely.
    """
    found = find_candidates(view, wanted)
    if not found:
        return ()
    words = set(NAME.findall(wanted.old + b"\n" + wanted.new))
    repairs = []
    for name, seen in sorted(_names(view, wanted, found[0]).items()):
        is_reworded = seen.is_prose and len(seen.rows) == 1
        if is_reworded or not _matters(wanted, name) or _stands(view, name):
            continue
        other = min(seen.here)
        if len(seen.here) == 1 and other not in words and _is_sure(wanted, name, other, seen.rows):
            repairs.append(f"renamed {name.decode()} to {other.decode()}")
        elif not seen.rows & wanted.removed:
            raise Conflict(
                path,
                f"the file says {other.decode()!r} where the edit says {name.decode()!r}, which "
                "its new lines use too",
                "Read the file again and use the names that it has now.",
            )
    return tuple(repairs)


def _names(view: FileLines, wanted: EditLines, best: Place) -> dict[bytes, _Name]:
    """The author's names that are others in the file somewhere at the best candidate."""
    names: dict[bytes, _Name] = {}
    for row, target in enumerate(best.targets):
        if target is None:
            continue
        is_remark = wanted.old_lines[row].strip().startswith(REMARK)
        for name, other in _pairs(wanted.old_lines[row], view.lines[target]):
            seen = names.setdefault(name, _Name())
            seen.here.add(other)
            seen.rows.add(row)
            seen.is_prose = seen.is_prose and is_remark
    return {name: seen for name, seen in names.items() if seen.here != {name}}


def _pairs(old: bytes, here: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The names of a line, each with what stands in its place in the file."""
    a, b = TOKEN.findall(old), TOKEN.findall(here)
    at = 0
    for change in find_changes(a, b):
        yield from _names_of(a[at : change.old_start])
        is_single = change.old_end - change.old_start == 1 == change.new_end - change.new_start
        pair = (a[change.old_start], b[change.new_start]) if is_single else ()
        if len(pair) == 2 and all(NAME.fullmatch(each) and each not in LITERALS for each in pair):
            yield pair
        at = change.old_end
    yield from _names_of(a[at:])


def _names_of(tokens: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Names that are the same on both sides."""
    return ((token, token) for token in tokens if NAME.fullmatch(token))


def _matters(wanted: EditLines, name: bytes) -> bool:
    """Whether the author's own lines, removed or new, have a name."""
    rows = [wanted.old_lines[i] for i in wanted.removed]
    rows += [wanted.new_lines[i] for i in wanted.added]
    return any(name in NAME.findall(line) for line in rows)


def _stands(view: FileLines, name: bytes) -> bool:
    """Whether the file has a name anywhere."""
    return re.search(rb"(?<![A-Za-z0-9_])%s(?![A-Za-z0-9_])" % name, view.document.data) is not None


def _is_sure(wanted: EditLines, name: bytes, other: bytes, rows: set[int]) -> bool:
    """Whether lines enough show that one name is another one, and not another value."""
    if min(len(name), len(other)) < SHORTEST:
        return False
    digits = re.compile(rb"[0-9]+")
    if digits.sub(b"", name) == digits.sub(b"", other):
        return False
    if len(rows) > 1:
        return True
    is_telling = TELLING.match(name) or TELLING.match(other)
    return bool(is_telling) and not rows & wanted.removed
