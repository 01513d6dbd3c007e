"""The trailers of the message of a commit that is being made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hkgit.evidence.additions import read_new_entries
from hkgit.evidence.entry import Entry
from hkgit.evidence.trailers import read_trailers, render_trailers, sign_words, split_template
from hkgit.git.facts import POLICIES
from hkgit.git.repository import Repository, find_comment_mark, read_message


def sign(repository: Repository, place: Path) -> bool:
    """Put the trailers of the entries being committed into a message; return whether it changed.

    A message without words stays as it is, so that git can still refuse an empty one, and an
    entry that the message names already is not named again. Raises InvalidInput.
    """
    message = read_message(place)
    parents = repository.commit_in_progress_parents()[0]
    entries = read_new_entries(repository, parents, repository.judged_tree)
    text, template = split_template(message, find_comment_mark(repository, message))
    named = read_trailers(text).entries
    new = [(name, entry) for name, entry in entries if name not in named]
    lines = (*_credit(repository, [entry for _, entry in new], text), *name_entries(new))
    if not lines or not text.strip():
        return False
    place.write_bytes(sign_words(text, template, lines))
    return True


def _credit(repository: Repository, entries: Sequence[Entry], text: bytes) -> list[str]:
    """The `Assisted-by` lines that the policy asks for; most policies ask for none."""
    head = repository.head().commit
    if head is None or not entries:
        return []
    files = map(repository.snapshot(head).get, POLICIES)
    told = b"".join(file.data for file in files if file is not None)
    if not any(word in told for word in (b"assisted_by", b"extends")):
        return []
    # Only then is the whole policy of interest.
    from hkgit.evidence.trailers import list_missing_lines
    from hkgit.gate.trusted_policy import read_trusted_policy

    is_asked = read_trusted_policy(repository, head).assisted_by == "require"
    return list_missing_lines(entries, text) if is_asked else []


def name_entries(entries: Sequence[tuple[str, Entry]]) -> tuple[str, ...]:
    """Write the trailers: all of them for one entry, only ids and agents for several."""
    if len(entries) == 1:
        [(name, entry)] = entries
        return render_trailers(entry, name)
    named = [f"Hkgit-Entry: sha256:{name}" for name, _ in entries]
    agents = dict.fromkeys(entry.agent for _, entry in entries)
    return (*named, *(f"Hkgit-Agent: {agent}" for agent in agents))
