"""The reference is written from the code, and every command has an example that it reads."""

import ast
import shlex

import click

import hkgit
from docs.write_reference import ROOT, list_commands, pages
from hkgit.cli.commands import COMMANDS, EXAMPLES, FIRST, USED_BY, VARIABLES
from tests.support.running import run

FOUND = dict(list_commands())


def test_the_pages_are_as_the_code_says() -> None:
    """`python -m docs.write_reference` writes them anew."""
    stale = [name for name, text in pages().items() if _written(name) != text]
    assert stale == [], "run: python -m docs.write_reference"


def _written(name: str) -> str:
    path = ROOT / name
    return path.read_text("utf-8") if path.exists() else ""


def test_the_library_is_declared_in_python() -> None:
    contract = (ROOT / "docs/contract.md").read_text("utf-8")
    declared = contract.partition("<!-- generated: library -->\n\n```python\n")[2]
    tree = ast.parse(declared.partition("```")[0])
    names = {getattr(node, "name", None) or ast.unparse(node.targets[0]) for node in tree.body}  # type: ignore[attr-defined]  # the others are aliases
    assert names == {*hkgit.__all__, "Content", "Given", "Root"}


def test_every_command_has_an_example() -> None:
    """Whoever adds a command adds a line to hkgit/cli/commands.py."""
    assert {*EXAMPLES} == {*FOUND}


SILENT = {
    "acp",
    "record",
    "demo",
    "schema",
    "completions",
    "help",
    "prompt",
}
SILENT |= {"mcp", "hook", "serve", "session", "policy", "ledger", "fleet"}


def test_answers_for_programs_are_asked_for_in_one_way() -> None:
    """A flag `--json`, also where there are formats for hosts, and JSON among these."""
    flags = {
        name: option.is_flag
        for name, ctx in FOUND.items()
        for option in ctx.command.params
        if isinstance(option, click.Option) and "--json" in option.opts
    }
    assert {*FOUND} - {*flags} == SILENT
    assert all(flags.values())


def test_examples_are_read_by_their_commands() -> None:
    unread = []
    for line in [each for lines in EXAMPLES.values() for each in lines]:
        said = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))[1:]
        name = max((each for each in FOUND if " ".join(said).startswith(each)), key=len)
        parser = FOUND[name].command.make_parser(FOUND[name])
        _, rest, _ = parser.parse_args(said[len(name.split()) :])
        if rest and not isinstance(FOUND[name].command, click.Group):
            unread.append(line)
    assert unread == []


def test_help_speaks_of_commands_and_variables_that_there_are() -> None:
    assert {*USED_BY} <= {*VARIABLES}
    assert {name for names in USED_BY.values() for name in names} <= {*COMMANDS}
    assert {*FIRST} <= {*COMMANDS}


def test_help_begins_with_few_commands_and_lists_all_when_asked() -> None:
    top = run("--help", cwd=ROOT).out
    assert len(top.splitlines()) <= 30
    assert run("help", cwd=ROOT).out == top
    every = run("help", "all", cwd=ROOT).out
    listed = {line.split()[0] for line in every.splitlines() if line.startswith("  ")}
    assert listed >= {*COMMANDS}
    shown = run("read", "--help", cwd=ROOT).out
    assert "  hkgit read src/app.py:10-20" in shown
    assert "--quiet" in top
    assert "--quiet" not in shown
