"""Show what a command does, or why a rule exists."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hkgit.cli.commands import COMMANDS, GROUPS, VARIABLES
from hkgit.cli.options import argument, declare


@declare
def command(*, names: tuple[str, ...] = argument("[COMMAND | RULE | all]...")) -> None:
    """Show what a command does, or why a rule or verdict exists; `all` lists every command."""
    ctx = click.get_current_context()
    # Help alone looks into a room that is slow to load.
    from hkgit.audit.reports.findings import explain_rule

    if names == ("all",):
        click.echo(_list_all(ctx))
        return
    rule = explain_rule(" ".join(names))
    if rule is None or names[0] in COMMANDS:
        click.echo(_find_context(ctx, names).get_help())
    if rule is not None:
        click.echo(f"\nThe rule of that name:\n\n{rule}" if names[0] in COMMANDS else rule)


def _find_context(ctx: click.Context, names: Sequence[str]) -> click.Context:
    """Find the context of the command that is named. Raises UsageError."""
    asked = ctx.parent
    assert asked is not None
    for name in names:
        group = asked.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{asked.command_path} has no commands.", ctx)
        try:
            known, found, _ = group.resolve_command(asked, [name])
        except click.UsageError as error:
            from hkgit.audit.reports.findings import read_sections

            rules = ", ".join(read_sections())
            words = f"{error.message} The rules and verdicts: {rules}."
            raise click.UsageError(words, ctx) from error
        assert found is not None
        asked = found.context_class(found, info_name=known, parent=asked)
    return asked


def _list_all(ctx: click.Context) -> str:
    """Every command in its group, and the variables that all of them read."""
    formatter = ctx.make_formatter()
    for title, rows in {**GROUPS, "Environment": VARIABLES}.items():
        with formatter.section(title):
            formatter.write_dl([*rows.items()])
    return formatter.getvalue().strip("\n")
