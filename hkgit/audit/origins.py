"""Find the commit, entry and edit that each line of a file comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache

from hkgit.applying.evidence import is_weak
from hkgit.audit.commits import History, is_unexplained, name_evidence
from hkgit.dialects.file_names import unquote_name
from hkgit.edits import decode_text, encode_text, new_text_of
from hkgit.errors import GitRefused, InvalidInput, Unverifiable
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.sequence import order_entries
from hkgit.evidence.verdict import Entries, Verdict
from hkgit.gate.ruling import BY_HAND, Ruling
from hkgit.git.repository import Repository
from hkgit.text.document import split_raw
from hkgit.values import dataclass

UNCOMMITTED_LINE = "uncommitted"
UNEXPLAINED = "unexplained"
"""On what a line rests that is in a commit with entries, and that none of them explains."""


@dataclass(frozen=True)
class Blamed:
    """One line of a file: its text, and where `git blame` says that it was written.

    `commit` is None for what is not committed yet; path and line are those in that commit.
    """

    number: int
    text: bytes
    commit: str | None
    commit_path: str
    commit_line: int


@dataclass(frozen=True)
class LineOrigin:
    """What the evidence says of a line: the ruling on its commit, and the edit that wrote it.

    `is_beside` says that it is beside the entries of its commit: somebody made it by hand.
    """

    line: Blamed
    ruling: Ruling | None = None
    entry_id: str | None = None
    entry: Entry | None = None
    edit: RecordedEdit | None = None
    is_beside: bool = False

    @property
    def kind(self) -> str:
        """What replay says of the commit; of a line beside its entries, that it is by hand."""
        if self.ruling is None:
            return UNCOMMITTED_LINE
        if self.ruling.judged.verdict is Verdict.VOUCHED:
            return str(Verdict.VOUCHED)
        if self.is_beside:
            return BY_HAND
        return self.ruling.replay

    @property
    def evidence(self) -> str:
        """The evidence of the edit that wrote the line, or in words why there is none."""
        if self.ruling is None:
            return UNCOMMITTED_LINE
        if self.edit is not None and self.entry is not None:
            return name_evidence(self.ruling, self.entry, self.edit)
        if self.ruling.judged.entries:
            return UNEXPLAINED
        return self.kind

    @property
    def is_weak(self) -> bool:
        """Whether an agent may have written it unseen, as far as anybody can tell."""
        if self.ruling is None or self.edit is not None:
            return self.edit is not None and is_weak(self.edit.evidence)
        return self.is_beside or is_unexplained(self.ruling)


def blame_file(
    repository: Repository, path: str, rev: str | None, lines: str | None = None
) -> Iterator[Blamed]:
    """Blame the lines of a file, of the working tree's without a revision.

    Raises InvalidInput where there is no such file or no such lines.

    `lines` is written as for `git blame -L`.
    """
    options = ["--porcelain", "--no-textconv", "--ignore-revs-file="]
    options += [] if lines is None else ["-L", lines]
    revision = [] if rev is None else [repository.resolve(rev)]
    try:
        output = repository.git("blame", *options, *revision, "--", path).stdout
    except GitRefused as error:
        repository.resolve("HEAD")  # where nothing is committed yet, that is what to say
        raise InvalidInput(path, error.what, "Check the path, the revision, the lines.") from error
    return _parse_porcelain(output)


def _parse_porcelain(porcelain: bytes) -> Iterator[Blamed]:
    """Parse the lines that `git blame --porcelain` says (git-blame(1), "The Porcelain Format")."""
    paths: dict[str, str] = {}
    head: list[str] = []
    for raw in split_raw(porcelain):
        if raw.startswith(b"\t"):
            commit, original, final = head[0], int(head[1]), int(head[2])
            real = commit if commit.strip("0") else None
            yield Blamed(
                number=final,
                text=raw[1:].removesuffix(b"\n"),
                commit=real,
                commit_path=paths[commit],
                commit_line=original,
            )
            head = []
        elif not head:
            head = raw.decode("ascii", "replace").split()
        elif raw.startswith(b"filename "):
            paths[head[0]] = unquote_name(decode_text(raw[9:-1]))


class LineOrigins:
    """Finds the origin of lines; each commit is judged once."""

    def __init__(self, history: History) -> None:
        self.repository = history.repository
        self.rule = cache(history.rule)
        self._order = cache(self._order_entries)

    def of(self, line: Blamed) -> LineOrigin:
        """Find the origin of a line."""
        if line.commit is None:
            return LineOrigin(line)
        ruling = self.rule(line.commit)
        if _is_beside(ruling, line):
            return LineOrigin(line, ruling, is_beside=True)
        entries = self._order(line.commit)
        # Where a rebase has moved it, by its text.
        wrote = _by_place(entries, line) or _by_text(entries, line) or ()
        return LineOrigin(line, ruling, *wrote)

    def _order_entries(self, commit: str) -> Entries:
        """Order the commit's entries, the last one first."""
        judged = self.rule(commit).judged
        entries, parents = judged.entries, judged.candidate.parents
        if len(entries) > 1 and parents:
            with suppress(Unverifiable):
                entries = tuple(order_entries(entries, self.repository.snapshot(parents[0])))
        return entries[::-1]


def _is_beside(ruling: Ruling, line: Blamed) -> bool:
    """Whether a line is one that no entry of its commit accounts for."""
    return any(
        first <= line.commit_line <= last
        for left in ruling.judged.leftovers
        if left.path == line.commit_path
        for first, last in left.lines
    )


Wrote = tuple[str, Entry, RecordedEdit]
"""The edit that wrote a line, and its entry."""


def _by_place(entries: Entries, line: Blamed) -> Wrote | None:
    """Back from the last entry to the first; what no hunk wrote moves as the hunks say."""
    path: str | None = line.commit_path
    number = line.commit_line
    for name, entry in entries:
        file = next((each for each in entry.files if each.new_path == path), None)
        if file is None:
            continue
        found = _hunk_at(file, number)
        if isinstance(found, tuple):
            edits, text = found
            return _find_edit(name, entry, edits, text) if text == line.text else None
        number, path = number - found, file.path
    return None


def _hunk_at(file: RecordedFile, number: int) -> tuple[Sequence[int], bytes] | int:
    """The edits and the text of the hunk's line at a line of the result; else how far it moved."""
    shift = 0
    for hunk in file.hunks:
        new = _new_lines(hunk.new_text)
        start = hunk.start_line + shift
        if start <= number < start + len(new):
            return hunk.edits, new[number - start]
        if number < start:
            break
        shift += len(new) - (hunk.end_line - hunk.start_line + 1)
    return shift


def _by_text(entries: Entries, line: Blamed) -> Wrote | None:
    """The one edit whose hunk holds the line; None where several do."""
    found = {
        (name, hunk.edits): entry
        for name, entry in entries
        for file in entry.files
        if file.new_path == line.commit_path
        for hunk in file.hunks
        if line.text in _new_lines(hunk.new_text)
    }
    if len(found) != 1:
        return None
    [((name, edits), entry)] = found.items()
    return _find_edit(name, entry, edits, line.text)


def _find_edit(name: str, entry: Entry, edits: Sequence[int], line: bytes) -> Wrote | None:
    """Find the edit of a hunk that says a line; hunks that touched are one, of several edits."""
    known = [edit for edit in entry.edits if edit.id in edits]
    if not known:
        return None
    best = known[0] if len(known) == 1 else max(known, key=lambda edit: _says(edit, line))
    return name, entry, best


def _says(edit: RecordedEdit, line: bytes) -> int:
    """How much of a line an edit says itself: all of it, a part of it, nothing."""
    pieces = [piece for piece in encode_text(new_text_of(edit.edit)).split(b"\n") if piece]
    if line in pieces:
        return len(line) + 1
    return max((len(piece) for piece in pieces if piece in line), default=0)


def _new_lines(text: str) -> list[bytes]:
    """The lines of a hunk as `git blame` shows them: with a carriage return, without the end."""
    return [raw.removesuffix(b"\n") for raw in split_raw(encode_text(text))]
