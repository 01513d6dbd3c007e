"""What pages show of commands is what there is, and the contract speaks of them all."""

import re

import click

from docs.write_reference import list_commands
from tests.docs.console import ROOT
from tests.docs.readability import list_pages

PAGES = list_pages()
COMMANDS = {name: ctx.command for name, ctx in list_commands()}
_CALL = re.compile(
    r"(?:^|`|[|(] ?|&& |\$ )hkgit ((?:-C \S+ )?[a-z].*?)(?:`|$|[|)]|&&|;| #)", re.MULTILINE
)
_OPTION = re.compile(r"(?<!\S)(--?[a-z][a-z-]*)")
EVERYWHERE = {"-C", "-q", "-v", "-h", "--quiet", "--verbose", "--debug", "--help"}


def test_the_contract_speaks_of_every_command() -> None:
    """In code, after the program's name or alone: many a command is an English word as well."""
    contract = (ROOT / "docs/contract.md").read_text("utf-8")
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", contract, re.DOTALL))
    called = re.findall(r"(?:\bhkgit |^`(?!hkgit))([a-z]+)", code, re.MULTILINE)
    assert {name.split()[0] for name in COMMANDS} - set(called) == set()
    words = set(re.findall(r"[a-z]+", code))
    assert {name for name in COMMANDS if not words.issuperset(name.split())} == set()


def test_pages_run_only_commands_that_there_are() -> None:
    pattern = re.compile(r"(?:`|^\$ |^ +)hkgit ([a-z]+)", re.MULTILINE)
    shown = {(page.name, name) for page in PAGES for name in pattern.findall(page.read_text())}
    known = {name.split()[0] for name in COMMANDS}
    assert len(shown) > 50
    assert [each for each in shown if each[1] not in known] == []


def find_unknown_options(page: str) -> list[str]:
    """Find options that the command they are shown with does not have."""
    unknown = []
    for call in _CALL.findall(page):
        words = re.sub(r"^-C \S+ ", "", call).split(" -- ")[0]
        name = max(
            (name for name in COMMANDS if f"{words} ".startswith(f"{name} ")), key=len, default=""
        )
        options = re.sub(r"'[^']*'|\"[^\"]*\"", "", words)
        shown = set(_OPTION.findall(options)) - EVERYWHERE
        unknown += [f"{name} {each}" for each in sorted(shown - _list_options(name))]
    return unknown


def _list_options(name: str) -> set[str]:
    if name not in COMMANDS:
        return set()
    params = [each for each in COMMANDS[name].params if isinstance(each, click.Option)]
    return {way for each in params for way in (*each.opts, *each.secondary_opts)}


def test_pages_show_only_options_that_there_are() -> None:
    unknown = {page.name: find_unknown_options(page.read_text("utf-8")) for page in PAGES}
    assert {name: options for name, options in unknown.items() if options} == {}


def test_an_unknown_option_is_found() -> None:
    page = "`hkgit gate --rnage A..B`, `hkgit -C x log --json`\n$ hkgit read a.py --limt 3 | tr\n"
    assert find_unknown_options(page) == ["gate --rnage", "read --limt"]
    assert find_unknown_options((ROOT / "README.md").read_text("utf-8")) == []
