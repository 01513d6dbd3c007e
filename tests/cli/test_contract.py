"""The pages of docs/, held against the commands and files that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from hkgit.cli.main import main

ROOT = Path(__file__).parents[2]
CONTRACT = (ROOT / "docs/contract.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(group: click.Group, *above: str) -> Iterator[tuple[str, click.Command]]:
    """All commands by their names, those of groups as `ledger prune`."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*above, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, *above, name)


COMMANDS = dict(commands(main))


def test_the_contract_speaks_of_every_command() -> None:
    """In code, after the program's name or alone: many a command is an English word as well."""
    code = re.findall(r"```.*?```|`[^`\n]+`", CONTRACT, re.DOTALL)
    called = re.findall(r"(?:\bhkgit |^`(?!hkgit))([a-z]+)", "\n".join(code), re.MULTILINE)
    assert {name.split()[0] for name in COMMANDS} - set(called) == set()
    words = set(re.findall(r"[a-z]+", "\n".join(code)))
    assert {name for name in COMMANDS if not words.issuperset(name.split())} == set()


def test_pages_run_only_commands_that_there_are() -> None:
    pattern = re.compile(r"(?:`|^\$ |^ +)hkgit ([a-z]+)", re.MULTILINE)
    shown = {(page.name, name) for page in PAGES for name in pattern.findall(page.read_text())}
    known = {name.split()[0] for name in COMMANDS}
    assert len(shown) > 50
    assert [each for each in shown if each[1] not in known] == []


def test_every_page_is_linked_from_another() -> None:
    lost = {
        page.name
        for page in PAGES
        if page.name != "README.md"
        and not any(page.name in other.read_text() for other in PAGES if other != page)
    }
    assert lost == set()
