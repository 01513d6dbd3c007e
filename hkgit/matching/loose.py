"""Find the place of an edit by the tiers that want most of its old text.

How much of that has to be at a place is one rule: `docs/contract.md` states it as C92.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise

from hkgit.edits import decode_text
from hkgit.errors import Conflict
from hkgit.matching import advice, repetition
from hkgit.matching.alignment import Alignment, find_candidates, find_tier, weigh
from hkgit.matching.guards import PROSE
from hkgit.matching.place import FULL, Located, Place
from hkgit.matching.quotation import Quotation, find_level, indent_of, is_telling, make_key
from hkgit.matching.search import Search, settle, vouch_for_none

_MOST_WORDS = 5  # So many places are looked for by words at most


def find_loosely(search: Search) -> Located | None:
    """Find the place by the tiers that want most of the old text; None where it is nowhere.

    Of the readings, repaired or not, that counts of which most is at one place of the file.
    Before, it is seen to that the change has not been made already.
    """
    search = max([search, *search.list_variants()], key=_agreement)
    quote = search.quote
    _refuse_applied(search, repetition.find_place_of_new(quote))
    places = find_candidates(quote)
    if any(place.similarity >= search.threshold for place in places):
        _refuse_applied(search, repetition.find_rival(quote, places[0]))
        found = settle(search, find_tier(places), places)
        is_like = found.similarity >= search.threshold
        return found if is_like and _is_shown(search, found.places[0]) else None
    places = _find_owned(search)
    return settle(search, "line-block", places) if len(places) == 1 else None


def _agreement(search: Search) -> tuple[int, int]:
    found = find_candidates(search.quote)
    return (found[0].agreement, found[0].similarity) if found else (0, 0)


def _find_owned(search: Search) -> tuple[Place, ...]:
    """Find the lines whose very hash or receipt is given, and of which none is quoted as it is."""
    if search.vouches is vouch_for_none or find_candidates(search.quote):
        return ()
    places = advice.find_by_words(search.quote, _MOST_WORDS)
    return tuple(place for place in places if _is_owned(search, place))


def _is_owned(search: Search, place: Place) -> bool:
    """Whether a hash or a receipt of that very place is given, and nothing quotes another block."""
    alignment = Alignment(search.quote, place.targets)
    return search.owns(place) and not _is_of_another_block(alignment)


def _is_shown(search: Search, place: Place) -> bool:
    """Whether enough of the old text is at a place, or a hash or a receipt of that very place.

    Raises AlreadyApplied and Conflict, where the file has what the new lines say, or not a name
    that they use.
    """
    alignment = Alignment(search.quote, place.targets)
    if not has_evidence(alignment) and not _is_owned(search, place):
        return False
    _refuse_applied(search, repetition.find_added(alignment))
    check_names(alignment)
    return True


def _refuse_applied(search: Search, place: Place | None) -> None:
    """Raise AlreadyApplied where the new text is at a place."""
    if place is not None:
        raise advice.refuse_applied(search.quote, place)


ENOUGH = 800  # So much of the weight of a quotation, per mille, has to be found
FEW = 2  # A quotation of so many telling lines has to be found whole
SHORT = 4  # From so many letters on a word may have a slip
REMARK = (b"# ", b"#:", b"//", b"/*", b"* ", b"-- ", b"<!--")
"""What a line begins with that says something to people only."""

OPENERS = (b":", b"{", b"(", b"[", b">")
"""What a line ends with that opens a block."""

_AT_THE_END = rb"(?<=\S)\s+(?:#|//|/\*|--\s|<!--).*"
"""A remark behind what a line says."""

_WORD = r"\w+|[^\w\s]"
_JOINED = rb"[A-Za-z_]\w*(?:[.-]\w+)*"
_IDENTITY = (
    rb"(?i:(?:- )?['\"]?(?:name|id|key|title|slug|uuid)['\"]?\s*[:=](?!=)"
    rb"|<(?:\w*name|\w*id|key|title)>)"
)
"""A line that names the record that it is in."""

_NAMES = (
    rb"(?:\w+ )*(?:def|class|func|fn|function|interface|struct|enum|trait|type|module) "
    rb"|\[[\w.]+\]$|['\"]?[\w.#-]+['\"]?:(?: [{\[])?$|[.#][\w.-]+ ?\{$|" + _IDENTITY
)
"""A line that names the block below it, or its record."""


def is_found(old: bytes, here: bytes, *, opens: bool = False) -> bool:
    """Whether a line is a quoted one, but for whitespace, typography, a remark and a slip in a
    word.

    Where it `opens` a block and names it, one letter makes another block.
    """
    # The two kinds of straight quotes are typography here.
    old, here = (line.replace(b'"', b"'") for line in (old, here))
    if make_key(old) == make_key(here) or _drop_remark(old) == _drop_remark(here):
        return True
    if opens and re.match(_NAMES, old.strip()):
        return False
    a, b = (re.findall(_WORD, decode_text(line)) for line in (old, here))
    pairs = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
    return len(a) == len(b) and len(pairs) == 1 and _is_slip(*pairs[0])


def _drop_remark(line: bytes) -> bytes:
    """The key of a line without a remark at its end."""
    return make_key(re.sub(_AT_THE_END, b"", line))


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter of a word is another; digits are no slip, but another value."""
    if re.findall(r"\d|\W", word) != re.findall(r"\d|\W", other):
        return False
    # Few edits have slips.
    from rapidfuzz.distance import OSA

    letters = min(sum(map(str.isalpha, each)) for each in (word, other))
    return letters >= SHORT and OSA.distance(word, other) <= 1


def has_evidence(alignment: Alignment) -> bool:
    """Whether enough of a quotation is at its counterparts for them to be the place meant."""
    quote = alignment.quote
    lines, keys = quote.keys, quote.old_keys
    rows = [row for row, key in enumerate(keys) if key]
    telling = [i for i in rows if is_telling(keys[i])]
    says = telling
    if not quote.edit.path.lower().endswith(PROSE):
        says = [i for i in telling if not quote.old_lines[i].strip().startswith(REMARK)]
    opening = next(iter(says or telling), None)
    if opening is None:
        return False
    headings = _find_headings(quote)
    missing = [i for i in rows if not _stands(alignment, i, i == opening or i in headings)]
    if any(i not in telling and _is_at_change(quote, i) for i in missing):
        return False  # A bracket where the change is says what block that is in
    if opening in missing:
        # Another opening line is another block; one that opens none may be a slip as any other.
        is_slip = len(missing) == 1 and len(telling) > FEW + 1
        if not is_slip or _opens_block(quote.old_lines, telling, opening):
            return False
    if _is_of_another_block(alignment):
        return False
    if len(telling) <= FEW:
        return not missing
    known = set(keys)
    often = Counter(line for line in lines if line in known)
    # Of a line that the file has often little follows.
    weights = {i: FULL * weigh(keys[i]) // max(often[keys[i]], 1) for i in rows}
    lost = sum(weights[i] for i in missing)
    there = sum(weights.values()) - lost
    # Lines that the author does not know part what is found: the rest is of another block.
    if len(alignment.list_unknown()) > len(missing) + FEW:
        return False
    if len(missing) == 1:
        # One line may be misquoted, and so weighs half, or be one that the file never had.
        if missing[0] in alignment.pairs:
            lost //= 2
        elif rows[0] < missing[0] < rows[-1] and not _find_spots(alignment, missing[0]):
            lost = 0
    return there * FULL >= (there + lost) * ENOUGH


def _is_of_another_block(alignment: Alignment) -> bool:
    """Whether another line than the quoted one opens the block of a change, or one more does."""
    headings = _find_headings(alignment.quote)
    lost = (row for row in headings if not _stands(alignment, row, True))
    return any(_find_spots(alignment, row) for row in lost) or _is_nested(alignment)


def _find_headings(quote: Quotation) -> set[int]:
    """Find the old lines that open a block in which something changes, or name a record."""
    old = quote.old_lines
    found = {row for row, line in enumerate(old) if re.match(_IDENTITY, line.strip())}
    for change in quote.changes:
        changed = (
            *old[change.old_start : change.old_end],
            *quote.new_lines[change.new_start : change.new_end],
        )
        depth = min((len(indent_of(line)) for line in changed if line.strip()), default=0)
        for row in reversed(range(change.old_start)):
            own = len(indent_of(old[row]))
            opens = own < depth or (own == depth and find_level(old[row], quote.edit.path))
            if opens and is_telling(quote.old_keys[row]):
                depth = own
                found.add(row)
    return found


def _is_nested(alignment: Alignment) -> bool:
    """Whether a line that the author does not know opens a block around lines of the old text."""
    lines, old = alignment.quote.lines, alignment.quote.old_lines

    def measure_move(row: int, target: int) -> int:
        return len(indent_of(lines[target])) - len(indent_of(old[row]))

    unknown = alignment.list_unknown()
    return any(
        above < line < below
        and len(indent_of(lines[line])) < len(indent_of(lines[below]))
        and measure_move(i, above) < measure_move(j, below)
        for (i, above), (j, below) in pairwise(alignment.pairs.items() if unknown else ())
        for line in unknown
    )


def _is_at_change(quote: Quotation, row: int) -> bool:
    """Whether an old line is replaced, or the first beside a change that is not blank."""

    between = (
        (row + 1, change.old_start) if row < change.old_start else (change.old_end, row)
        for change in quote.changes
    )
    return not all(any(quote.old_keys[first:end]) for first, end in between)


def check_names(alignment: Alignment) -> None:
    """Raise Conflict where new lines use a name that the file has not, but where it is quoted.

    Somebody renamed the thing since the author read the file, or the author misremembers its name.
    """
    quote = alignment.quote
    used = {name for i in quote.added for name in _list_names(quote.new_lines[i])}
    for row, target in alignment.pairs.items() if used else ():
        old = quote.old_lines[row]
        if old.strip().startswith(REMARK):
            continue
        other = _list_names(old) - _list_names(quote.lines[target])
        for name in sorted(other & used):
            if not any(name in _list_names(line) for line in quote.lines if name[1:] in line):
                raise Conflict(
                    f"{quote.edit.path}:{target + 1}",
                    f"the new lines use {name.decode()!r}, a name that this line does not have, but"
                    " the old text has",
                    "Read the file again and use the names that it has now.",
                )


def _list_names(line: bytes) -> set[bytes]:
    """The names of a line as `a`, `a.b` and `.b`, where `.` or `-` joins them."""
    names = set()
    for whole in re.findall(_JOINED, line):
        parts = re.split(rb"([.-])", whole)
        names |= {b"".join(parts[:end]) for end in range(1, len(parts) + 1, 2)}
        names |= {b"." + part for part in parts[2::2]}
    return names


def _opens_block(old: Sequence[bytes], telling: Sequence[int], row: int) -> bool:
    """Whether an old line opens the block in which the telling one below it is."""
    line = old[row].rstrip()
    below = next((old[i] for i in telling if i > row), b"")
    is_deeper = len(indent_of(below)) > len(indent_of(line))
    return is_deeper or line.endswith(OPENERS) or re.match(_NAMES, line.strip()) is not None


def _stands(alignment: Alignment, row: int, opens: bool) -> bool:
    """Whether an old line is a line of the file, or two of them written as one."""
    quote = alignment.quote
    lines, target = quote.keys, alignment.targets[row]
    spots = _find_spots(alignment, row)
    if quote.old_keys[row] in (lines[first] + lines[second] for first, second in pairwise(spots)):
        return True
    alone = spots if target is None else [target]
    return any(is_found(quote.old_lines[row], quote.lines[i], opens=opens) for i in alone)


def _find_spots(alignment: Alignment, row: int) -> list[int]:
    """Find the lines that may be an old one: its counterpart with those around it.

    Where it has none, those between the counterparts of its neighbours, or beside the only one.
    """
    lines, keys, targets = alignment.quote.keys, alignment.quote.old_keys, alignment.targets
    target = targets[row]
    if target is not None:
        return [*range(max(target - 1, 0), min(target + 2, len(lines)))]
    above = next((targets[i] for i in range(row - 1, -1, -1) if keys[i]), None)
    below = next((targets[i] for i in range(row + 1, len(keys)) if keys[i]), None)
    if above is None:
        upwards = range(below or 0)[::-1]
        return [*islice((i for i in upwards if lines[i]), 2)][::-1]
    says = (i for i in range(above + 1, len(lines) if below is None else below) if lines[i])
    return [*(islice(says, 2) if below is None else says)]
