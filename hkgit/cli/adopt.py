"""Give a change its evidence after the fact: from transcripts, or made again as late."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import click

from hkgit.agents import list_logged
from hkgit.agents.transcripts.log_reader import Logs, find_logs, logs_at
from hkgit.agents.transcripts.log_words import adoption_json, adoption_lines, log_lines
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.history import resolve_range
from hkgit.cli.options import argument, declare, option
from hkgit.cli.output import print_note
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Rejected
from hkgit.evidence.verdict import BLIND, CandidateCommit, Finding
from hkgit.gate.ruling import Ruling
from hkgit.git.facts import find_agent_shell
from hkgit.git.repository import Repository, find_checkout
from hkgit.sessions.bypass import is_recorded
from hkgit.text.escape import count_noun
from hkgit.values import replace
from hkgit.workflows.adoption import (
    Adoption,
    adopt_commits,
    adopt_tree,
    list_changed_paths,
    store_checkout,
)
from hkgit.workflows.remade_commit import Remade, RemakeRequest, remake

QUICK = 64 * 2**20
"""So many bytes of transcripts are read while somebody waits for a commit."""


def open_logs(repository: Repository, source: str | None) -> Logs:
    """Open the transcripts that were named, or those that refer to one of the checkouts.

    Raises InvalidInput where there are none.
    """
    checkout = partial(find_checkout, repository)
    if source is not None and source not in list_logged():
        return Logs(logs_at(Path(source)), checkout)
    found = find_logs([*repository.list_checkouts()], os.environ, source)
    if not found:
        fix = "Give their directory: hkgit adopt --from DIRECTORY"
        raise InvalidInput("transcripts", "no agent logged work in this checkout", fix)
    return Logs(found, checkout)


def find_adoption(repository: Repository, candidate: CandidateCommit) -> str:
    """Find the command that takes all evidence of a commit from transcripts that explain it.

    Empty also where there are none, or more of them than can be read meanwhile.
    """
    try:
        found = find_logs([*repository.list_checkouts()], os.environ)
        if not found or sum(path.stat().st_size for path in found) > QUICK:
            return ""
        logs = Logs(found, partial(find_checkout, repository))
        if candidate.id is None:
            done = adopt_tree(repository, logs, candidate.tree, keeps=False)
            command = "hkgit adopt --staged"
        else:
            [done] = adopt_commits(repository, logs, (candidate.id,), keeps=False)
            command = f"hkgit adopt {candidate.id[:12]}"
    except (HkgitError, OSError):
        return ""
    return command if done.is_whole and done.entries else ""


def add_adoption(repository: Repository, ruling: Ruling) -> Ruling:
    """Name in a commit the command that takes its evidence from sessions or a transcript."""
    candidate = ruling.judged.candidate
    if len(candidate.parents) != 1 or repository.work_tree is None:
        return ruling
    if is_recorded(repository, candidate.parents[0], candidate.tree):
        return replace(ruling, redo="")
    command = "" if ruling.judged.entries else find_adoption(repository, candidate)
    return fix_blind(ruling, lambda each: fix_by_adoption(each, command)) if command else ruling


def fix_by_adoption(finding: Finding, command: str) -> Finding:
    """Name the command in a finding."""
    return replace(finding, fix=f"A transcript explains all of it: {command}", mend=command)


def fix_blind(ruling: Ruling, fix: Callable[[Finding], Finding]) -> Ruling:
    """Put a fix into the findings of a ruling that are about blind edits."""
    found = (fix(each) if each.rule == BLIND else each for each in ruling.findings)
    return replace(ruling, findings=tuple(found))


@declare
def adopt(
    *,
    commits: str | None = argument("[COMMIT | A..B]"),
    staged: bool = option("Explain what is staged (default: all uncommitted changes)."),
    working_tree: bool = option("Explain all uncommitted changes."),
    source: str | None = option(
        f"Only these transcripts: of one agent ({', '.join(list_logged())}), or at a path.",
        "--from",
        metavar="AGENT|DIR|FILE",
    ),
    dry_run: bool = option("Say what would be explained; keep nothing.", "-n", "--dry-run"),
) -> Answer:
    """Find evidence in an agent's own transcripts for what hooks missed.

    The transcript's readings and edits are replayed on the files as they were. Entries for an
    uncommitted change are made at its commit. A COMMIT is made again with them, and the answer is
    that of `hkgit redo`; for commits of A..B they are kept outside the history, under
    refs/hkgit/recovered/. What no call explains is listed by path and line, and the exit code is 6.
    """
    if sum((commits is not None, staged, working_tree)) > 1:
        raise click.UsageError("--staged, --working-tree and A..B exclude each other.")
    repository = open_repository()
    logs = open_logs(repository, source)
    if commits is not None and ".." not in commits and not dry_run:
        made = remake(repository, RemakeRequest(commits, transcripts=logs))
        return answer_remade(repository, made)
    done = _adopt(repository, logs, commits, working_tree, keeps=not dry_run)
    document = adoption_json(done, logs, is_kept=not dry_run)
    lines = chain(log_lines(logs), adoption_lines(repository, done, is_kept=not dry_run))
    code = 0 if all(each.is_whole for each in done) else Rejected.exit_code
    return Answer(document, lines, code, is_info=True)


def _in_range(repository: Repository, commits: str) -> tuple[str, ...]:
    """The commits of A..B that are no merges, parents first; or the one that is named."""
    if ".." not in commits:
        return (repository.resolve(commits),)
    asked = resolve_range(repository, commits)
    listed = repository.commits_between(asked.old, asked.new)
    return tuple(each for each in listed if len(repository.commit(each).parents) < 2)


def _adopt(
    repository: Repository, logs: Logs, commits: str | None, of_checkout: bool, *, keeps: bool
) -> list[Adoption]:
    """Explain commits; without a word what is staged, else what is in the checkout."""
    if commits is not None:
        return adopt_commits(repository, logs, _in_range(repository, commits), keeps=keeps)
    head, tree = repository.head().commit, None if of_checkout else repository.index_tree()
    before = repository.snapshot(head).tree_id
    if tree is None or not list_changed_paths(repository, before, tree):
        tree = store_checkout(repository)
    return [adopt_tree(repository, logs, tree, keeps=keeps)]


def answer_remade(repository: Repository, remade: Remade) -> Answer:
    """Answer with what is in place of a commit; what was left out or left alone is noted."""
    if remade.unsigned:
        named = ", ".join(each[:12] for each in remade.unsigned)
        print_note(f"signatures were left out, since they would be wrong: {named}; sign again")
    if remade.elsewhere:
        print_note(f"still with the old commit: {', '.join(remade.elsewhere)}")
    return Answer(remade.document, _list_remade(repository, remade), is_info=True)


def _list_remade(repository: Repository, remade: Remade) -> Iterator[str]:
    if remade.is_gone:
        yield "it changes nothing but the ledger, so it is skipped"
    elif not remade.commits:
        yield f"{remade.commit[:12]} passes as it is: nothing to make again"
    branch = repository.head().branch or "HEAD"
    for each in remade.commits:
        subject = repository.git("log", "-1", "--format=%s", each).text
        note = " (by hand)" if each == remade.by_hand else ""
        yield f"[{branch} {each[:12]}] {subject}{note}"
    for entries, how in (
        (remade.kept, "kept"),
        (remade.recorded, "of sessions added"),
        (remade.recovered, "recovered from transcripts"),
        (remade.late, "made, with the evidence `late`"),
    ):
        if entries:
            yield f"{count_noun(len(entries), 'entry', 'entries')} {how}"


@declare
def redo(
    *,
    message: str | None = option("The commit message.", "-m", "--message"),
    agent: str | None = option(
        "Who made the change, as name/version; by default the agent in whose shell this runs.",
        metavar="NAME",
    ),
    tree: str | None = option(
        "The tree that git was about to commit, not what is staged.", metavar="ID"
    ),
    patch: BinaryIO | None = option(
        "Let the COMMIT change what this patch says.", type=click.File("rb")
    ),
    vouch: bool = option("Vouch for the COMMIT: sign it, and say so in its message."),
    paths: tuple[str, ...] = argument("[COMMIT | PATHS...]"),
) -> Answer:
    """Make what is staged, or a commit, again as edits with evidence, and commit it.

    For a change that was made without hkgit and that no transcript explains. The evidence is
    `late`: the hash of the files as they were, read after the change. It passes if the policy
    accepts that. What is not staged stays as it is, and nothing is thrown away. With PATHS only
    these are committed, and the rest stays staged.

    With a COMMIT of the current history that one is made again: its author, dates, message and
    the entries that hold stay, sessions add theirs, and the commits after it follow. What a
    person added by hand is a commit of its own. Signatures do not stay: sign again. With --vouch
    it stays as it is, and a person whom a [[gate.manual]] of the policy grants its paths commits
    and signs it.
    """
    repository = open_repository()
    commit, paths = _split_commit(repository, paths)
    shell = find_agent_shell()
    if (vouch or patch is not None) and commit is None:
        raise click.UsageError("--vouch and --patch take a COMMIT.")
    if vouch and shell is not None:
        what, fix = f"this is the shell of {shell}", "A person vouches, in their own shell."
        raise GitRefused("--vouch", what, fix)
    if commit is None and agent is None and shell is not None:
        agent = shell.casefold().replace(" ", "-")
    request = RemakeRequest(
        commit=commit,
        paths=paths,
        tree=tree,
        agent=agent,
        message=message,
        patch=None if patch is None else patch.read(),
        vouches=vouch,
    )
    return answer_remade(repository, remake(repository, request))


def _split_commit(
    repository: Repository, words: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """Tell a commit from paths: a single word that names no file and names a commit."""
    if len(words) != 1 or os.path.lexists(words[0]) or words[0].startswith(":"):
        return None, words
    found = repository.git("rev-parse", "--verify", "-q", f"{words[0]}^{{commit}}", check=False)
    return (found.text, ()) if found.code == 0 else (None, words)
