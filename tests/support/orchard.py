"""orchard.py: a history of some weeks, by four agents and two people, for everything that shows.

It has every kind of evidence, commits without any, a byte that was smuggled in, a merge, work by
hand, and names and messages in several scripts.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from hkgit.edits import File, Read
from tests.support.commits import Change, applied, commit
from tests.support.planning import protocol, replace_range
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
    def wait(self, hours: float) -> Iterator[None]:
        """Let git think that some hours have gone by."""
        self.now += timedelta(hours=hours)
        when = self.now.isoformat()
        with patch.dict(os.environ, {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}):
            yield

    def land(self, hours: float, name: str, change: Change, agent: str = "") -> None:
        """Commit a change, that of an agent's spec as Mara's."""
        change.message = f"{name}\n"
        for entry in change.entries:
            change.author, entry["claims"] = MARA, {**entry["claims"], "agent": agent}
        with self.wait(hours):
            self.commits[name] = commit(self.repo, change)

    def by_hash(
        self,
        hours: float,
        name: str,
        agent: str,
        path: str,
        old: str,
        new: str,
        *,
        more: int = 0,
        around: int = 0,
    ) -> None:
        """Replace the lines from the one that holds `old`, with a hash of them."""
        data = self.repo.read(path)
        lines = data.decode().splitlines()
        first = next(number for number, line in enumerate(lines, 1) if old in line)
        spec = protocol(replace_range(path, data, first, first + more, new))
        seen = self.read(path, max(1, first - around), first + more + around, "hash")
        reads = [seen] if around else []
        self.land(hours, name, applied(self.repo, spec, reads=reads), agent)

    def read(self, path: str, first: int, last: int, kind: str = "receipt") -> Read:
        """What a session has read of a file."""
        data = self.repo.read(path)
        last = min(last, len(data.splitlines()))
        return Read(path, first, last, range_hash(data, first, last), kind)

    def by_quote(
        self, hours: float, name: str, agent: str, path: str, old: str, new: str, *reads: Read
    ) -> None:
        """Replace a text that is quoted, with receipts if it was read."""
        change = applied(self.repo, search_replace(old, new, path), reads=reads)
        self.land(hours, name, change, agent)

    def by_hand(self, hours: float, name: str, author: str, path: str, old: str, new: str) -> None:
        """Replace a text as somebody writes."""
        text = self.repo.read(path).decode().replace(old, new, 1)
        self.land(hours, name, Change({path: File(text.encode())}, author=author))


def plant(path: Path) -> Orchard:
    """Make the history; the tag `start` stands before it."""
    repo = Repo.init(path)
    made = Orchard(repo)
    with made.wait(0):
        repo.commit({P: PRICING, S: STOCK, A: API, "README.md": "# Orchard\n"}, "Begin")
    repo.git("tag", "start")
    _spring(made)
    _summer(made)
    return made


def _spring(o: Orchard) -> None:
    o.by_hash(9, "Raise the tax to 7.5 %", CLAUDE, P, "TAX =", 'TAX = Decimal("0.075")')
    o.by_hash(9, "Grade crates", CLAUDE, S, "kilos: int", '    kilos: int\n    grade: str = "A"')
    parsing = """\
    asked = json.loads(body)
    if "sort" not in asked:
        raise ValueError("an order names a sort")
    return asked"""
    read, old = o.read(A, 1, 60), "    return json.loads(body)"
    o.by_quote(9, "Refuse orders without a sort", CODEX, A, old, parsing, read)
    o.by_hand(30, "Say what it is for", MARA, "README.md", "ard\n", "ard\n\nSells apples.\n")
    bound = """\
    if not 0 <= percent <= 100:
        raise ValueError("a discount is a percentage")"""
    o.by_hash(9, "Bound discounts", CLAUDE, P, "if percent < 0", bound, more=1, around=4)
    old, new = (f"        raise LookupError({what})" for what in ("sort", 'f"no {sort} in store"'))
    o.by_quote(50, "Say which sort is missing", AIDER, S, old, new)
    new = "    return round_to_cent(sum(amounts, Decimal(0)))"
    o.by_hash(9, "Round totals", GEMINI, P, "return sum(", new, around=12)
    old, new = "def stock(", 'def health() -> dict:\n    return {"ok": True}\n\n\ndef stock('
    o.by_hand(20, "Answer the probe", RAW_CODEX, A, old, new)
    new = """\
        self.crates.append(crate)
        self.crates.sort(key=lambda each: each.picked)"""
    o.by_hash(70, "Oldest crates first", CLAUDE, S, "self.crates.append", new, around=8)


def _summer(o: Orchard) -> None:
    old = "def net_price(weight: Decimal, per_kilo: Decimal) -> Decimal:"
    new = f'{old}\n    """The price without tax."""'
    o.by_quote(60, "Document net prices", CODEX, P, old, new, o.read(P, 10, 24))
    new = """\
PRICES = {
    "Boskoop": Decimal("2.40"),
    "Elstar": Decimal("2.90"),
    "Topaz": Decimal("3.20"),
    "Santana": Decimal("3.60"),
}"""
    o.by_hash(9, "Sell Santana", CLAUDE, A, "PRICES =", new)
    old = "            if crate.sort == sort:"
    new = "            if crate.sort == sort and crate.kilos:"
    change = applied(o.repo, search_replace(old, new, S))
    smuggled = change.files[S]
    assert smuggled is not None
    change.files[S] = File(smuggled.data.replace(b"raise LookupError", b"raise  LookupError"))
    o.land(44, "Skip empty crates", change, GEMINI)
    o.by_hand(3, "Nothing at all", IDRIS, P, "raise ", "raise ")
    old, new = '    return {"ok": True}', '    return {"ok": True, "version": 2}'
    o.by_quote(90, "Tell the version", AIDER, A, old, new)
    new = "Sells apples — تفاح — by the crate."
    o.by_hand(26, "اشرح ما يباع", IDRIS, "README.md", "Sells apples.", new)
    old, new = "return round_to_cent(net + net * TAX)", "    return round_to_cent(net * (1 + TAX))"
    o.by_hash(9, "Simplify gross prices", CLAUDE, P, old, new, around=20)
    for number in range(8):
        agent = (CLAUDE, CODEX, GEMINI)[number % 3]
        new = f"    # round {number}\n    def kilos(self, sort: str) -> int:"
        o.by_hash(31, f"Note review round {number}", agent, S, "def kilos", new, around=number)
