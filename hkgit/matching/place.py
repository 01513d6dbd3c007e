"""Places, matches and how confident they are.

Fitted on the tuning halves of `benchmarks/engines` (eight sets of modelled cases, every other real
edit): the share of edits that landed right, by Laplace's rule of succession, over 23,630 landings
(`python -m benchmarks.engines fit --seeds 8`), 23,629 of them right. So a row says mostly how much
is known of it. Not fitted are: an exact edit, which is taken at its word, and `MISQUOTED`, of
which there is no case. A new table needs a new number of the ladder.
"""

from __future__ import annotations

from hkgit.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.matching.quotation import Quotation

LADDER_VERSION = 8  # The number of the ladder, raised when any of its answers may change
FULL = 1000  # A similarity or confidence of 1, per mille
THRESHOLD = 800  # What similarity a place has to have; with `FULL` the text is there byte for byte


@dataclass(frozen=True)
class Place:
    """Bytes `start:end` of a document, as alike to the old text as `similarity` per mille says.

    `agreement` weighs the lines that are there up to whitespace and typography; of two places
    of a loose tier it decides. `rows` are those old lines that say something, one bit each. A
    place is a fit unless a line to be removed is another one there.

    A place of a loose tier knows its lines, counted from 0: `targets` are the old lines', None for
    one that has none.
    """

    start: int
    end: int
    similarity: int = FULL
    agreement: int = 0
    is_fit: bool = True
    rows: int = 0
    targets: tuple[int | None, ...] = ()

    def __lt__(self, other: Place) -> bool:
        return (self.start, self.end) < (other.start, other.end)

    @property
    def is_gapless(self) -> bool:
        """Whether every old line has its counterpart, and nothing is in between."""
        first = self.targets[0]
        return first is not None and self.targets == tuple(range(first, first + len(self.targets)))


@dataclass(frozen=True)
class Located:
    """Where an edit lands and how surely; more than one place only for an edit of all of them.

    `quote` is the reading that was found; `repairs` names what was undone in it (escapes, prefixes
    with line numbers). `similarity`, `confidence` and `runner_up` are per mille; `notes` say what
    a person may want to know.
    """

    quote: Quotation = field(compare=False, repr=False)
    places: tuple[Place, ...]
    tier: str
    similarity: int
    confidence: int
    runner_up: int | None = None
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def format_decimal(per_mille: int) -> str:
    """Write a per mille number with two decimals, rounded down."""
    return f"{per_mille // 1000}.{per_mille % 1000 // 10:02d}"


def format_confidence(per_mille: int | None, before: str = "") -> str:
    """Write a confidence below 1.00 behind some words; nothing else says anything."""
    return "" if per_mille in (None, 1000) else f"{before}{format_decimal(per_mille)}"


TABLE: dict[str, tuple[tuple[int, int], ...]] = {
    "exact": ((1000, 1000),),
    "whitespace": ((0, 999),),
    "unicode": ((0, 999),),
    "elided": ((0, 997),),
    "fuzzy": ((950, 999), (900, 994), (0, 923)),
    "line-block": ((950, 998), (900, 997), (850, 990), (0, 983)),
}
"""By tier: from which similarity on, and the confidence, both per mille."""

MISQUOTED = 985
"""Of an edit whose evidence shows what its author saw, and which quotes it otherwise."""

REPAIRED = 999
CLOSE = 50  # A runner-up nearer than this takes `DOUBT` away
DOUBT = 5


def rate_confidence(
    tier: str, similarity: int, runner_up: int | None = None, repairs: tuple[str, ...] = ()
) -> int:
    """Rate how surely an edit is placed; all is per mille."""
    value = next(share for least, share in TABLE[tier] if similarity >= least)
    if "misquoted" in repairs:
        value = min(value, MISQUOTED)
    elif repairs:
        value = min(value, REPAIRED)
    is_close = runner_up is not None and similarity - runner_up < CLOSE
    return value - DOUBT if is_close else value
