"""Write docs/reference/, docs/glossary.md and docs/man/hkgit.1 from the code.

`python -m docs.write_reference` writes them; a test compares them with what it would write.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import click

import hkgit
from docs.terms import TERMS
from hkgit import errors
from hkgit.audit.tables.columns import VERSION, describe_tables, tables_schema
from hkgit.cli.commands import COMMANDS, GROUPS
from hkgit.cli.examples import EXAMPLES, VARIABLES
from hkgit.cli.help import PLUMBING, TITLES, list_variables
from hkgit.cli.main import main
from hkgit.cli.runner import FAULT, INTERRUPTED, UNREAD, USAGE
from hkgit.text.schemas import NAMES, load_schema

ROOT = Path(__file__).parents[1]
NOTE = "<!-- Written by `python -m docs.write_reference`: change the code, not this page. -->\n\n"
SHARED = {"quiet", "verbose", "debug", "help"}


def pages() -> dict[str, str]:
    """Every page, by its path from the root of the project."""
    return {
        "docs/glossary.md": _glossary(),
        "docs/reference/commands.md": _commands(),
        "docs/reference/exit-codes.md": _exit_codes(),
        "docs/reference/library.md": _library(),
        "docs/reference/policy-keys.md": _policy_keys(),
        "docs/reference/schemas.md": _schemas(),
        "docs/reference/tables.md": _tables(),
        "docs/man/hkgit.1": _manual(),
        "hkgit/text/schemas/tables.json": json.dumps(tables_schema(), indent=2) + "\n",
    }


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


def _commands() -> str:
    text = f"# Commands\n\n{NOTE}"
    text += "`hkgit help COMMAND` prints the same. Every command also takes `-q`, `-v`, `--debug`"
    text += " and `--help`; `-C PATH` in front of it runs it as if started there.\n"
    found = dict(list_commands())
    for group, names in GROUPS.items():
        text += f"\n## {TITLES[group]}\n"
        for name, ctx in found.items():
            if name.split()[0] in names:
                text += _command(name, ctx)
    text += "\n## Variables of the environment\n\n| variable | meaning |\n|---|---|\n"
    return text + "".join(f"| `{name}` | {words} |\n" for name, words in VARIABLES.items())


def _command(name: str, ctx: click.Context) -> str:
    command = ctx.command
    usage = " ".join(["hkgit", name, *command.collect_usage_pieces(ctx)])
    called = " It is called by hooks and shells." if name in PLUMBING else ""
    text = f"\n### hkgit {name}\n\n{_help(command)}{called}\n\n```text\n{usage}\n```\n"
    rows = [_row(option, ctx) for option in _options(command)]
    if rows:
        text += "\n| option | meaning |\n|---|---|\n" + "".join(rows)
    text += "\n```sh\n" + "".join(f"{line}\n" for line in EXAMPLES.get(name, ())) + "```\n"
    own = list(list_variables(name))
    return text + (f"\nHeeds {', '.join(f'`{each}`' for each in own)}.\n" if own else "")


def _help(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").partition("\f")[0].split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def _options(command: click.Command) -> Iterator[click.Option]:
    for param in command.params:
        if isinstance(param, click.Option) and param.name not in SHARED and not param.hidden:
            yield param


def _row(option: click.Option, ctx: click.Context) -> str:
    record = option.get_help_record(ctx)
    assert record is not None
    ways, words = (part.replace("|", "\\|") for part in record)
    return f"| `{ways}` | {' '.join(words.split())} |\n".replace("\\|", "\\|")


# Words


def _glossary() -> str:
    text = f"# Glossary\n\n{NOTE}The terms that are hkgit's own."
    text += " Everything else is called what git, pre-commit and compilers call it.\n"
    for name, words in TERMS.items():
        text += f"\n## {name}\n\n{words[0].upper()}{words[1:]}.\n"
    return text


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
            words = inspect.cleandoc(found.__doc__ or "").split("\n\n")[0]
            codes.setdefault(found.exit_code, []).append(f"`{name}`: {' '.join(words.split())}")
    for code, words in _CODES.items():
        codes[code] = [words]
    text = f"# Exit codes\n\n{NOTE}With several edits the code is that of the first that failed."
    text += " The names are those of the library's errors.\n\n| code | when |\n|---|---|\n"
    return text + "".join(f"| {code} | {'<br>'.join(codes[code])} |\n" for code in sorted(codes))


# The library


def _library() -> str:
    text = f"# The library\n\n{NOTE}What `import hkgit` offers. It prints nothing, asks nothing,"
    text += " and commits nothing.\n"
    for name in sorted(hkgit.__all__, key=str.lower):
        found = getattr(hkgit, name)
        text += f"\n## {name}\n"
        if not (inspect.isfunction(found) or inspect.isclass(found)):
            text += f"\n```text\n{name} = {_alias(found)}\n```\n"
        elif inspect.isclass(found) and _field_names(found):
            listed = "".join(f"- `{name}`\n" for name in _field_names(found))
            text += f"\n{_plain(inspect.getdoc(found) or '')}\n\nIts fields:\n\n{listed}"
        else:
            signature = _signature(found)
            text += f"\n```text\n{name}{signature}\n```\n" if signature else ""
            text += f"\n{_plain(inspect.getdoc(found) or '')}\n"
    return text


def _signature(found: Any) -> str:
    try:
        signature = str(inspect.signature(found))
    except (TypeError, ValueError):
        return ""
    return "" if signature.startswith("(*args") else signature.replace("'", "")


def _field_names(found: Any) -> list[str]:
    """The fields of a class that is one of hkgit's frozen values; of any other, none."""
    try:
        return [each.name for each in fields(found)]
    except (AttributeError, TypeError):
        return []


def _alias(found: Any) -> str:
    parts = get_args(found)
    return " | ".join(each.__name__ for each in parts) if parts else repr(found)


def _plain(doc: str) -> str:
    return re.sub(r"(?m)^ {4,}", "    ", doc)


# The policy and other documents


def _policy_keys() -> str:
    text = f"# Keys of the policy\n\n{NOTE}The table `[gate]` of `.hkgit/config.toml`, or"
    text += (
        " `[tool.hkgit.gate]` of `pyproject.toml`. [The policy](../policy.md) has an example and"
    )
    text += " says which defaults hold; `hkgit policy check` says yours in words.\n"
    return text + _properties(load_schema("policy"), "")


def _schemas() -> str:
    text = f"# JSON schemas\n\n{NOTE}`hkgit schema NAME` prints one. Programs ignore keys that they"
    text += " do not know.\n"
    for name in NAMES:
        document = tables_schema() if name == "tables" else load_schema(name)
        text += f"\n## {name}\n\n{document.get('description', '')}\n"
        text += _properties(document, "")
    return text


def _properties(document: Mapping[str, Any], above: str) -> str:
    rows = [*_property_rows(document, document, above)]
    return "\n| key | type | meaning |\n|---|---|---|\n" + "".join(rows) if rows else ""


def _property_rows(
    document: Mapping[str, Any], node: Mapping[str, Any], above: str
) -> Iterator[str]:
    for key, found in node.get("properties", {}).items():
        words = " ".join(str(found.get("description", "")).split()).replace("|", "\\|")
        yield f"| `{above}{key}` | {_type(found)} | {words} |\n"
        inner = found.get("items", found)
        if isinstance(inner, dict) and "properties" in inner:
            yield from _property_rows(document, inner, f"{above}{key}.")


def _type(found: Mapping[str, Any]) -> str:
    if "enum" in found:
        return " ".join(f"`{json.dumps(each)}`" for each in found["enum"])
    if "const" in found:
        return f"`{json.dumps(found['const'])}`"
    if "$ref" in found:
        return str(found["$ref"]).rpartition("/")[2]
    named = found.get("type", "")
    return " or ".join(named) if isinstance(named, list) else str(named)


def _tables() -> str:
    text = f"# Columns of the tables\n\n{NOTE}What `hkgit export` writes and `hkgit sql` asks,"
    text += f" version {VERSION} of the schema; `hkgit schema tables` prints it as JSON Schema."
    text += " [Tables and SQL](../tables.md) says how to use them. The types are DuckDB's.\n\n"
    return text + "\n".join(describe_tables()).rstrip() + "\n"


# The manual page


def _manual() -> str:
    lines = [
        '.TH HKGIT 1 "" "hkgit" "User Commands"',
        ".SH NAME",
        "hkgit \\- turn what a coding agent wants to change into a commit with evidence",
        ".SH SYNOPSIS",
        ".B hkgit",
        "[\\-C PATH] [\\-q] [\\-v] COMMAND [ARGUMENTS]...",
    ]
    found = dict(list_commands())
    for group, names in GROUPS.items():
        lines.append(f".SH {TITLES[group].upper()}")
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
