"""Weigh how much of a quotation stands at a place.

The one rule by which a place that is not the old text line by line may be the one that is meant:
`docs/contract.md` states it as C92.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hkgit.edits import decode_text
from hkgit.matching.alignment import Targets, weigh
from hkgit.matching.guards import PROSE
from hkgit.matching.place import FULL
from hkgit.matching.view import EditLines, FileLines, is_telling, list_keys, make_key
from hkgit.values import late_pattern

ENOUGH = 800  # So much of the weight of a quotation, per mille, has to be found
FEW = 2  # A quotation of so many telling lines has to be found whole
SHORT = 4  # From so many letters on a word may have a slip
REMARK = (b"# ", b"#:", b"//", b"/*", b"* ", b"-- ", b"<!--")
"""What a line begins with that says something to people only."""

_WORD = late_pattern(r"\w+|[^\w\s]")
_NAMES = late_pattern(
    rb"(?:\w+ )*(?:def|class|func|fn|function|interface|struct|enum|trait|type|module) "
    rb"|\[[\w.]+\]$|['\"]?[\w.#-]+['\"]?:(?: [{\[])?$|[.#][\w.-]+ ?\{$"
)
"""A line that names the block below it."""


def is_found(old: bytes, here: bytes, *, opens: bool = False) -> bool:
    """Whether a line is a quoted one, but for blanks, typography and a slip in one word.

    Where it `opens` a quotation and names a block, one letter makes another block.
    """
    # The two kinds of straight quotes are typography here.
    old, here = (line.replace(b'"', b"'") for line in (old, here))
    if make_key(old) == make_key(here):
        return True
    if opens and _NAMES.match(old.strip()):
        return False
    a, b = (_WORD.findall(decode_text(line)) for line in (old, here))
    pairs = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
    return len(a) == len(b) and len(pairs) == 1 and _is_slip(*pairs[0])


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter of a word is another; digits are no slip, but another value."""
    if re.findall(r"\d|\W", word) != re.findall(r"\d|\W", other):
        return False
    # Few edits have slips.
    from rapidfuzz.distance import OSA

    letters = min(sum(map(str.isalpha, each)) for each in (word, other))
    return letters >= SHORT and OSA.distance(word, other) <= 1


def has_evidence(
    view: FileLines, wanted: EditLines, targets: Targets, path: str, renames: Sequence[str] = ()
) -> bool:
    """Whether enough of a quotation stands at `targets` for them to be the place that is meant.

    `wanted` is the edit as it was written, `renames` are the named repairs that carry the file's
    names into it.
    """
    lines, keys = list_keys(view, wanted)
    rows = [row for row, key in enumerate(keys) if key]
    telling = [i for i in rows if is_telling(keys[i])]
    opening = telling[:1]
    if not path.lower().endswith(PROSE):
        remarks = {i for i in telling if wanted.old_lines[i].strip().startswith(REMARK)}
        opening = [i for i in telling if i not in remarks][:1] or opening
    exact = {i: _stands(view, wanted, targets, i, lines, keys, i in opening) for i in rows}
    renamed = {i for i in rows if _is_renamed(view, wanted, targets[i], i, renames)}
    found = {i: exact[i] or i in renamed for i in rows}
    # Other names in the opening line are another block, unless the lines below it have them too.
    if not opening or not (exact[opening[0]] or (opening[0] in renamed and len(renamed) > FEW)):
        return False
    if len(telling) <= FEW:
        return all(found.values())
    known = set(keys)
    often = Counter(line for line in lines if line in known)
    # Of a line that the file has often little follows.
    weights = {i: FULL * weigh(keys[i]) // max(often[keys[i]], 1) for i in rows}
    missing = [i for i in rows if not found[i]]
    lost = sum(weights[i] for i in missing)
    there = sum(weights.values()) - lost
    hit = [t for t in targets if t is not None]
    between = set(range(hit[0], hit[-1])).difference(hit)
    # Lines that the author does not know part what is found: the rest is of another block.
    if sum(1 for t in between if lines[t]) > len(missing) + FEW:
        return False
    if len(missing) == 1 and _is_alone(lines, targets, rows, missing[0]):
        lost //= 2
    return there * FULL >= (there + lost) * ENOUGH


def _stands(
    view: FileLines,
    wanted: EditLines,
    targets: Targets,
    row: int,
    lines: Sequence[bytes],
    keys: Sequence[bytes],
    opens: bool,
) -> bool:
    """Whether an old line is a line of the file, or two of them written as one."""
    target = targets[row]
    if target is None:
        return False
    joined = (b"".join(lines[first : first + 2]) for first in (max(target - 1, 0), target))
    return keys[row] in joined or is_found(wanted.old_lines[row], view.lines[target], opens=opens)


def _is_renamed(
    view: FileLines, wanted: EditLines, target: int | None, row: int, renames: Sequence[str]
) -> bool:
    """Whether one new name makes an old line that of the file."""
    if target is None or not renames:
        return False
    from hkgit.matching.repairs import repair_texts

    line = wanted.old_lines[row]
    return any(
        make_key(repair_texts(name, line, b"")[0]) == make_key(view.lines[target])
        for name in renames
    )


def _is_alone(lines: Sequence[bytes], targets: Targets, rows: Sequence[int], row: int) -> bool:
    """Whether an old line has a counterpart, or nothing stands in its place."""
    at = rows.index(row)
    if targets[row] is not None or not 0 < at < len(rows) - 1:
        return targets[row] is not None
    first, after = targets[rows[at - 1]], targets[rows[at + 1]]
    return first is not None and after is not None and not any(lines[first + 1 : after])
