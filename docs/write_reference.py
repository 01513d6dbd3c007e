"""Write docs/rules.md, docs/man/hkgit.1, parts of contract.md and policy.md from the code.

`python -m docs.write_reference` writes them; a test compares them with what it would write.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click

import hkgit
from hkgit import errors
from hkgit.audit.reports.findings import PAGE as RULES_PAGE
from hkgit.cli.commands import COMMANDS, EXAMPLES, GROUPS, VARIABLES
from hkgit.cli.main import main
from hkgit.cli.runner import FAULT, INTERRUPTED, UNREAD, USAGE
from hkgit.dialects.dialect import APPEARANCES
from hkgit.gate.policy.key_table import KEYS, policy_schema
from hkgit.workflows.library import Content, Given, Root

ROOT = Path(__file__).parents[1]
NOTE = "<!-- Written by `python -m docs.write_reference`: change {}, not this page. -->\n\n"
SHARED = {"quiet", "verbose", "debug", "help"}
_PART = re.compile(r"(<!-- generated: ([^>]+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def pages() -> dict[str, str]:
    """Every page, by its path from the root of the project."""
    return {
        **{name: _fill(name) for name in ("docs/contract.md", "docs/policy.md")},
        "docs/rules.md": _rules(),
        "docs/man/hkgit.1": _manual(),
    }


def _fill(name: str) -> str:
    """Write the generated parts of a page anew."""
    text = (ROOT / name).read_text("utf-8")
    return _PART.sub(lambda part: _write_part(*part.groups()), text)


def _write_part(begin: str, name: str, _: str, end: str) -> str:
    return f"{begin}\n{PARTS[name]()}\n{end}"


def list_commands() -> Iterator[tuple[str, click.Context]]:
    """Every command with its context, groups before their own commands."""
    top = click.Context(main, info_name="hkgit")
    for name in COMMANDS:
        yield from _with_own(name, main.get_command(top, name), top)


def _with_own(
    name: str, command: click.Command | None, above: click.Context
) -> Iterator[tuple[str, click.Context]]:
    assert command is not None
    ctx = click.Context(command, info_name=name.split()[-1], parent=above)
    yield name, ctx
    if isinstance(command, click.Group):
        for own in command.list_commands(ctx):
            yield from _with_own(f"{name} {own}", command.get_command(ctx, own), ctx)


# Commands


def _help(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").partition("\f")[0].split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def _options(command: click.Command) -> Iterator[click.Option]:
    for param in command.params:
        if isinstance(param, click.Option) and param.name not in SHARED and not param.hidden:
            yield param


# Rules and verdicts


def _rules() -> str:
    title, _, text = RULES_PAGE.read_text("utf-8").partition("\n\n")
    return f"{title}\n\n{NOTE.format('hkgit/audit/reports/rule_page.md')}{text}"


# Exit codes


_CODES = {
    USAGE: "wrong usage of the command line",
    FAULT: "a fault of hkgit itself",
    INTERRUPTED: "interrupted",
    UNREAD: "nobody reads the answer on, as of `hkgit log` with `head` behind it",
}
_SUCCESS = "applied, or passed"
_VERIFY = "the `--verify` command failed"
_REJECTED = "rejected by the gate"


def _exit_codes() -> str:
    codes: dict[int, list[str]] = {0: [_SUCCESS], 5: [_VERIFY], 6: [_REJECTED]}
    for name, found in inspect.getmembers(errors, inspect.isclass):
        if issubclass(found, errors.HkgitError) and found is not errors.HkgitError:
            codes.setdefault(found.exit_code, []).append(f"`{name}`")
    for code, words in _CODES.items():
        codes[code] = [words]
    rows = "".join(f"| {code} | {', '.join(codes[code])} |\n" for code in sorted(codes))
    return f"| code | when, or the error of the library |\n|---|---|\n{rows}"


# Dialects


def _dialects() -> str:
    rows = "".join(f"| `{name}` | {each.shape} |\n" for name, each in APPEARANCES.items())
    return f"| dialect | looks like |\n|---|---|\n{rows}"


# The library


def _library() -> str:
    """Declare each public name as a stub of Python does, in the format of ruff."""
    found = {name: getattr(hkgit, name) for name in sorted(hkgit.__all__, key=str.lower)}
    aliases = {"Content": Content, "Given": Given, "Root": Root}
    texts = [f"{name} = {_name_types(alias)}" for name, alias in aliases.items()]
    texts += [_declare(name, each) for name, each in found.items()]
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "library.pyi", "-"]
    source = "\n".join(texts)
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    return f"```python\n{done.stdout}```\n"


def _declare(name: str, found: Any) -> str:
    """Declare one name: an alias, a function, or a class with its fields; those of errors vary."""
    if not callable(found):
        return f"{name} = {_name_types(found)}"
    [node] = ast.parse(inspect.getsource(found)).body
    if isinstance(node, ast.ClassDef):
        bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
        kept = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        fields = [f"{ast.unparse(each.target)}: {ast.unparse(each.annotation)}" for each in kept]
        body = ["..."] if issubclass(found, Exception) or not fields else fields
        return "\n    ".join([f"class {name}{bases}:", *body])
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    assert node.returns is not None
    word = "async def" if inspect.iscoroutinefunction(found) else "def"
    return f"{word} {name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}: ..."


def _name_types(alias: Any) -> str:
    return " | ".join(_name_type(each) for each in get_args(alias))


def _name_type(found: Any) -> str:
    if get_args(found):
        named = str(found).replace(str(hkgit.AnyEdit), "AnyEdit").replace(str(Content), "Content")
        return named.replace("collections.abc.", "")
    return str(found.__name__)


# The keys of the policy


def _policy_keys() -> str:
    schemas = policy_schema()["properties"]
    rows = (
        (_name_key(name, schemas[name]), schemas[name]["description"], default, key.tighter)
        for name, key in KEYS.items()
        for default in [key.default or f"`{schemas[name]['default']}`".replace(".0`", "`")]
    )
    head = "| key | meaning | default | tighter is |\n|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in rows)


def _name_key(name: str, schema: dict[str, Any]) -> str:
    if "properties" in schema.get("items", {}):
        return f"`[[gate.{name}]]`"
    return f"`[gate.{name}]`" if "properties" in schema else f"`{name}`"


PARTS = {
    "dialects": _dialects,
    "exit codes": _exit_codes,
    "library": _library,
    "policy keys": _policy_keys,
}
"""The generated parts of the contract, by name."""


# The manual page


def _manual() -> str:
    lines = [
        '.TH HKGIT 1 "" "hkgit" "User Commands"',
        ".SH NAME",
        "hkgit \\- turn what a coding agent wants to change into a commit with evidence",
        ".SH SYNOPSIS",
        ".B hkgit",
        "[\\-C PATH] [\\-q] [\\-v] [\\-\\-color WHEN] COMMAND [ARGUMENTS]...",
    ]
    found = dict(list_commands())
    for group, names in GROUPS.items():
        lines.append(f".SH {group.upper()}")
        for name, ctx in found.items():
            if name.split()[0] in names:
                lines += _manual_of(name, ctx)
    lines.append(".SH ENVIRONMENT")
    for name, words in VARIABLES.items():
        lines += [".TP", f".B {name}", _roff(words)]
    return "\n".join(lines) + "\n"


def _manual_of(name: str, ctx: click.Context) -> Iterator[str]:
    usage = " ".join(ctx.command.collect_usage_pieces(ctx))
    yield f'.SS "hkgit {name} {_roff(usage)}"'
    for number, paragraph in enumerate(_help(ctx.command).split("\n\n")):
        yield from [".PP", _roff(paragraph)] if number else [_roff(paragraph)]
    for option in _options(ctx.command):
        record = option.get_help_record(ctx)
        assert record is not None
        yield from (".TP", f".B {_roff(record[0])}", _roff(" ".join(record[1].split())))
    for line in EXAMPLES.get(name, ()):
        yield from (".PP", ".EX", f"    {_roff(line)}", ".EE")


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    for name, text in pages().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
