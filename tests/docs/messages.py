"""Every string of the package that a person or an agent can see: `python -m tests.docs.messages`.

A message is a literal of two words or more, or the docstring of a command, which Click prints as
its help. The holes of an f-string read as `{}`. Other docstrings, SQL, and the names of fields in
the dictionary of documents are not messages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.modules import parse, walk

PACKAGE = Path(__file__).parents[2] / "hkgit"

_WORDS = re.compile(r"[A-Za-z]{2,}[,.;:]? +\S*[a-z]{2,}")
_NOT_WORDS = re.compile(r"^\s*(?:SELECT|INSERT|CREATE|WITH|DELETE|UPDATE|PRAGMA)\b|\(\?[:!=<P]")
_FIELDS = re.compile(r"(?m)^ {4}[\w, ?]+:(?= \w)")


class Message(NamedTuple):
    """One literal: `path` below the package, the 1-based `line` it begins on, and its `text`."""

    path: str
    line: int
    text: str


def collect_messages(package: Path = PACKAGE) -> Iterator[Message]:
    """Every message, module by module in the order of the code."""
    for path in sorted(package.rglob("*.py")):
        tree = parse(path)
        unseen = set(_unseen_docstrings(tree))
        for node in _literals(tree):
            text = _FIELDS.sub("", _text_of(node))
            if node not in unseen and _WORDS.search(text) and not _NOT_WORDS.search(text):
                yield Message(str(path.relative_to(package)), node.lineno, text)


def _literals(tree: ast.AST) -> list[ast.Constant | ast.JoinedStr]:
    """The strings of a module in their order; what is within an f-string belongs to it."""
    parts = set[ast.AST | None]()
    for node in walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts.update(each for each in node.values if isinstance(each, ast.Constant))
        elif isinstance(node, ast.FormattedValue):
            parts.add(node.format_spec)
    found = [
        node
        for node in walk(tree)
        if isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
    ]
    return sorted((each for each in found if each not in parts), key=lambda each: each.lineno)


def _unseen_docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """The strings that stand alone, but for a command's: those are printed as its help."""
    for node in walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        is_command = isinstance(node, ast.FunctionDef) and any(
            ast.unparse(each).startswith(("declare", "click.group")) for each in node.decorator_list
        )
        for statement in body:
            if isinstance(statement, ast.Expr) and not is_command:
                yield statement.value


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        value = node.value
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
    )


def main() -> None:
    """Print them below the name of their file."""
    shown = ""
    for message in collect_messages():
        if message.path != shown:
            shown = message.path
            print(f"\n{shown}")
        print(f"  {message.line:4}  {' '.join(message.text.split())}")


if __name__ == "__main__":
    main()
