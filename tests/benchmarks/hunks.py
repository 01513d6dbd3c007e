"""hunks.py: a small corpus for tests, written here, so that no test needs a registry."""

from benchmarks.engines.corpus import Hunk, file_hunks

BEFORE = '''\
"""shop.py: a shop that "sells" things - in small files..."""

import json
import os

TAX = 19
LIMIT = 250


class Shop:
    """A place to buy from."""

    def __init__(self, name, stock=None):
        self.name = name
        self.stock = stock or {}
        self.open = True

    def price(self, item, count=1):
        # the price of so many items with the tax that the law asks for
        base = self.stock[item] * count
        if count > 10 and base > 100:
            base = base * 95 // 100
        total = base + base * 19 // 100

        return total

    def close(self):
        for item in list(self.stock):
            del self.stock[item]
        self.open = False

    def save(self, path):
        with open(path, "w") as stream:
            json.dump(self.stock, stream)
            stream.write("\\n")

    def label(self, item):
        # every label says what the item is and what it costs in this shop
        words = [self.name, item]
        words.append("only today")
        return " & ".join(words)


def main():
    shop = Shop("corner", {"tea": 3, "milk": 1})
    print(shop.price("tea", 2))
    print(shop.label("milk"))
    shop.close()
'''

AFTER = (
    BEFORE.replace("LIMIT = 250\n", 'LIMIT = 300\nCURRENCY = "EUR"\n')
    .replace(
        "        if count > 10 and base > 100:\n            base = base * 95 // 100\n",
        "        if count > 20 and base > 200:\n            base = base * 90 // 100\n"
        "        elif count > 10:\n            base = base * 95 // 100\n",
    )
    .replace(
        "        for item in list(self.stock):\n            del self.stock[item]\n",
        "        self.stock.clear()\n",
    )
    .replace('            stream.write("\\n")\n', '            stream.write("\\n\\n")\n')
    .replace('        words.append("only today")\n', '        words.insert(0, "only today")\n')
    .replace("    shop.close()\n", "    shop.save(os.devnull)\n    shop.close()\n")
)

TABBED_BEFORE = BEFORE.replace("    ", "\t").replace("Shop", "Store")
TABBED_AFTER = AFTER.replace("    ", "\t").replace("Shop", "Store")


def small_corpus() -> list[Hunk]:
    """The hunks of two files, one indented with spaces and one with tabs."""
    return [
        hunk
        for path, before, after in (
            ("shop.py", BEFORE, AFTER),
            ("store.py", TABBED_BEFORE, TABBED_AFTER),
        )
        for hunk in file_hunks("shop", path, lines_of(before), lines_of(after))
    ]


def lines_of(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n"))
