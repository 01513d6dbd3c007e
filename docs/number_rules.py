"""Give every rule of the specification a number that stays its own.

`python -m docs.number_rules` numbers the paragraphs that have none; a test says where one is
missing. A number is never used twice, also not after its rule is gone: the last line of a page
keeps the next one that is free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LETTERS = {
    "docs/contract.md": "C",
    "docs/limits.md": "L",
    "docs/policy.md": "P",
    "docs/sessions.md": "S",
    "docs/verdicts.md": "V",
}
NUMBER = re.compile(r"^(?:- )?\*\*([CLPSV]\d+)\*\* ")
_FREE = re.compile(r"<!-- the next rule is [A-Z](\d+) -->\n\Z")
_NO_RULE = ("#", "|", "`" * 3, " ", "<!--", "![", "1. ", "For example")


def number(page: str, letter: str) -> str:
    """The page with a number before each rule that had none."""
    found = _FREE.search(page)
    free = 1 if found is None else int(found[1])
    lines = _FREE.sub("", page).rstrip("\n").split("\n")
    for at in list_rules(lines):
        if NUMBER.match(lines[at]) is None:
            lines[at] = _begin(lines[at], f"{letter}{free}")
            free += 1
    return "\n".join(lines) + f"\n\n<!-- the next rule is {letter}{free} -->\n"


def list_rules(lines: list[str]) -> Iterator[int]:
    """The index of each line below the first heading of a section that begins a rule."""
    is_code = is_section = False
    for at, line in enumerate(lines):
        is_code ^= line.startswith("`" * 3)
        is_section |= line.startswith("## ")
        is_first = not at or not lines[at - 1].strip() or line.startswith("- ")
        begins = line.strip() and not (line.startswith(_NO_RULE) or line.endswith(":"))
        if begins and is_first and is_section and not is_code:
            yield at


def _begin(line: str, number: str) -> str:
    mark, text = ("- ", line[2:]) if line.startswith("- ") else ("", line)
    return f"{mark}**{number}** {text}"


if __name__ == "__main__":
    for name, letter in LETTERS.items():
        path = ROOT / name
        path.write_text(number(path.read_text("utf-8"), letter), "utf-8")
