"""loops.py: find what a loop of `cat` prints, or a `cat` of the files that match a pattern.

It prints one text: the files one behind the other, with the words of `echo` between them. Which
files there were is not told, so that text is made of those that match now, and is compared with the
answer as if it were one file: a file counts where it stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from pathlib import Path, PurePosixPath

from hkgit.values import dataclass

_MOST = 500
"""So many files are looked at for one loop at most."""

_PATTERN = re.compile(r"[*?\[]")
_OWN = "hkgit_each"
_Key = Callable[[str], str]
_ODD = ("$", "`", "\\", "{")


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements, each `cat` or `echo` with its words, that are run for each of some items."""

    variable: str
    items: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]


def parse_cat(words: Sequence[str]) -> Loop | None:
    """Parse a `cat` of files of which some are named by a pattern; None for anything else."""
    paths = words[1:]
    if PurePosixPath(words[0]).name != "cat" or any(path.startswith("-") for path in paths):
        return None
    if not any(map(_PATTERN.search, paths)):
        return None
    return Loop(_OWN, tuple(paths), (("cat", f"${_OWN}"),))


def parse_loop(head: Sequence[str], body: Sequence[Sequence[str]]) -> Loop | None:
    """Parse `for NAME in ITEMS` and its statements; None where they do more than print files."""
    if len(head) < 4 or head[2] != "in" or not body or body[0][:1] != ["do"]:
        return None
    first, *rest = body
    statements = [tuple(each) for each in (first[1:], *rest) if each]
    is_plain = all(each[0] in ("cat", "echo") and _has_no_options(each) for each in statements)
    return Loop(head[1], tuple(head[3:]), tuple(statements)) if is_plain else None


def _has_no_options(words: Sequence[str]) -> bool:
    return not any(word.startswith("-") for word in words[1:])


def list_printed(loop: Loop, folder: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield what a loop prints: `echo` with a text, or `cat` with a path.

    Nothing where that is not known; several where languages order the names in their own ways.
    """
    orders = [[*islice(_expand(loop, folder, key), _MOST + 1)] for key in (str, _find_letters)]
    for at, printed in enumerate(orders):
        is_known = not any(sign in text for _, text in printed for sign in _ODD)
        if is_known and len(printed) <= _MOST and printed not in orders[:at]:
            yield printed


def _expand(loop: Loop, folder: Path, key: _Key) -> Iterator[tuple[str, str]]:
    named = re.escape(loop.variable)
    variable = re.compile(rf"\${named}(?![A-Za-z0-9_])|\${{{named}}}")
    names = (name for item in loop.items for name in _match(item, folder, key))
    for name, (program, *words) in product(names, loop.body):
        said = [name.join(variable.split(word)) for word in words]
        if program == "echo":
            yield program, " ".join(said)
        else:
            paths = (path for word in said for path in _match(word, folder, key))
            yield from ((program, path) for path in paths)


def _match(word: str, folder: Path, key: _Key) -> list[str]:
    """List what a word names: itself where it is no pattern, or nothing matches."""
    if "\0" in word or not _PATTERN.search(word) or (folder / word).exists():
        return [word]
    # Few commands have one.
    import glob

    # As in a shell it leaves out what begins with a dot; that of `pathlib` does not.
    names = glob.iglob(word, root_dir=folder)  # noqa: PTH207
    return sorted(islice(names, _MOST + 1), key=key) or [word]


def _find_letters(name: str) -> str:
    """What most languages order names by first."""
    return "".join(filter(str.isalnum, name)).casefold()
