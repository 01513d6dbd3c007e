"""Core value types: edits, specs, reads and files. No I/O.

Texts of edits are `str`; bytes that were not UTF-8 are in them as surrogate escapes, so that
`encode_text` gives back exactly the bytes that the agent wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hkgit.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object  # hooks load this module at each call of a tool, and nothing else of `typing`

REGULAR = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
SUBMODULE = 0o160000
DIRECTORY = 0o040000

END_OF_FILE = 10**9  # A line hint that no line number reaches: the last place is meant
MAX_EDITS = 1000  # So many edits a spec may hold, and so the record of one


@dataclass(frozen=True)
class Edit:
    """Replace the one place where `old_text` is in `path` by `new_text`.

    An empty `old_text` creates the file; with `at_end` it means the end of one that is there.
    `line_hint` breaks ties and nothing else; 0 favours the first place, `END_OF_FILE` the last,
    if the file ends with it. Each of `anchors` names a line, one below the other, and the place
    is below the last of them; an empty `old_text` then means right behind it. `heading` is the
    beginning of the line that opens the block of the place; it breaks ties too. `final_newline`
    says whether the file's last line shall have an end; None leaves that. `whole_lines` says that
    the edit was written in lines: its old text is no part of a longer line. `suspects` are new
    lines that look like marks of the notation: they are text only where the file has them.
    """

    path: str
    old_text: str
    new_text: str
    expected_hash: str | None = None
    line_hint: int | None = None
    replace_all: bool = False
    expected_count: int | None = None
    anchors: tuple[str, ...] = ()
    final_newline: bool | None = None
    at_end: bool = False
    heading: str = ""
    whole_lines: bool = field(default=False, compare=False)
    suspects: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class ReplaceRange:
    """Replace lines `start_line..end_line` of the base by `new_lines`; none of them deletes."""

    path: str
    start_line: int
    end_line: int
    new_lines: tuple[str, ...]
    expected_hash: str | None = None


@dataclass(frozen=True)
class InsertAfter:
    """Put `new_lines` between lines `after_line` and `after_line + 1` of the base."""

    path: str
    after_line: int
    new_lines: tuple[str, ...]
    expected_hash: str | None = None


@dataclass(frozen=True)
class CreateFile:
    """Make a file that is not there yet, byte for byte as given."""

    path: str
    new_text: str
    mode: int = REGULAR


@dataclass(frozen=True)
class WriteFile:
    """Make a file, or replace the whole of it; the hash is that of the whole of what is there."""

    path: str
    new_text: str
    expected_hash: str | None = None


@dataclass(frozen=True)
class DeleteFile:
    """Remove a file; the hash is that of the whole of it.

    `old_text`, if given, is the whole text as the author knew it: another one is stale.
    """

    path: str
    expected_hash: str | None = None
    old_text: str | None = None


@dataclass(frozen=True)
class RenameFile:
    """Move a file; the hash is that of the whole of it."""

    path: str
    new_path: str
    expected_hash: str | None = None


@dataclass(frozen=True)
class SetMode:
    """Make a file executable or not."""

    path: str
    mode: int


@dataclass(frozen=True)
class TagEdit:
    """Change the lines from `start_tag` to `stop_tag`, or the one line of `start_tag`.

    `new_lines` replace them, None deletes them; without a `stop_tag` they are put before the
    line. A tag (see `text/hashes.py`) means its first line in the file, or from `offset` on.
    With `is_exclusive` the line of `stop_tag` itself stays.
    """

    path: str
    start_tag: str
    stop_tag: str | None = None
    new_lines: tuple[str, ...] | None = None
    offset: int | None = None
    expected_hash: str | None = None
    is_exclusive: bool = False


AnyEdit = (
    Edit
    | ReplaceRange
    | InsertAfter
    | TagEdit
    | CreateFile
    | WriteFile
    | DeleteFile
    | RenameFile
    | SetMode
)


def expected_hash_of(edit: AnyEdit) -> str | None:
    """Return the hash that an edit expects of what it changes, if it names one."""
    return None if isinstance(edit, CreateFile | SetMode) else edit.expected_hash


def new_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit writes; lines without the last one's end; empty for none."""
    if isinstance(edit, Edit | CreateFile | WriteFile):
        return edit.new_text
    if isinstance(edit, ReplaceRange | InsertAfter | TagEdit):
        return "\n".join(edit.new_lines or ())
    return ""


def old_text_of(edit: AnyEdit) -> str:
    """Return the text that an edit quotes; empty for none."""
    return (edit.old_text or "") if isinstance(edit, Edit | DeleteFile) else ""


@dataclass(frozen=True)
class Spec:
    """A document of edits in one dialect.

    `sequential` says that each edit refers to what the edits before it left; the others all speak
    of the base. `digest` is the SHA-256 of the whole document, `name` where it was read from, if
    it is one of several. `miscounted` are the numbers, from 1, of edits whose hunk has other
    numbers of lines than its header says.
    """

    dialect: str
    edits: tuple[AnyEdit, ...]
    sequential: bool
    base: str | None = None
    agent: str | None = None
    summary: str | None = None
    digest: str = ""
    name: str | None = None
    miscounted: frozenset[int] = frozenset()

    @classmethod
    def of(cls, dialect: str, edits: Iterable[AnyEdit], **about: Any) -> Spec:
        """Make the spec of edits in a dialect, which says what each of them refers to."""
        return cls(dialect, tuple(edits), NOTATIONS[dialect].sequential, **about)


@dataclass(frozen=True)
class Notation:
    """The kinds of edits that a dialect can say; no kinds are all.

    `sequential` says whether each edit refers to what those before it left, else all refer to the
    base.
    """

    kinds: tuple[type[AnyEdit], ...] = ()
    sequential: bool = True


_CALLS = Notation((Edit, InsertAfter, TagEdit, CreateFile, WriteFile))

NOTATIONS: Mapping[str, Notation] = {
    "protocol": Notation(sequential=False),
    "harnesskit": _CALLS,
    "search-replace": Notation((Edit,)),
    "unified-diff": Notation((Edit, CreateFile, DeleteFile, RenameFile, SetMode), sequential=False),
    "apply-patch": Notation((Edit, CreateFile, DeleteFile, RenameFile)),
    "hashline": _CALLS,
    "text-editor": _CALLS,
}
"""Every dialect by its name."""


@dataclass(frozen=True)
class Read:
    """A range that was read, with its hash; without lines, the hash of some range or of all.

    `kind` is the evidence it gives: `hash` for --expect, `receipt` for a recorded reading,
    `late` for one after the fact.
    """

    path: str
    start_line: int | None
    end_line: int | None
    range_hash: str
    kind: str = "hash"


@dataclass(frozen=True)
class File:
    """A file as git keeps it: its bytes and its mode (links and submodules have one too)."""

    data: bytes
    mode: int = REGULAR


class Snapshot(Protocol):
    """Files at one moment: a commit's tree, a directory, a mapping."""

    def get(self, path: str) -> File | None:
        """Return the file at a root-relative path; a directory answers with mode DIRECTORY."""

    def paths(self) -> Iterable[str]:
        """List the path of every file."""


@dataclass(frozen=True)
class MappingSnapshot:
    """A snapshot of files held in memory."""

    files: Mapping[str, File] = field(default_factory=dict)

    def get(self, path: str) -> File | None:
        found = self.files.get(path)
        if found is None and any(name.startswith(path + "/") for name in self.files):
            return File(b"", DIRECTORY)
        return found

    def paths(self) -> Iterable[str]:
        return self.files


@dataclass(frozen=True)
class Overlay:
    """A snapshot with some files replaced; None where a file is gone."""

    below: Snapshot
    files: Mapping[str, File | None] = field(default_factory=dict)

    def get(self, path: str) -> File | None:
        return self.files[path] if path in self.files else self.below.get(path)

    def paths(self) -> Iterator[str]:
        yield from (path for path in self.below.paths() if path not in self.files)
        yield from (path for path, file in self.files.items() if file is not None)


def encode_text(text: str) -> bytes:
    """Encode an edit's text; lone surrogates become the bytes that they represent."""
    return text.encode("utf-8", "surrogateescape")


def decode_text(data: bytes) -> str:
    """Decode bytes into an edit's text; the inverse of `encode_text`, lossless for any bytes."""
    return data.decode("utf-8", "surrogateescape")
