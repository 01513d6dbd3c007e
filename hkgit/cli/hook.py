"""`hkgit hook AGENT`: what the hooks of coding agents run around the calls of tools."""

from __future__ import annotations

import click

from hkgit.agents import HOOKED
from hkgit.cli.hook_answer import answer_hook

_HELP = f"""Record what an agent's own tools read and edit, or steer its edits to hkgit.

The agent's hooks run it, with the call as JSON on standard input. It never blocks the agent:
what cannot be recorded is reported on standard error, and the exit code is 0.

AGENT is one of {", ".join(HOOKED)}.
"""


@click.command(help=_HELP)
@click.argument("agent")
@click.option("--steer", is_flag=True, help="Stop the agent's own edits; name hkgit's tool.")
@click.option("--user", is_flag=True, help="Do nothing if the project's own hooks run.")
def command(*, agent: str, steer: bool, user: bool) -> None:
    """Answer one hook."""
    if agent not in HOOKED:
        raise click.UsageError(f"{agent!r} is not one of {', '.join(HOOKED)}.")
    answer_hook(agent, steer=steer, user=user)
