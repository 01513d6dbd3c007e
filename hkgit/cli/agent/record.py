"""record.py: `hkgit record`, what the hooks of `git commit` call: from journals to evidence."""

from __future__ import annotations

import click

from hkgit.cli.agent.sessions import work_root
from hkgit.cli.common import open_repository
from hkgit.cli.output import print_note
from hkgit.git.messages import find_message_file
from hkgit.sessions.commit.messages import sign
from hkgit.sessions.commit.staging import settle_commit, stage
from hkgit.sessions.commit.staging import withdraw as take_back
from hkgit.sessions.storage.paths import may_wait


@click.command()
@click.option("--staged", is_flag=True, help="Add the entries of what is staged to the index.")
@click.option(
    "--message-file",
    metavar="FILE",
    is_flag=False,
    flag_value="",
    help="Write the trailers of the entries in the index into a message.",
)
@click.option("--committed", is_flag=True, help="Forget what HEAD's commit has recorded.")
@click.option("--withdraw", is_flag=True, help="Take the entries out: no commit is made.")
def command(staged: bool, message_file: str | None, committed: bool, withdraw: bool) -> None:
    """Turn what sessions have edited into the evidence of the commit being made.

    One of --staged (pre-commit), --message-file (prepare-commit-msg, commit-msg), --committed
    (post-commit) and --withdraw. Where no edit waits it does nothing.
    """
    if [staged, message_file is not None, committed, withdraw].count(True) != 1:
        words = "Give one of --staged, --message-file FILE, --committed and --withdraw."
        raise click.UsageError(words)
    if not may_wait(work_root()):
        return
    repository = open_repository(in_hook=True)
    if staged:
        for line in stage(repository).uncovered:
            print_note(line)
    elif committed:
        settle_commit(repository)
    elif withdraw:
        take_back(repository)
    else:
        sign(repository, find_message_file(repository, message_file or ""))
