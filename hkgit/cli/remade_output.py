"""What `redo` and `adopt` say of a commit that was made again."""

from __future__ import annotations

from hkgit.cli.output import print_info, print_note
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun
from hkgit.workflows.remade_commit import Remade


def tell_remade(repository: Repository, remade: Remade) -> None:
    """Say what stands in the place of a commit, and what was left out or left alone."""
    if not remade.commits:
        print_info(f"{remade.commit[:12]} passes as it is: nothing to make again")
        return
    branch = repository.head().branch or "HEAD"
    for each in remade.commits:
        subject = repository.git("log", "-1", "--format=%s", each).text
        note = " (by hand)" if each == remade.by_hand else ""
        print_info(f"[{branch} {each[:12]}] {subject}{note}")
    if remade.kept:
        print_info(f"{count_noun(remade.kept, 'entry', 'entries')} kept")
    if remade.recovered:
        made = count_noun(remade.recovered, "entry", "entries")
        print_info(f"{made} recovered from transcripts")
    if remade.late:
        print_info(f"{count_noun(remade.late, 'entry', 'entries')} made, which say `late`")
    if remade.unsigned:
        named = ", ".join(each[:12] for each in remade.unsigned)
        print_note(f"signatures were left out, since they would be wrong: {named}; sign anew")
    if remade.elsewhere:
        print_note(f"still with the old commit: {', '.join(remade.elsewhere)}")
