"""help.py: `hkgit help [COMMAND | WORD]...`: what a command does, or what a word means."""

from __future__ import annotations

import click

from hkgit.cli.admin.terms import TERMS, explain
from hkgit.cli.commands import COMMANDS


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND | WORD]...")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show what a command does or what a word means; without a name, what commands there are."""
    assert ctx.parent is not None
    meaning = explain(" ".join(names))
    if meaning is not None and names[0] not in COMMANDS:
        click.echo(meaning)
        return
    asked = ctx.parent
    for name in names:
        group = asked.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{asked.command_path} has no commands.", ctx)
        try:
            known, found, _ = group.resolve_command(asked, [name])
        except click.UsageError as error:
            words = f"The words it explains: {', '.join(TERMS)}."
            raise click.UsageError(f"{error.message} {words}", ctx) from error
        assert found is not None
        asked = found.context_class(found, info_name=known, parent=asked)
    click.echo(asked.get_help())
