"""ledger.py: `hkgit ledger`, what is kept of the evidence in the tree."""

from __future__ import annotations

from collections.abc import Mapping

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
from hkgit.errors import InvalidInput
from hkgit.text.counting import count_noun
from hkgit.workflows.commits.targets import ApplyOptions, find_target


@click.group()
def command() -> None:
    """Look after the ledger, the records of edits in the tree."""


@command.command()
@click.option("--before", metavar="REV", help="Only entries that this revision has already.")
@click.option("--keep", type=click.IntRange(1), metavar="N", help="Leave the N newest.")
@click.option("-m", "--message", help="The commit message.")
@click.option("-n", "--dry-run", is_flag=True, help="Count them, and change nothing.")
@click.option("--yes", is_flag=True, help="Without --before and --keep: let all of them go.")
@json_option
def prune(
    before: str | None,
    keep: int | None,
    message: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Commit the removal of entries from the tree; in the history they stay as they are.

    All of them go only with --yes; --before and --keep say which. The commit holds a manifest of
    what went, and the gate knows it by that. In one commit go at most 10,000.
    """
    # Only here is the machinery of commits needed.
    from hkgit.workflows import pruning

    repository = open_repository()
    target = find_target(repository, (), ApplyOptions())
    old = None if before is None else repository.resolve(before)
    names = pruning.prunable(repository, target.tip, before=old, keep=keep or 0)
    count = count_noun(len(names), "entry", "entries")
    if dry_run:
        _answer({"status": "prunable", "entries": names}, f"{count} could go", as_json)
        return
    if names and before is None and keep is None and not yes:
        what = f"{count} would go from the tree of {target.branch}, which is all of them"
        fix = "Nothing was changed. To do it: hkgit ledger prune --yes; or say which: --keep N"
        raise InvalidInput("hkgit ledger prune", what, fix)
    text = f"Prune {count} from the ledger's tree" if message is None else message
    done = pruning.prune(repository, target, names, text)
    answer = {"status": "pruned", "commit": done.commit, "entries": list(done.entries)}
    _answer(answer, f"[{target.branch} {done.commit[:12]}] {text.splitlines()[0]}", as_json)


def _answer(document: Mapping[str, object], line: str, as_json: bool) -> None:
    if as_json:
        echo_json(document)
    else:
        print_info(line)
