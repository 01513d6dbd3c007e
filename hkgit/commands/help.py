"""help.py: `hkgit help [COMMAND]`, for those who expect it."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False, metavar="[COMMAND]")
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Show what a command does; without a name, what commands there are."""
    above = ctx.parent
    assert above is not None
    assert isinstance(above.command, click.Group)
    if name is None:
        click.echo(above.get_help())
        return
    asked, found, _ = above.command.resolve_command(above, [name])
    assert found is not None
    click.echo(found.get_help(click.Context(found, info_name=asked, parent=above)))
