"""Make what is staged, or a commit, again with evidence."""

from __future__ import annotations

import os
from typing import BinaryIO

import click

from hkgit.cli.common import open_repository
from hkgit.cli.output import print_info, print_note
from hkgit.errors import GitRefused
from hkgit.git.facts import find_agent_shell
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun
from hkgit.workflows.remade_commit import Remade, RemakeRequest, remake


def tell_remade(repository: Repository, remade: Remade) -> None:
    """Say what is in place of a commit, and what was left out or left alone."""
    if remade.is_gone:
        print_info("it changes nothing but the ledger, so it is skipped")
    elif not remade.commits:
        print_info(f"{remade.commit[:12]} passes as it is: nothing to make again")
        return
    branch = repository.head().branch or "HEAD"
    for each in remade.commits:
        subject = repository.git("log", "-1", "--format=%s", each).text
        note = " (by hand)" if each == remade.by_hand else ""
        print_info(f"[{branch} {each[:12]}] {subject}{note}")
    for entries, how in (
        (remade.kept, "kept"),
        (remade.recorded, "of sessions added"),
        (remade.recovered, "recovered from transcripts"),
        (remade.late, "made, with the evidence `late`"),
    ):
        if entries:
            print_info(f"{count_noun(len(entries), 'entry', 'entries')} {how}")
    if remade.unsigned:
        named = ", ".join(each[:12] for each in remade.unsigned)
        print_note(f"signatures were left out, since they would be wrong: {named}; sign again")
    if remade.elsewhere:
        print_note(f"still with the old commit: {', '.join(remade.elsewhere)}")


@click.command()
@click.option("-m", "--message", help="The commit message.")
@click.option(
    "--agent",
    metavar="NAME",
    help="Who made the change, as name/version; by default the agent in whose shell this runs.",
)
@click.option(
    "--tree", metavar="ID", help="The tree that git was about to commit, not what is staged."
)
@click.option("--patch", type=click.File("rb"), help="Let the COMMIT change what this patch says.")
@click.option(
    "--vouch", is_flag=True, help="Vouch for the COMMIT: sign it, and say so in its message."
)
@click.argument("paths", nargs=-1, metavar="[COMMIT | PATHS...]")
def command(
    *,
    message: str | None,
    agent: str | None,
    tree: str | None,
    patch: BinaryIO | None,
    vouch: bool,
    paths: tuple[str, ...],
) -> None:
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
    tell_remade(repository, remake(repository, request))


def _split_commit(
    repository: Repository, words: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """Tell a commit from paths: a single word that names no file and names a commit."""
    if len(words) != 1 or os.path.lexists(words[0]) or words[0].startswith(":"):
        return None, words
    found = repository.git("rev-parse", "--verify", "-q", f"{words[0]}^{{commit}}", check=False)
    return (found.text, ()) if found.code == 0 else (None, words)
