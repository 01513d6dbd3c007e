"""The reference is written from the code, and every command has an example that it reads."""

from __future__ import annotations

import shlex

import click
import pytest

from docs.write_reference import ROOT, list_commands, pages
from hkgit.audit.reports.findings import RULES
from hkgit.cli.commands import COMMANDS, GROUPS
from hkgit.cli.examples import EXAMPLES, USED_BY, VARIABLES
from hkgit.cli.help import FIRST, PLUMBING, TITLES
from tests.support.running import run

FOUND = dict(list_commands())


def test_the_pages_are_as_the_code_says() -> None:
    """`python -m docs.write_reference` writes them anew."""
    stale = [name for name, text in pages().items() if _written(name) != text]
    assert stale == [], "run: python -m docs.write_reference"


def _written(name: str) -> str:
    path = ROOT / name
    return path.read_text("utf-8") if path.exists() else ""


def test_every_command_has_an_example() -> None:
    """Whoever adds a command adds a line to hkgit/cli/examples.py."""
    assert {*EXAMPLES} == {*FOUND}


SILENT = {
    "acp",
    "redo",
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


@pytest.mark.parametrize("line", [each for lines in EXAMPLES.values() for each in lines])
def test_an_example_is_read_by_its_command(line: str) -> None:
    said = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))[1:]
    name = max((each for each in FOUND if " ".join(said).startswith(each)), key=len)
    parser = FOUND[name].command.make_parser(FOUND[name])
    _, rest, _ = parser.parse_args(said[len(name.split()) :])
    assert rest == [] or isinstance(FOUND[name].command, click.Group)


def test_help_speaks_of_commands_and_variables_that_there_are() -> None:
    assert {*USED_BY} <= {*VARIABLES}
    assert {name for names in USED_BY.values() for name in names} <= {*COMMANDS}
    assert {*TITLES} == {*GROUPS}
    assert {*PLUMBING, *FIRST} <= {*COMMANDS}


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


def test_help_explains_a_rule_of_the_gate() -> None:
    blind = run("help", "blind", cwd=ROOT)
    assert (blind.code, blind.out) == (0, f"The rule blind: {RULES['blind']}\n")
    both = run("help", "policy", cwd=ROOT).out
    assert both.startswith("Usage: hkgit policy")
    assert both.endswith(f"The rule policy: {RULES['policy']}\n")
    unknown = run("help", "receipt", cwd=ROOT)
    assert unknown.code == 64
    assert ", blind, " in unknown.err
