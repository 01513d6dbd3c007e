"""Find the lines around a change that parse by themselves.

Reading a whole file takes long; the statements around a change are as good: they begin where a
statement begins that is indented no deeper than anything that changed, and end where the next one
does. A stretch may be misjudged (it may lie in a string), so it only ever clears a change.

Python, JSON and TOML are read by the standard library; the others by tree-sitter grammars, each a
package of its own (the extra `syntax`). Where a grammar is not installed, its language is unknown.
Everything is loaded when a file of that language has to be read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module

from hkgit.text.diff import count_equal
from hkgit.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_GOES_ON = rb"else|elif|elsif|except|finally|when|in|end|fi|done|then|do|esac|case|catch|default"
_STATEMENT = re.compile(rb"(?!(?:" + _GOES_ON + rb"|rescue|ensure|where)\b)[A-Za-z_@$]")
"""How a line begins that is no part of what is above it."""

_OPENING = re.compile(rb"(?:async\s+def|def|class)\b")
"""The same of a line that is indented: there, others may be part of a bracket."""


def cut_stretch(before: bytes, after: bytes, *, may_nest: bool) -> tuple[bytes, bytes, int]:
    """Cut out the stretch around all that changed: before, after, and the lines above it.

    If it may nest, as in Python, an indented one has a line put above it that opens a block.
    """
    old, new = before.split(b"\n"), after.split(b"\n")
    head = count_equal(old, new)
    tail = count_equal(old[head:][::-1], new[head:][::-1])
    changed = (*old[head : len(old) - tail], *new[head : len(new) - tail])
    margin = min(map(_depth, filter(bytes.strip, changed)), default=0) if may_nest else 0
    start = _start(new[:head], margin)
    depth = _depth(new[start]) if start < head else 0
    kept = _end(new[len(new) - tail :], depth)
    opener = [b"if 1:"] if depth else []
    stretches = (
        b"\n".join([*opener, *lines[start : len(lines) - tail + kept], b""]) for lines in (old, new)
    )
    return next(stretches), next(stretches), start - len(opener)


def _start(above: Sequence[bytes], margin: int) -> int:
    """The nearest line above at which a stretch can begin; the first of the file where none is."""
    for at in range(len(above) - 1, -1, -1):
        depth = _depth(above[at])
        begins = _STATEMENT if depth == 0 else _OPENING
        if depth <= margin and begins.match(above[at], depth):
            return at
    return 0


def _end(below: Sequence[bytes], depth: int) -> int:
    """How many of the lines below belong to the stretch."""
    for at, line in enumerate(below):
        if _depth(line) <= depth and _STATEMENT.match(line, _depth(line)):
            return at
    return len(below)


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


@dataclass(frozen=True)
class Fault:
    """The first line, counted from 1, at which a text is not of its language, and why."""

    line: int
    what: str


Parse = Callable[[bytes], Fault | None]

_SMALL = 20_000
"""Texts of so many bytes are read whole where the lines around a change tell nothing."""


@dataclass(frozen=True)
class Language:
    """How to read a language; texts of more than `most` bytes take too long.

    `has_stretches` says that statements which begin at the left margin can be read by themselves,
    `may_nest` that the body of a block can, below a line that opens one; `is_rough` that a fault
    may be seen far above of where it is.
    """

    name: str
    parse: Parse
    has_stretches: bool = False
    may_nest: bool = False
    is_rough: bool = False
    most: int = 300_000

    def breaks(self, before: bytes, after: bytes) -> Fault | None:
        """Find where a text that parsed no longer does; None where it does, or is unknown."""
        if not self.has_stretches:
            return self._breaks(before, after)
        old, new, above = cut_stretch(before, after, may_nest=self.may_nest)
        fault = self.parse(new) if len(new) <= self.most else None
        # Only the whole text can tell: a stretch may lie in a string.
        if fault is None or (len(after) > _SMALL and self.parse(old) is not None):
            return None
        if len(after) > self.most:
            # What it says of other lines counts from the beginning of the stretch.
            what = re.sub(r" on line \d+", "", fault.what)
            return Fault(fault.line + above, what)
        return self._breaks(before, after)

    def _breaks(self, before: bytes, after: bytes) -> Fault | None:
        if max(len(before), len(after)) > self.most:
            return None
        fault = self.parse(after)
        if fault is None or self.parse(before) is not None:
            return None
        if not self.is_rough:
            return fault
        changed = count_equal(before.split(b"\n"), after.split(b"\n")) + 1
        return replace(fault, line=max(fault.line, changed))


def find_language(path: str) -> Language | None:
    """Find the language of a file by its name; None where it is unknown."""
    name = path.rpartition("/")[2].lower()
    suffix = name.rpartition(".")[2] if "." in name else None
    known = _NAMES.get(name) or _SUFFIXES.get(suffix)
    return known if suffix not in _GRAMMARS else _grammar(*_GRAMMARS[suffix])


def _python(data: bytes) -> Fault | None:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return Fault(error.lineno or 1, error.msg)
    except ValueError as error:
        return Fault(1, str(error))
    except (RecursionError, MemoryError):
        return None  # too deep for this parser, which says nothing about the file
    return None


def _json(data: bytes) -> Fault | None:
    import json

    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return Fault(error.lineno, error.msg)
    except ValueError as error:
        return Fault(1, str(error))
    except RecursionError:
        return None
    return None


def _toml(data: bytes) -> Fault | None:
    import tomllib

    try:
        tomllib.loads(data.decode())
    except ValueError as error:
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        if place is None:
            return Fault(1, str(error))
        last = data.count(b"\n") + (not data.endswith(b"\n"))
        return Fault(int(place[1] or last), str(error).replace(place[0], ""))
    except RecursionError:
        return None
    return None


_PYTHON = Language(f"Python {sys.version_info[0]}.{sys.version_info[1]}", _python, True, True)
_JSON = Language("JSON", _json, most=5_000_000)
_TOML = Language("TOML", _toml)

_SUFFIXES: dict[str | None, Language] = {
    "py": _PYTHON,
    "pyi": _PYTHON,
    "pyw": _PYTHON,
    "json": _JSON,
    "ipynb": _JSON,
    "webmanifest": _JSON,
    "toml": _TOML,
}
_NAMES = dict.fromkeys(("pipfile", "cargo.lock", "poetry.lock", "uv.lock"), _TOML)

_GRAMMARS: dict[str | None, tuple[str, str, str]] = {
    suffix: (name, f"tree_sitter_{module}", function)
    for suffixes, name, module, function in (
        ("js mjs cjs jsx", "JavaScript", "javascript", "language"),
        ("ts mts cts", "TypeScript", "typescript", "language_typescript"),
        ("tsx", "TypeScript", "typescript", "language_tsx"),
        ("go", "Go", "go", "language"),
        ("rs", "Rust", "rust", "language"),
        ("java", "Java", "java", "language"),
        ("c", "C", "c", "language"),
        ("cc cpp cxx hpp hh", "C++", "cpp", "language"),
        ("cs", "C#", "c_sharp", "language"),
        ("rb", "Ruby", "ruby", "language"),
        ("php", "PHP", "php", "language_php"),
        ("sh bash", "Bash", "bash", "language"),
        ("css", "CSS", "css", "language"),
        ("html htm", "HTML", "html", "language"),
        ("yml yaml", "YAML", "yaml", "language"),
    )
    for suffix in suffixes.split()
}
"""By the suffix of a name: the language, and the module and the function of its grammar."""

_WHOLE = ("tree_sitter_php", "tree_sitter_html")  # Grammars to which a part of a program is text


@cache
def _grammar(name: str, module: str, function: str) -> Language | None:
    """A language by its grammar; None where that, or tree-sitter, is not installed or unfit."""
    try:
        tree_sitter: Any = import_module("tree_sitter")
        grammar = tree_sitter.Language(getattr(import_module(module), function)())
        parser = tree_sitter.Parser(grammar)
    except (ImportError, AttributeError, TypeError, ValueError):
        return None  # not there, or a grammar and a tree-sitter that do not fit each other
    return Language(name, partial(_with_grammar, parser), module not in _WHOLE, is_rough=True)


def _with_grammar(parser: Any, data: bytes) -> Fault | None:
    node = parser.parse(data).root_node
    if not node.has_error:
        return None
    while not (node.is_error or node.is_missing):
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            break
        node = inner
    line = node.start_point[0] + 1
    if node.is_missing:
        return Fault(line, f"{node.type} is missing")
    shown = data[node.start_byte : node.end_byte].split(b"\n")[0][:40]
    return Fault(line, f"cannot be read at {shown.decode('utf-8', 'replace')!r}")
