"""What a repository keeps: the gate's policy in words, and entries to prune from the tree."""

from __future__ import annotations

import click

from hkgit.applying.files import DirectorySnapshot
from hkgit.cli.answer import Answer, json_option
from hkgit.cli.common import open_repository
from hkgit.gate.policy.key_table import describe_policy
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import read_named_policy, read_own_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject


@click.group()
def policy() -> None:
    """Check the policy of the gate."""


@policy.command()
@click.option(
    "--policy",
    "given",
    metavar="FILE|REV:PATH",
    help="The policy to check instead of that in the work tree.",
)
@json_option
def check(given: str | None) -> Answer:
    """Explain the policy in words; refuse one that cannot be read or contradicts itself.

    The gate itself reads the trusted side's policy: a change in the work tree counts once it is
    there.
    """
    repository = open_repository()
    policy = _read_policy(repository, given)
    sentences = list(describe_policy(policy))
    lines = [f"{policy.source} is valid:", *(f"- {each}" for each in sentences)]
    return Answer(_document(policy, sentences), map(visible, lines), is_info=True)


def _read_policy(repository: Repository, given: str | None) -> Policy:
    if given is not None:
        return read_named_policy(repository, given)
    if repository.work_tree is None:
        return read_own_policy(repository, repository.head().commit)
    return read_own_policy(repository, DirectorySnapshot(repository.work_tree))


def _document(policy: Policy, sentences: list[str]) -> JsonObject:
    return {
        "status": "ok",
        "source": policy.source,
        "mode": policy.mode,
        "govern": policy.govern,
        "accept": policy.accept,
        "verdicts": policy.verdicts,
        "refs": policy.refs,
        "rewrites": policy.rewrites,
        "protect": [glob for glob in policy.protect if glob not in policy.unprotect],
        "reject_text": policy.reject_text,
        "table": None if policy.table is None else dict(policy.table),
        "sentences": sentences,
    }


@click.group()
def ledger() -> None:
    """Manage the ledger, the records of edits in the tree."""


@ledger.command()
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
