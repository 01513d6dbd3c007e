"""ledger.py: `hkgit ledger`, what is kept of the evidence in the tree."""

from __future__ import annotations

from collections.abc import Mapping

import click

from hkgit.commands.common import echo_json, json_option, open_repository
from hkgit.commands.manners import confirm
from hkgit.committing.targets import Choices, find_target
from hkgit.counting import counted


@click.group()
def command() -> None:
    """Look after the ledger, the records of edits in the tree."""


@command.command()
@click.option("--before", metavar="REV", help="Only entries that this revision has already.")
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Leave the N newest.")
@click.option("-m", "--message", help="The commit message.")
@click.option("-n", "--dry-run", is_flag=True, help="Count them, and change nothing.")
@json_option
def prune(
    before: str | None, keep: int | None, message: str | None, dry_run: bool, as_json: bool
) -> None:
    """Commit the removal of entries from the tree; in the history they stay as they are.

    Without --before and --keep all of them go. The commit holds a manifest of what went, and the
    gate knows it by that. In one commit go at most 10,000.
    """
    # Only here is the machinery of commits needed.
    from hkgit.committing import pruning

    repository = open_repository()
    target = find_target(repository, (), Choices())
    old = None if before is None else repository.resolve(before)
    names = pruning.prunable(repository, target.tip, before=old, keep=keep or 0)
    count = counted(len(names), "entry", "entries")
    if dry_run:
        _answer({"status": "prunable", "entries": names}, f"{count} could go", as_json)
        return
    text = f"Prune {count} from the ledger's tree" if message is None else message
    done = pruning.prune(repository, target, names, text)
    answer = {"status": "pruned", "commit": done.commit, "entries": list(done.entries)}
    _answer(answer, f"[{target.branch} {done.commit[:12]}] {text.splitlines()[0]}", as_json)


def _answer(document: Mapping[str, object], line: str, as_json: bool) -> None:
    if as_json:
        echo_json(document)
    else:
        confirm(line)
