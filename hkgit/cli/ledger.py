"""`hkgit ledger`: prune entries from the tree."""

from __future__ import annotations

import click

from hkgit.cli.answer import Answer, json_option
from hkgit.cli.common import open_repository
from hkgit.text.escape import count_noun


@click.group()
def command() -> None:
    """Manage the ledger, the records of edits in the tree."""


@command.command()
@click.option("--before", metavar="REV", help="Only entries that this revision has.")
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Keep the N newest.")
@click.option("-m", "--message", help="The commit message.")
@click.option("-n", "--dry-run", is_flag=True, help="Only count them.")
@click.option("--yes", is_flag=True, help="Without --before and --keep: remove all of them.")
@json_option
def prune(
    before: str | None,
    keep: int | None,
    message: str | None,
    dry_run: bool,
    yes: bool,
) -> Answer:
    """Commit the removal of entries from the tree; they stay in the history.

    --before and --keep say which; all of them need --yes.
    """
    # Only here is the machinery of commits needed.
    from hkgit.workflows.ledger_prune import prune as prune_ledger

    done = prune_ledger(
        open_repository(),
        before=before,
        keep=keep,
        message=message,
        allow_all=yes,
        dry_run=dry_run,
    )
    entries = list(done.entries)
    if done.commit is None:
        line = f"{count_noun(len(entries), 'entry', 'entries')} could be removed"
        return Answer({"status": "prunable", "entries": entries}, [line], is_info=True)
    answer = {"status": "pruned", "commit": done.commit, "entries": entries}
    line = f"[{done.branch} {done.commit[:12]}] {done.message.splitlines()[0]}"
    return Answer(answer, [line], is_info=True)
