"""orchard.py: a history of some weeks, by four agents and two people, for everything that shows.

It has every kind of evidence, commits without any, a byte that was smuggled in, a merge, work by
hand, and names and messages in several scripts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from hkgit.edits import File, Read
from tests.support.commits import Change, applied, commit
from tests.support.repos import Repo
from tests.support.running import range_hash
from tests.support.specs import search_replace

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CLAUDE, CODEX, GEMINI, AIDER = "claude-code/2.1", "codex/0.58", "gemini-cli/0.9", "aider/0.86"
MARA, IDRIS = "Mara Lindqvist <mara@example.org>", "إدريس حداد <idris@example.org>"
RAW_CODEX = "codex <codex@example.org>"

PRICING = '''\
"""Prices of what the orchard sells."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
TAX = Decimal("0.07")


def round_to_cent(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def net_price(weight: Decimal, per_kilo: Decimal) -> Decimal:
    return round_to_cent(weight * per_kilo)


def gross_price(weight: Decimal, per_kilo: Decimal) -> Decimal:
    net = net_price(weight, per_kilo)
    return round_to_cent(net + net * TAX)


def discount(amount: Decimal, percent: int) -> Decimal:
    if percent < 0:
        raise ValueError("a discount is not negative")
    return round_to_cent(amount * (100 - percent) / 100)


def total(amounts: list[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))
'''

STOCK = '''\
"""What lies in the cold store, crate by crate."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Crate:
    sort: str
    kilos: int
    picked: date


class ColdStore:
    def __init__(self) -> None:
        self.crates: list[Crate] = []

    def put(self, crate: Crate) -> None:
        self.crates.append(crate)

    def take(self, sort: str) -> Crate:
        for crate in self.crates:
            if crate.sort == sort:
                self.crates.remove(crate)
                return crate
        raise LookupError(sort)

    def kilos(self, sort: str) -> int:
        return sum(crate.kilos for crate in self.crates if crate.sort == sort)
'''

API = '''\
"""The orders that come in over the network."""

import json
from decimal import Decimal

from orchard.pricing import gross_price
from orchard.stock import ColdStore

PRICES = {"Boskoop": Decimal("2.40"), "Elstar": Decimal("2.90"), "Topaz": Decimal("3.20")}


def parse(body: str) -> dict:
    return json.loads(body)


def order(body: str, store: ColdStore) -> dict:
    asked = parse(body)
    crate = store.take(asked["sort"])
    price = gross_price(Decimal(crate.kilos), PRICES[crate.sort])
    return {"sort": crate.sort, "kilos": crate.kilos, "price": str(price)}


def stock(store: ColdStore) -> dict:
    return {sort: store.kilos(sort) for sort in PRICES}
'''
P, S, A = "src/orchard/pricing.py", "src/orchard/stock.py", "src/orchard/api.py"


@dataclass
class Orchard:
    """The repository, its commits by name, and the moment of the next one."""

    repo: Repo
    commits: dict[str, str] = field(default_factory=dict)
    now: datetime = BEGIN

    @contextmanager
    def at(self, hours: float) -> Iterator[None]:
        """Let git think that some hours have gone by."""
        self.now += timedelta(hours=hours)
        when = self.now.isoformat()
        with patch.dict(os.environ, {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}):
            yield

    def find(self, path: str, text: str) -> int:
        """The number of the first line that holds a text."""
        lines = self.repo.read(path).decode().splitlines()
        return next(number for number, line in enumerate(lines, 1) if text in line)

    def land(self, change: Change, message: str, agent: str, hours: float) -> str:
        """Commit what an agent's spec makes."""
        change.message, change.author = f"{message}\n", "Mara Lindqvist <mara@example.org>"
        for entry in change.entries:
            entry["claims"] = {**entry["claims"], "agent": agent}
        with self.at(hours):
            self.commits[message] = commit(self.repo, change)
        return self.commits[message]

    def by_hash(
        self,
        path: str,
        old: str,
        new: str,
        message: str,
        agent: str,
        *,
        more: int = 0,
        hours: float = 9,
        around: int = 0,
    ) -> str:
        """Replace the lines from the one that holds `old`, with a hash of them."""
        first = self.find(path, old)
        last = first + more
        data = self.repo.read(path)
        operation = {
            "op": "replace_range",
            "path": path,
            "start_line": first,
            "end_line": last,
            "expected_hash": range_hash(data, first, last),
            "new_text": new,
        }
        spec = json.dumps({"version": "1", "operations": [operation]})
        reads: tuple[Read, ...] = ()
        if around:
            reads = (self.read(path, max(1, first - around), last + around, "hash"),)
        return self.land(applied(self.repo, spec, reads=reads), message, agent, hours)

    def read(self, path: str, first: int, last: int, kind: str = "receipt") -> Read:
        """What a session has read of a file."""
        data = self.repo.read(path)
        last = min(last, len(data.splitlines()))
        return Read(path, first, last, range_hash(data, first, last), kind)

    def by_quote(
        self,
        path: str,
        old: str,
        new: str,
        message: str,
        agent: str,
        *,
        reads: tuple[Read, ...] = (),
        hours: float = 9,
    ) -> str:
        """Replace a text that is quoted, with receipts if it was read."""
        change = applied(self.repo, search_replace(old, new, path), reads=reads)
        return self.land(change, message, agent, hours)

    def by_hand(self, files: dict[str, str], message: str, author: str, hours: float = 9) -> str:
        """Commit files as somebody wrote them."""
        change = Change({path: File(text.encode()) for path, text in files.items()}, author=author)
        change.message = f"{message}\n"
        with self.at(hours):
            self.commits[message] = commit(self.repo, change)
        return self.commits[message]

    def text(self, path: str, old: str, new: str) -> dict[str, str]:
        """A file with a text replaced."""
        return {path: self.repo.read(path).decode().replace(old, new, 1)}


def plant(path: Path) -> Orchard:
    """Make the history; the tag `start` stands before it."""
    repo = Repo.init(path)
    made = Orchard(repo)
    with made.at(0):
        repo.commit({P: PRICING, S: STOCK, A: API, "README.md": "# Orchard\n"}, "Begin")
    repo.git("tag", "start")
    _spring(made)
    _summer(made)
    return made


def _spring(o: Orchard) -> None:
    o.by_hash(P, "TAX =", 'TAX = Decimal("0.075")', "Raise the tax to 7.5 %", CLAUDE)
    o.by_hash(S, "kilos: int", '    kilos: int\n    grade: str = "A"', "Grade crates", CLAUDE)
    o.by_quote(
        A,
        "    return json.loads(body)",
        '    asked = json.loads(body)\n    if "sort" not in asked:\n'
        '        raise ValueError("an order names a sort")\n    return asked',
        "Refuse orders without a sort",
        CODEX,
        reads=(o.read(A, 1, 60),),
    )
    o.by_hand({"README.md": "# Orchard\n\nSells apples.\n"}, "Say what it is for", MARA, 30)
    o.by_hash(
        P,
        "if percent < 0",
        '    if not 0 <= percent <= 100:\n        raise ValueError("a discount is a percentage")',
        "Bound discounts",
        CLAUDE,
        more=1,
        around=4,
    )
    o.by_quote(
        S,
        "        raise LookupError(sort)",
        '        raise LookupError(f"no {sort} in store")',
        "Say which sort is missing",
        AIDER,
        hours=50,
    )
    o.by_hash(
        P,
        "return sum(",
        "    return round_to_cent(sum(amounts, Decimal(0)))",
        "Round totals",
        GEMINI,
        around=12,
    )
    o.by_hand(
        o.text(A, "def stock(", 'def health() -> dict:\n    return {"ok": True}\n\n\ndef stock('),
        "Answer the probe",
        RAW_CODEX,
        20,
    )
    o.by_hash(
        S,
        "self.crates.append",
        "        self.crates.append(crate)\n        self.crates.sort(key=lambda each: each.picked)",
        "Oldest crates first",
        CLAUDE,
        around=8,
        hours=70,
    )


def _summer(o: Orchard) -> None:
    o.by_quote(
        P,
        "def net_price(weight: Decimal, per_kilo: Decimal) -> Decimal:",
        "def net_price(weight: Decimal, per_kilo: Decimal) -> Decimal:\n"
        '    """The price without tax."""',
        "Document net prices",
        CODEX,
        reads=(o.read(P, 10, 24),),
        hours=60,
    )
    o.by_hash(
        A,
        "PRICES =",
        'PRICES = {\n    "Boskoop": Decimal("2.40"),\n'
        '    "Elstar": Decimal("2.90"),\n    "Topaz": Decimal("3.20"),\n'
        '    "Santana": Decimal("3.60"),\n}',
        "Sell Santana",
        CLAUDE,
    )
    first = applied(
        o.repo,
        search_replace(
            "            if crate.sort == sort:",
            "            if crate.sort == sort and crate.kilos:",
            S,
        ),
    )
    smuggled = first.files[S]
    assert smuggled is not None
    first.files[S] = File(smuggled.data.replace(b"raise LookupError", b"raise  LookupError"))
    o.land(first, "Skip empty crates", GEMINI, 44)
    o.by_hand(o.text(P, "raise ", "raise "), "Nothing at all", IDRIS, 3)
    o.by_quote(
        A,
        '    return {"ok": True}',
        '    return {"ok": True, "version": 2}',
        "Tell the version",
        AIDER,
        hours=90,
    )
    o.by_hand(
        o.text("README.md", "Sells apples.", "Sells apples — تفاح — by the crate."),
        "اشرح ما يباع",
        IDRIS,
        26,
    )
    o.by_hash(
        P,
        "return round_to_cent(net + net * TAX)",
        "    return round_to_cent(net * (1 + TAX))",
        "Simplify gross prices",
        CLAUDE,
        around=20,
    )
    for number in range(8):
        o.by_hash(
            S,
            "def kilos",
            f"    # round {number}\n    def kilos(self, sort: str) -> int:",
            f"Note review round {number}",
            (CLAUDE, CODEX, GEMINI)[number % 3],
            hours=31,
            around=number,
        )
