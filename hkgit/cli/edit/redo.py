"""redo.py: `hkgit redo`, what is staged, committed with evidence."""

from __future__ import annotations

import click

from hkgit.applying.reporting import refusal_text
from hkgit.cli.common import open_repository
from hkgit.cli.edit.apply import summary_line
from hkgit.cli.output import print_error, print_info, print_note, show_progress
from hkgit.git.facts import find_agent_shell
from hkgit.workflows.commits.plan import Progress
from hkgit.workflows.redo import RedoRequest, redo


@click.command()
@click.option("-m", "--message", help="The commit message.")
@click.option(
    "--agent",
    metavar="NAME",
    help="Who made the change, as name/version; by default the agent in whose shell this runs.",
)
@click.option("--tree", metavar="ID", help="What git was about to commit, not what is staged.")
@click.argument("paths", nargs=-1)
@click.pass_context
def command(
    ctx: click.Context,
    *,
    message: str | None,
    agent: str | None,
    tree: str | None,
    paths: tuple[str, ...],
) -> None:
    """Make what is staged again as edits with evidence, and commit it.

    For a change that was made past hkgit and that no transcript explains. The evidence is the
    hash of each whole file as it was, which is not tight. What is not staged stays as
    it is, and nothing is thrown away. With PATHS only these are committed, and the rest stays
    staged.
    """
    repository = open_repository()
    progress = Progress(print_note, show_progress("committing spec"))
    result = redo(repository, RedoRequest(agent or _name_agent(), message, tree, paths), progress)
    if result.error is not None:
        print_error(refusal_text(result.outcomes) or str(result.error))
        ctx.exit(result.error.exit_code)
    branch = repository.head().branch or "HEAD"
    for each in result.landed:
        print_info(summary_line(branch, each))


def _name_agent() -> str | None:
    """The agent in whose shell this runs, named as in its transcripts; None in a person's."""
    shell = find_agent_shell()
    return None if shell is None else shell.casefold().replace(" ", "-")
