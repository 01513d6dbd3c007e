"""What a repository keeps: its policy in words, entries to prune, and signatures."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.applying.files import DirectorySnapshot
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.history import POLICY, find_history, resolve_range
from hkgit.cli.options import argument, declare, group, option
from hkgit.errors import InvalidInput
from hkgit.gate.policy.key_table import describe_policy
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import read_named_policy, read_own_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import JsonObject


@declare
def check(
    *,
    given: str | None = option(
        "The policy to check instead of that in the work tree.", "--policy", metavar="FILE|REV:PATH"
    ),
) -> Answer:
    """Explain the policy in words; refuse one that cannot be read or contradicts itself.

    The gate itself reads the trusted side's policy: a change in the work tree counts once it is
    there.
    """
    repository = open_repository()
    policy = _read_policy(repository, given)
    sentences = list(describe_policy(policy))
    lines = [f"{policy.source} is valid:", *(f"- {each}" for each in sentences)]
    return Answer(_document(policy, sentences), map(visible, lines), is_info=True)


policy = group("Check the policy of the gate.", check=check)


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


@declare
def prune(
    *,
    before: str | None = option("Only entries that this revision has.", metavar="REV"),
    keep: int | None = option("Keep the N newest.", type=click.IntRange(1), metavar="N"),
    message: str | None = option("The commit message.", "-m", "--message"),
    dry_run: bool = option("Only count them.", "-n", "--dry-run"),
    yes: bool = option("Without --before and --keep: remove all of them."),
) -> Answer:
    """Commit the removal of entries from the tree; they stay in the history.

    --before and --keep say which; all of them need --yes.
    """
    # Only here is the machinery of commits needed.
    from hkgit.workflows.ledger_prune import prune as prune_ledger

    done = prune_ledger(
        open_repository(), before=before, keep=keep, message=message, allow_all=yes, dry_run=dry_run
    )
    entries = list(done.entries)
    if done.commit is None:
        line = f"{count_noun(len(entries), 'entry', 'entries')} could be removed"
        return Answer({"status": "prunable", "entries": entries}, [line], is_info=True)
    answer = {"status": "pruned", "commit": done.commit, "entries": entries}
    line = f"[{done.branch} {done.commit[:12]}] {done.message.splitlines()[0]}"
    return Answer(answer, [line], is_info=True)


ledger = group("Manage the ledger, the records of edits in the tree.", prune=prune)


@declare
def attest(
    *,
    commits: str | None = argument("A..B"),
    key: str | None = option("The private SSH key to sign with.", metavar="FILE"),
    entries: bool = option("Sign the entries that A..B adds, not the verdict."),
    target: str | None = option("The ref that the commits are for.", metavar="REF"),
    policy: str | None = POLICY,
    output: str | None = option("Write it to a file instead of a ref.", metavar="FILE"),
    resource: str | None = option("The repository [default: its remote].", metavar="URI"),
    add: str | None = option("Store an attestation from a file.", metavar="FILE"),
) -> Answer:
    """Judge A..B and, if every commit passes, sign that with an SSH key.

    A later commit with B's tree, on a parent with A's tree, then passes as `attested` if the
    policy trusts the key: a squash that a host makes of judged work. Kept under
    refs/hkgit/attestations/: push them to where the gate runs.

    With --entries each ledger entry is signed by its id, which a rebase, a squash and a
    cherry-pick do not change. Kept under refs/hkgit/entries/.

    What is signed is a SLSA source verification summary, an in-toto statement in DSSE, which other
    tools read as well.
    """
    repository = open_repository()
    if add is not None:
        if commits is not None or key is not None or entries:
            raise click.UsageError("--add takes no range, no key and no --entries.")
        try:
            return _keep(repository, Path(add).read_bytes())
        except InvalidInput as error:
            raise InvalidInput(f"{add}: {error.where}", error.what, error.fix) from error
    if commits is None or key is None:
        raise click.UsageError("A..B and --key are needed.")
    if entries:
        if (target, policy, output, resource) != (None, None, None, None):
            raise click.UsageError("--entries takes a range and a key, nothing else.")
        asked = resolve_range(repository, commits)
        return _sign_entries(repository, asked.old or "", asked.new, Path(key))
    history = find_history(repository, commits, policy, is_range=True)
    from hkgit.workflows.attestation import attest

    named = resource or _find_resource(repository)
    data = attest(repository, history.asked, history.policy, Path(key), target, named).to_bytes()
    if output is None:
        return _keep(repository, data)
    Path(output).write_bytes(data)
    line = f"attested {commits} in {output}"
    return Answer({"status": "attested", "file": output}, [line], is_info=True)


def _find_resource(repository: Repository) -> str | None:
    """Find the URI of a repository by its remote, as SPDX writes it."""
    from hkgit.audit.tables.rows import find_url

    url = find_url(repository)
    is_public = url is not None and url.startswith(("https://", "file://"))
    return f"git+{url}" if is_public else None


def _sign_entries(repository: Repository, old: str, new: str, key: Path) -> Answer:
    from hkgit.workflows.attestation import sign_entries

    refs = sign_entries(repository, old, new, key)
    signed = [{"entry": f"sha256:{name}", "ref": ref} for name, ref in refs.items()]
    line = f"signed {count_noun(len(refs), 'entry', 'entries')}"
    return Answer({"status": "signed", "entries": signed}, [line], is_info=True)


def _keep(repository: Repository, data: bytes) -> Answer:
    from hkgit.gate.attestations import statement

    envelope = statement.read_envelope(data)
    said = statement.read_statement(envelope.payload)
    folder = statement.change_refs(said.base_tree, said.tree)
    ref = statement.store_envelope(repository, folder, envelope)
    return Answer({"status": "attested", "ref": ref}, [f"attested in {ref}"], is_info=True)
