"""The change from old to new text, made in the lines of the file.

A line is words, each with the whitespace before it. Words are compared without them, so that a
change of whitespace and a change of words right beside it stay two changes.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile

from hkgit.edits import decode_text, encode_text
from hkgit.errors import Conflict
from hkgit.matching.alignment import Alignment, Lines, Targets, align
from hkgit.matching.indent import Indentation, learn, measure_width
from hkgit.matching.place import Located, Place
from hkgit.matching.quotation import INDENT, Quotation, indent_of, make_key
from hkgit.matching.strict import Piece, find_pieces
from hkgit.text.diff import LineChange, find_common, list_changes
from hkgit.text.document import Splice
from hkgit.values import dataclass, replace

Word = tuple[str, str]  # Whitespace, and what is after them
WORD = "(\\s*)([\\w\u0300-\u036f]+|\\S)"


def merge_line(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Write `theirs`, with what it has in common with `base` spelt as in `ours`.

    `base` and `ours` differ in whitespace and typography at most, so where both sides changed the
    same word, or the whitespace before it, the author's are taken.
    """
    old, mine, author = map(_split_words, (base, ours, theirs))
    common = _find_common_words(old, author)
    wanted = list_changes(common, len(old), len(author))
    spelt = _spell_as_file(old, mine, wanted)
    kept = {number: row for row, number in common}
    # New words come in place of the whitespace before the word that they replace or precede.
    near = kept | {c.new_start: c.old_start for c in wanted if c.new_start < c.new_end}
    merged = ""
    for number, (blanks, word) in enumerate(author):
        row = near.get(number)
        is_same = row is not None and blanks == old[row][0]
        merged += spelt[row][0] if row is not None and is_same else blanks
        merged += spelt[kept[number]][1] if number in kept else word
    return encode_text(merged)


def _split_words(line: bytes) -> list[Word]:
    """The words of a line; the last one is the empty one at its end."""
    text = decode_text(line)
    return [*re.findall(WORD, text), (text[len(text.rstrip()) :], "")]


def _find_common_words(old: Sequence[Word], new: Sequence[Word]) -> list[tuple[int, int]]:
    return find_common([word for _, word in old], [word for _, word in new])


def _spell_as_file(
    old: Sequence[Word], mine: Sequence[Word], wanted: Sequence[LineChange]
) -> list[Word]:
    """The old words as the file spells them, but for those that the author changed.

    Of several words that the file has as another number of words, the first represents all.
    """
    spelt = list(old)
    common = dict(_find_common_words(old, mine))
    for change in list_changes([*common.items()], len(old), len(mine)):
        start, end, after = change.old_start, change.old_end, change.new_end
        if start == end:  # what only the file has belongs to the word after it
            end, after = end + 1, after + 1
        rows = range(start, end)
        for row in rows:
            common.pop(row, None)
        if any(start < c.old_end and c.old_start < end for c in wanted):
            continue
        here = mine[change.new_start : after]
        text = "".join(blanks + word for blanks, word in here)
        first = here[0][0] if here else ""
        spelt[start:end] = [(first, text[len(first) :])] + [("", "")] * (len(rows) - 1)
    for row, number in common.items():
        spelt[row] = mine[number]
    return spelt


BELOW = 20
OPENS = rb".*(?:[:{(\[\\=]|=>)$|(?:if|for|while|else if) ?\(.*\)$|else$|(?:let|const|var) .*,$"
"""A line that makes one expect a deeper line after it."""

CLOSERS = (b"}", b")", b"]", b"else", b"elif ", b"except", b"finally")
"""What a line begins with that ends the block above it."""


def indent_quotation(quote: Quotation, place: Place) -> Quotation:
    """Give the new lines of an edit the whitespace before its place, if its author left them out.

    Raises Conflict where it cannot be told how far they are to be indented.
    """
    data, offsets = quote.document.data, quote.document.offsets
    before = data[offsets[quote.document.line_at(place.start) - 1] : place.start]
    if before.strip() or b"\n" in quote.old.rstrip():
        return quote
    first, last = quote.document.lines_of(place.start, place.end)
    lines, below = quote.new.split(b"\n"), _depth_below(quote, last)
    shift = _shift(before, quote.old.rstrip(), lines, below, f"{quote.edit.path}:{first}")
    further = (shift + line if line.strip() else line for line in lines[1:])
    new = b"\n".join((lines[0], *further))
    return replace(quote, new=new)


def add_margin(quote: Quotation, targets: Targets) -> Quotation:
    """Give an edit the indentation that its first line has lost, if that line alone has.

    That is so where the others are indented as in the file. Where there are no others, or all
    are indented otherwise, the new text is left to what the lines show.
    """
    old, new = quote.old_lines, quote.new_lines
    first = targets[0] if targets else None
    if first is None or not old[0] or indent_of(old[0]) or not new:
        return quote
    margin, where = indent_of(quote.lines[first]), f"{quote.edit.path}:{first + 1}"
    if not margin:
        return quote
    others = [
        indent_of(old[i]) == indent_of(quote.lines[t])
        for i, t in enumerate(targets)
        if i and t is not None and old[i].strip()
    ]
    if indent_of(new[0]) == margin and all(others):
        # The new text has the indentation that the old one has lost, unless a line that stays has
        # lost it too.
        stays = (line for line in new if line.strip() == old[0].strip())
        if not others and any(len(indent_of(line)) < len(margin) for line in stays):
            raise _refuse_undecided(where)
        return replace(quote, old=margin + quote.old)
    if not others:
        others = [not _shift(margin, old[0], new, _depth_below(quote, first + 1), where)]
    if not all(others):
        return quote
    return replace(quote, old=margin + quote.old, new=margin + quote.new)


def _depth_below(quote: Quotation, last: int) -> int:
    """How deep what is below line `last`, counted from 1, is indented."""
    below = next((line for line in quote.lines[last : last + BELOW] if line.strip()), b"")
    return measure_width(indent_of(below))


def _shift(before: bytes, old: bytes, lines: Sequence[bytes], below: int, where: str) -> bytes:
    """What has to be before every new line but the first.

    An agent that leaves out the indentation of the one old line may have left it out of all
    lines, or of the first alone. Below an opening line the next one is deeper than the old line,
    or its bracket ends no less deep: then only the first has lost it. Elsewhere all have where
    the old line is among the new ones less deep than in the file. No indentation at all means
    that of the first line where what follows in the file is indented, for nothing but an opening
    line could be before it.
    """
    margin = indent_of(before)
    further = [line for line in lines[1:] if line.strip()]
    if not margin or not further:
        return b""
    depths = [measure_width(indent_of(line)) for line in further]
    own = measure_width(indent_of(old))
    edge, depth = measure_width(margin + indent_of(old)), depths[0]
    opens = re.match(OPENS, lines[0].strip())
    if opens and depth:
        is_closed = further[-1].lstrip().startswith(CLOSERS[:3]) and depths[-1] >= edge
        is_closed = is_closed and not lines[0].rstrip().endswith(b":")
        return b"" if depth > edge or is_closed else margin
    quoted = [d for d, line in zip(depths, further, strict=True) if line.strip() == old.strip()]
    is_quoted = bool(quoted) and quoted[0] < edge
    is_left = below > 0 and min(depths) <= own and not depth > edge
    ends = further[0].lstrip().startswith(CLOSERS) and not opens
    can_be_either = (is_left and depth == edge) or (own < depth < edge <= below and not ends)
    can_be_either = can_be_either and not is_quoted and not (is_left and depth < edge)
    if can_be_either or (depth <= own and (ends or not (below or is_quoted))):
        raise _refuse_undecided(where)
    return margin if depth <= own or is_quoted or is_left else b""


def _refuse_undecided(where: str) -> Conflict:
    return Conflict(
        where,
        "the old text begins inside a line, and it cannot be told how far the further new lines "
        "are to be indented",
        "Quote whole lines with their indentation, in the old text and in the new one.",
    )


NEAR = 200  # So many lines above and below a place show the file's unit of indentation


@dataclass(frozen=True)
class LineIndents(Alignment):
    """How the new lines of an edit are indented where its old lines are."""

    def indent(self, number: int) -> bytes:
        """Find the file's indentation for new line `number`.

        Where the line alone does not decide, that is what the nearest line has which both sides
        have and the author indents alike; where two are as near, they have to agree. Without one
        it follows from the other lines. Raises Conflict where two readings are as good, or none is.
        """
        indent, changes = indent_of(self.quote.new_lines[number]), self.quote.changes
        if self._is_as_file:
            return indent
        change = changes[bisect(changes, number, key=lambda each: each.new_start) - 1]
        row = change.old_start + number - change.new_start
        is_even = change.old_end - change.old_start == change.new_end - change.new_start
        if self._is_flat and is_even and row in self._known:
            return self._here(row)
        if self._is_flat or change in self._undecided:
            raise _refuse_indentation(f"{self.quote.edit.path}:{self.found[0] + 1}")
        kept = self._kept.get(indent, [])
        at = bisect(kept, (number, b""))
        close = kept[max(at - 1, 0) : at + 1]
        near = min((abs(n - number) for n, _ in close), default=0)
        beside: set[bytes | None] = {here for n, here in close if abs(n - number) == near}
        beside = beside or {self._indentation.of(indent)}
        found = beside.pop() if len(beside) == 1 else None
        if found is None:
            raise _refuse_indentation(self.quote.edit.path)
        return found

    @cached_property
    def _known(self) -> dict[int, int]:
        """The old lines that say something and are in the file, each with its line there."""
        return {i: t for i, t in self.pairs.items() if self.quote.old_lines[i].strip()}

    def _here(self, row: int) -> bytes:
        """The file's indentation of an old line that is in it."""
        return indent_of(self.quote.lines[self._known[row]])

    def _author(self, row: int) -> bytes:
        """The author's of it."""
        return indent_of(self.quote.old_lines[row])

    @cached_property
    def _is_as_file(self) -> bool:
        """Whether the old text is indented otherwise than the file, and the new one as the file.

        Lines that both texts have show the author's own frame for both.
        """
        kept = self._known.keys() - self.quote.removed
        if any(self._author(i) != self._here(i) for i in kept):
            return False
        return self._stands_as_file([*self._known], _list_indents(self.quote.new_lines))

    @cached_property
    def _is_flat(self) -> bool:
        """Whether the old lines are quoted at one depth, and are in the file at several."""
        author, here = ({of(i) for i in self._known} for of in (self._author, self._here))
        return len(author) == 1 < len(here) and not self.list_unknown()

    @cached_property
    def _undecided(self) -> frozenset[LineChange]:
        return frozenset(filter(self._is_undecided, self.quote.changes))

    def _is_undecided(self, change: LineChange) -> bool:
        """Whether the new lines of a change may be indented as the file's, or as the author's.

        They may where they are deeper than the old ones; at less depth the author may go on.
        """
        rows = [i for i in self._known if change.old_start <= i < change.old_end]
        added = self.quote.new_lines[change.new_start : change.new_end]
        if not rows:
            return self._is_sibling(added)
        indents = _list_indents(added)
        old, new = _find_least(map(self._author, rows)), _find_least(indents)
        is_deeper = measure_width(new or b"") > measure_width(old or b"")
        return is_deeper and self._stands_as_file(rows, indents)

    def _stands_as_file(self, rows: Sequence[int], indents: Sequence[bytes]) -> bool:
        """Whether new lines are as deep as the file's, and the old ones are not."""
        here = _find_least(map(self._here, rows))
        return _find_least(map(self._author, rows)) != here == _find_least(indents)

    def _is_sibling(self, added: Sequence[bytes]) -> bool:
        """Whether a paragraph is added that begins as a line of the old text does.

        And it is as deep as that is in the file, though not as deep as it is quoted.
        """
        first = next((line for line in added if line.strip()), None)
        if first is None or all(line.strip() for line in (added[0], added[-1])):
            return False
        return any(
            self.quote.old_lines[i].split()[0] == first.split()[0]
            and indent_of(first) == self._here(i) != self._author(i)
            for i in self._known
        )

    @cached_property
    def _indentation(self) -> Indentation:
        lines, old = self.quote.keys, self.quote.old_keys
        rows = [(i, t) for i, t in self.pairs.items() if lines[t] == old[i]]
        if not any(indent_of(self.quote.old_lines[i]) for i, _ in rows):
            rows = [*self.pairs.items()]
        if self._keeps_margins(rows):
            rows = [(i, t) for i, t in rows if i not in self.quote.removed]
        pairs = [(self.quote.old_lines[i], self.quote.lines[t]) for i, t in rows]
        middle = rows[0][1] if rows else 0
        near = self.quote.lines[max(middle - NEAR, 0) : middle + NEAR]
        return learn(pairs, [*self.quote.old_lines, *self.quote.new_lines], near)

    @cached_property
    def _kept(self) -> dict[bytes, list[tuple[int, bytes]]]:
        """By the author's indentation, the places of old lines in the new text and the file's.

        Those are the lines that stay, and those that a new one replaces.
        """
        kept: dict[bytes, list[tuple[int, bytes]]] = {}
        lines, old = self.quote.keys, self.quote.old_keys
        numbers = dict(self.quote.common)
        for c in self.quote.changes:
            rows = range(c.old_start, c.old_end)
            numbers |= {i: min(i - c.old_start + c.new_start, c.new_end - 1) for i in rows}
        for i, target in self.pairs.items():
            if old[i] and lines[target] == old[i]:
                here = numbers[i], indent_of(self.quote.lines[target])
                kept.setdefault(indent_of(self.quote.old_lines[i]), []).append(here)
        return kept

    def _keeps_margins(self, rows: Sequence[tuple[int, int]]) -> bool:
        """Whether the context is indented as the author has it; then other whitespace is a
        change."""
        margins = {
            (indent_of(self.quote.old_lines[i]), indent_of(self.quote.lines[t]))
            for i, t in rows
            if i not in self.quote.removed and self.quote.old_lines[i].strip()
        }
        return any(a for a, _ in margins) and all(a == b for a, b in margins)


def _refuse_indentation(where: str) -> Conflict:
    """Build the error for new lines of another frame than the file's."""
    return Conflict(
        where,
        "the edit is indented differently from the file, and it cannot be told how its new lines "
        "are to be indented",
        "Quote the lines with the indentation that they have in the file.",
    )


def _list_indents(lines: Iterable[bytes]) -> list[bytes]:
    """The indentations of the lines that say something."""
    return [indent_of(line) for line in lines if line.strip()]


def _find_least(indents: Iterable[bytes]) -> bytes | None:
    """The least deep of some indentations."""
    return min(indents, key=measure_width, default=None)


EDITED = 450  # From this similarity on, per mille, a new line is an edited form of an old one


@dataclass(frozen=True)
class Merge(LineIndents):
    """The changes of an edit, made where its old lines are."""

    def splices(self) -> list[Splice]:
        """Compute one splice a change; raise Conflict where it is unclear what to write."""
        return [*map(self._splice, self.quote.changes, self.landings)]

    def is_made(self) -> bool:
        """Whether the file has all the new lines already, just as the author has them."""
        theirs, ours = self.quote.new_lines, self.quote.lines
        return all(
            lines is not None
            and tuple(ours[lines[0] : lines[1]]) == theirs[change.new_start : change.new_end]
            for change, lines in zip(self.quote.changes, self.landings, strict=True)
        )

    def _splice(self, change: LineChange, found: Lines | None) -> Splice:
        document = self.quote.document
        if found is None:
            raise self._refuse_unplaced(change)
        first, after = found
        start, end = document.offsets[first], document.offsets[after]
        if self._is_there(change, first):
            return Splice(start, start, b"")
        lines = self._lines(change)
        ends = [document.end_of(n + 1) for n in range(first, after)]
        near = ends[-1] if ends else document.end_of(max(first, 1))
        ends += [near] * (len(lines) - len(ends))
        return Splice(start, end, b"".join(map(bytes.__add__, lines, ends)))

    def _refuse_unplaced(self, change: LineChange) -> Conflict:
        above = max((t for i, t in self.pairs.items() if i < change.old_end), default=0)
        return Conflict(
            f"{self.quote.edit.path}:{above + 1}",
            "the file has lines here that the old text lacks, so it cannot be told on "
            "which side of them the new lines belong",
            "Read the place again and quote the lines on both sides of the change.",
        )

    def _is_there(self, change: LineChange, at: int) -> bool:
        """Whether blank lines alone are added, between lines with as many in between already."""
        old, theirs, ours = self.quote.old_lines, self.quote.new_lines, self.quote.lines
        added = theirs[change.new_start : change.new_end]
        sides = old[: change.old_start], old[change.old_end :]
        is_inside = all(any(map(bytes.strip, side)) for side in sides)
        if change.old_start < change.old_end or not is_inside or any(map(bytes.strip, added)):
            return False
        return _blanks_around(ours, at) >= _blanks_around(theirs, change.new_end)

    def _lines(self, change: LineChange) -> list[bytes]:
        """The text of the lines that a change puts in the file."""
        partners = self._partners(change)
        theirs = self.quote.new_lines[change.new_start : change.new_end]
        return [
            self._edit_line(partners[j], line, change.new_start + j)
            if j in partners
            else self._write_line(line, change.new_start + j)
            for j, line in enumerate(theirs)
        ]

    def _partners(self, change: LineChange) -> dict[int, int]:
        """Which new line of a change is an edited form of which old one.

        Empty where the file spells the old lines as the author does, for then nothing of its
        spelling can be lost.
        """
        rows = range(change.old_start, change.old_end)
        if not any(i in self._spelt for i in rows):
            return {}
        old = [make_key(self.quote.old_lines[i]) for i in rows]
        new = [make_key(line) for line in self.quote.new_lines[change.new_start : change.new_end]]
        pairs = enumerate(align(old, new, alike=EDITED))
        return {j: rows[i] for i, j in pairs if j is not None and rows[i] in self._spelt}

    @cached_property
    def _spelt(self) -> dict[int, bytes]:
        """The old lines that the file spells otherwise, each with the file's spelling."""
        pairs = ((i, self.quote.lines[t]) for i, t in self.pairs.items())
        return {i: line for i, line in pairs if line != self.quote.old_lines[i]}

    def _edit_line(self, row: int, theirs: bytes, number: int) -> bytes:
        """A new line that is an edited form of an old one, as far as it can in its spelling."""
        base, ours = self.quote.old_lines[row], self._spelt[row]
        kept = indent_of(base) == indent_of(theirs)
        lead = indent_of(ours) if kept else self.indent(number)
        trail = _trail(ours if _trail(base) == _trail(theirs) else theirs)
        merged = merge_line(*map(_strip_margins, (base, ours, theirs)))
        # The space before a first word that is gone would be indentation.
        return lead + _strip_margins(merged) + trail

    def _write_line(self, line: bytes, number: int) -> bytes:
        """A new line with the file's indentation; blank lines stay as they are.

        A line that the author only moves keeps the file's spelling.
        """
        if not line.strip():
            return line
        moved = self._moved.get(line.strip(), ())
        words = next((ours for ours in moved if make_key(ours) == make_key(line)), line)
        return self.indent(number) + words.lstrip(INDENT)

    @cached_property
    def _moved(self) -> dict[bytes, list[bytes]]:
        """The file's spellings of removed lines, by what the author has of each.

        What stays where it was is not moved: a further line like it is the author's own.
        """
        moved: dict[bytes, list[bytes]] = {}
        for i in sorted(self.quote.removed & self._spelt.keys()):
            moved.setdefault(self.quote.old_lines[i].strip(), []).append(self._spelt[i])
        return moved


def _blanks_around(lines: Sequence[bytes], at: int) -> int:
    """How many blank lines end right above line `at` and begin with it, counted from 0."""
    top = bottom = at
    while top and not lines[top - 1].strip():
        top -= 1
    while bottom < len(lines) and not lines[bottom].strip():
        bottom += 1
    return bottom - top


def _strip_margins(line: bytes) -> bytes:
    """Take the indentation of a line, and the whitespace at its end, off."""
    return line.lstrip(INDENT).rstrip()


def _trail(line: bytes) -> bytes:
    """The whitespace that a line ends with."""
    return line[len(line.rstrip()) :]


def merge_places(located: Located) -> list[Merge]:
    """Build the merge of an edit at each of its places; raise Conflict."""
    parts: Iterable[Piece] = [(located.quote, place) for place in located.places]
    if located.tier == "elided":
        parts = find_pieces(located.quote)
    return [_merge(*part) for part in parts]


def _merge(quote: Quotation, place: Place) -> Merge:
    """The merge of an edit at its place."""
    targets = place.targets
    if not targets:
        first, last = quote.document.lines_of(place.start, place.end)
        targets = tuple(range(first - 1, last))
        if quote.old_lines != tuple(quote.lines[first - 1 : last]):
            targets = align(quote.old_keys, quote.keys[first - 1 : last], first - 1)
        quote, targets = _without_blank_ends(quote, targets)
    return Merge(add_margin(quote, targets), targets)


def _without_blank_ends(quote: Quotation, targets: Targets) -> tuple[Quotation, Targets]:
    """The edit without the blank lines above and below that the file has not."""
    top = _outer_blanks(quote.old_lines, quote.new_lines, targets)
    bottom = _outer_blanks(quote.old_lines[::-1], quote.new_lines[::-1], targets[::-1])
    if not top and not bottom:
        return quote, targets
    old, new = (lines[top : len(lines) - bottom] for lines in (quote.old_lines, quote.new_lines))
    old_text, new_text = (b"".join(line + b"\n" for line in lines) for lines in (old, new))
    return replace(quote, old=old_text, new=new_text), targets[top : len(targets) - bottom]


def _outer_blanks(old: Sequence[bytes], new: Sequence[bytes], targets: Targets) -> int:
    """How many blank lines both texts begin with that the file has not.

    0 where the old text has more of them than the new one: some are to be removed.
    """
    blanks = [len(list(takewhile(lambda line: not line.strip(), lines))) for lines in (old, new)]
    absent = len(list(takewhile(lambda target: target is None, targets)))
    return 0 if blanks[0] > blanks[1] else min(blanks[0], absent)
