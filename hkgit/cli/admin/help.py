"""help.py: `hkgit help [COMMAND]...`, for those who expect it."""

from __future__ import annotations

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show what a command does; without a name, what commands there are."""
    assert ctx.parent is not None
    asked = ctx.parent
    for name in names:
        group = asked.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{asked.command_path} has no commands.", ctx)
        known, found, _ = group.resolve_command(asked, [name])
        assert found is not None
        asked = click.Context(found, info_name=known, parent=asked)
    click.echo(asked.get_help())
