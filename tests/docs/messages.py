"""Every string of the package that a person or an agent can see: `python -m tests.docs.messages`.

A message is a literal of two words or more, or the docstring of a command, which Click prints as
its help. The holes of an f-string read as `{}`. Other docstrings, SQL, and the names of fields in
the dictionary of documents are not messages.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

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
        for node in _list_literals(parse(path)):
            text = _FIELDS.sub("", _text_of(node))
            if _WORDS.search(text) and not _NOT_WORDS.search(text):
                yield Message(str(path.relative_to(package)), node.lineno, text)


def _list_literals(tree: ast.Module) -> list[ast.Constant | ast.JoinedStr]:
    """The strings of a module in their order; what is within an f-string belongs to it.

    Those that stand alone are left out, but for a command's: that is printed as its help.
    """
    found, printed, left_out = list[Any](), set[Any](), set[Any]()
    for node in walk(tree):  # parents come before what they hold
        match node:
            case ast.Constant(str() | bytes()):
                found.append(node)
            case ast.JoinedStr(values):
                found.append(node)
                left_out.update(values)
            case ast.FormattedValue(_, _, format_spec):
                left_out.add(format_spec)
            case ast.FunctionDef() if any(map(_is_command, node.decorator_list)):
                printed.add(node.body[0])
            case ast.Expr(value) if node not in printed:
                left_out.add(value)
    return sorted((each for each in found if each not in left_out), key=lambda each: each.lineno)


def _is_command(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).startswith(("declare", "click.group"))


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
