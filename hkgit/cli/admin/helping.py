"""helping.py: what `--help` says beyond Click's: examples, words, variables, groups of commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from hkgit.cli.admin.examples import EXAMPLES, TERMS, USED_BY, VARIABLES

TITLES: Mapping[str, str] = {
    "edit": "Edit",
    "review": "Review",
    "history": "History",
    "agent": "Agents",
    "admin": "Set up",
}
PLUMBING = ("record", "hook", "completions")
"""Commands that hooks and shells call."""


def add_examples(ctx: click.Context, text: str) -> str:
    """Add to a command's help its examples, its words and the variables that it heeds."""
    name = " ".join(ctx.command_path.split()[1:])
    formatter = ctx.make_formatter()
    for title, lines in _sections(name):
        with formatter.section(title), formatter.indentation():
            for line in lines:
                formatter.write(f"  {line}\n")
    more = formatter.getvalue()
    return f"{text}\n\n{more}".rstrip("\n")


def _sections(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    if name not in EXAMPLES:
        return
    yield "Examples" if len(EXAMPLES[name]) > 1 else "Example", EXAMPLES[name]
    yield "Environment", [f"{each}: {VARIABLES[each]}" for each in list_variables(name)]
    words = TERMS.get(name) or TERMS.get(name.split()[0], ())
    if words:
        yield "Words, which `hkgit help WORD` explains", [", ".join(words)]


def list_variables(name: str) -> Iterator[str]:
    """List the variables of the environment that a command heeds."""
    for variable in VARIABLES:
        if variable not in USED_BY or name.split()[0] in USED_BY[variable]:
            yield variable


def write_commands(
    formatter: click.HelpFormatter,
    summaries: Mapping[str, str],
    groups: Mapping[str, Sequence[str]],
) -> None:
    """Write the commands in their groups; those that nobody calls by hand in one line."""
    for group, names in groups.items():
        with formatter.section(TITLES[group]):
            formatter.write_dl([(name, summaries[name]) for name in names if name not in PLUMBING])
    listed = ", ".join(PLUMBING)
    formatter.write(f"\nFor hooks and shells: {listed}. `hkgit help WORD` explains a word.\n")
