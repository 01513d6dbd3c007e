"""What hooks run: of agents around the calls of their tools, of git around a commit."""

from __future__ import annotations

import click

from hkgit.agents import HOOKED
from hkgit.cli.hook_answer import answer_hook
from hkgit.cli.options import argument, choose_one, declare, message_file_option, option
from hkgit.cli.record_steps import record_step


@declare
def hook(
    *,
    agent: str = argument(),
    steer: bool = option("Stop the agent's own edits; name hkgit's tool."),
    user: bool = option("Do nothing if the project's own hooks run."),
) -> None:
    """Record what an agent's own tools read and edit, or steer its edits to hkgit.

    The agent's hooks run it, with the call as JSON on standard input. It never blocks the agent:
    what cannot be recorded is reported on standard error, and the exit code is 0.
    """
    if agent not in HOOKED:
        raise click.UsageError(f"{agent!r} is not one of {', '.join(HOOKED)}.")
    answer_hook(agent, steer=steer, user=user)


hook.help = f"{hook.help}\n\n    AGENT is one of {', '.join(HOOKED)}."


@declare
def record(
    *,
    staged: bool = option("Add the entries of what is staged to the index."),
    message_file: str | None = message_file_option(
        "Write the trailers of the entries in the index into a message."
    ),
    committed: bool = option(
        "Check out the entries of HEAD; name commits that bypassed the hooks."
    ),
    withdraw: bool = option("Take the entries out of the index: the commit was not made."),
) -> None:
    """Turn what sessions have edited into the evidence of the commit being made.

    One of --staged (pre-commit), --message-file (prepare-commit-msg, commit-msg), --committed
    (post-commit) and --withdraw. If no edit waits, it does nothing.
    """
    step, _ = choose_one(
        staged=staged, message_file=message_file, committed=committed, withdraw=withdraw
    )
    record_step(step, message_file or "")
