"""help.py: `hkgit help [COMMAND | RULE]...`: what a command does, or why a rule exists."""

from __future__ import annotations

import click

from hkgit.audit.reports.rules import explain_rule, read_sections
from hkgit.cli.admin.terms import explain
from hkgit.cli.commands import COMMANDS


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND | RULE]...")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show what a command does, or why a rule or verdict exists and how to fix a finding.

    Without a name, list the commands.
    """
    assert ctx.parent is not None
    name = " ".join(names)
    rule = explain_rule(name)
    meaning = rule or explain(name)
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
            rules = f"The rules and verdicts: {', '.join(read_sections())}."
            raise click.UsageError(f"{error.message} {rules}", ctx) from error
        assert found is not None
        asked = found.context_class(found, info_name=known, parent=asked)
    click.echo(asked.get_help())
    if rule is not None:
        click.echo(f"\nThe rule of that name:\n\n{rule}")
