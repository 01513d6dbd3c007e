"""Find text that ledger entries keep though no file of their commit has it.

Entries that an amend, a squash or a fixup brings into one commit keep what one of them wrote and
the next took away. No diff shows it: what git shows of the ledger is that a file is new.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from hkgit.edits import File, encode_text, new_text_of, old_text_of
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import read_recorded_spec
from hkgit.evidence.entry import LEDGER, Entry, entry_id, entry_path, read_entry
from hkgit.evidence.verdict import Entries
from hkgit.git.repository import Repository
from hkgit.text.document import Words, has_too_many_lines, words_of, words_of_files
from hkgit.text.paths import quote_path
from hkgit.values import dataclass


@dataclass(frozen=True)
class KeptText:
    """How many lines an entry keeps of some files that are in none of their versions."""

    entry: str
    agent: str
    paths: tuple[str, ...]
    lines: int

    @property
    def place(self) -> str:
        """Where the entry is in the tree."""
        return entry_path(self.entry)

    @property
    def described(self) -> str:
        """What is kept and where; never the text itself."""
        named = ", ".join(map(quote_path, self.paths))
        lines = "1 line" if self.lines == 1 else f"{self.lines} lines"
        return f"{self.place} keeps {lines} of {named} that neither the commit nor its parent has"


def find_kept_text(
    repository: Repository, tree: str, parents: Sequence[str], entries: Entries
) -> tuple[KeptText, ...]:
    """Find what the new entries of a commit keep that neither its tree nor its parents' have.

    What an edit quotes to be placed does not count, nor a file of too many lines.
    """
    paths = {path for _, entry in entries for file in entry.files for path in file.paths}
    trees = [tree, *(repository.commit(each).tree for each in parents)]
    snapshots = [repository.snapshot(each) for each in trees]
    files = [found for each in snapshots for path in paths if (found := each.get(path))]
    if any(has_too_many_lines(file.data) for file in files):
        return ()
    return tuple(_compare(entries, files))


def _compare(entries: Entries, files: Sequence[File]) -> Iterator[KeptText]:
    landed = words_of_files(files)
    for name, entry in entries:
        lost = _list_kept_words(entry, landed)
        lines = len(frozenset().union(*lost.values()))
        if lines:
            named = tuple(path for path, words in lost.items() if words)
            yield KeptText(name, entry.agent, named, lines)


def says_only(entry: Entry, landed: Words) -> bool:
    """Whether all that an entry writes is among these words, also what its edits wrote over."""
    alone = {hunk.edits for file in entry.files for hunk in file.hunks if len(hunk.edits) == 1}
    over = (encode_text(new_text_of(each.edit)) for each in entry.edits if (each.id,) not in alone)
    is_all = words_of(line for text in over for line in text.split(b"\n")) <= landed
    return is_all and not any(_list_kept_words(entry, landed).values())


def _list_kept_words(entry: Entry, landed: Words) -> dict[str, Words]:
    """List what an entry writes that is not among the words of some files, by path."""
    lost = {}
    for file in entry.files:
        texts = (encode_text(hunk.new_text) for hunk in file.hunks)
        lost[file.name] = words_of(line for text in texts for line in text.split(b"\n")) - landed
    for path, text in _list_texts(entry):
        lost[path] = lost.get(path, frozenset()) | text - landed
    # An edit of a part of a line is in the files, though it is no line of theirs.
    whole = b"\n".join(landed)
    return {path: frozenset(w for w in words if w not in whole) for path, words in lost.items()}


def _list_texts(entry: Entry) -> Iterator[tuple[str, frozenset[bytes]]]:
    """List what the edits of an entry write that is landed as they say it, and do not quote."""
    try:
        spec = read_recorded_spec(entry)
    except HkgitError:  # the gate says so
        return
    for recorded, edit in zip(entry.edits, spec.edits, strict=True):
        if not recorded.repairs and recorded.similarity == 1000:
            new, old = new_text_of(edit), old_text_of(edit)
            words = [words_of(encode_text(text).split(b"\n")) for text in (new, old)]
            yield recorded.path, words[0] - words[1]


def search_commits(
    repository: Repository, commits: Sequence[str]
) -> Iterator[tuple[str, KeptText]]:
    """Search commits for such text; yield each with the commit that brought it."""
    for commit_id, places in _find_added(repository, commits).items():
        commit = repository.commit(commit_id)
        snapshot = repository.snapshot(commit.tree)
        files = map(snapshot.get, places)
        entries = []
        for data in (file.data for file in files if file is not None):
            with suppress(InvalidInput):  # the gate says so
                entries.append((entry_id(data), read_entry(data)))
        for kept in find_kept_text(repository, commit.tree, commit.parents, entries):
            yield commit_id, kept


def _find_added(repository: Repository, commits: Sequence[str]) -> dict[str, list[str]]:
    """Find what each commit brings into the ledger itself."""
    listed = "".join(f"{each}\n" for each in commits).encode()
    options = ("-r", "-c", "--root", "--no-renames", "--diff-filter=A", "--name-only", "-z")
    found = repository.git("diff-tree", "--stdin", *options, "--", LEDGER, stdin=listed).stdout
    added: dict[str, list[str]] = {}
    places: list[str] = []
    for word in map(os.fsdecode, found.split(b"\0")):
        if "/" in word:
            places.append(word)
        elif word:
            places = added.setdefault(word, [])
    return added
