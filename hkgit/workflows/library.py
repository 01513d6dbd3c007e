"""The library: what programs call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from hkgit import dialects
from hkgit.applying.files import DirectorySnapshot, has_file, write_files
from hkgit.applying.outcome import EditOutcome, Plan, files_after, files_before, refusal_text
from hkgit.applying.planner import Options, plan_spec
from hkgit.dialects.file_names import make_relative, parse_expect
from hkgit.edits import (
    AnyEdit,
    File,
    InsertAfter,
    MappingSnapshot,
    Overlay,
    Read,
    ReplaceRange,
    Snapshot,
    Spec,
    decode_text,
    encode_text,
)
from hkgit.errors import InvalidInput, WrongArgument
from hkgit.text.document import Document
from hkgit.values import dataclass, replace

Content = str | bytes
"""What a program gives and gets as the content of a file."""


def _check_edit(number: int, item: object) -> AnyEdit:
    """Return an edit unchanged. Raises WrongArgument for anything else."""
    where = f"edit {number}"
    if not isinstance(item, AnyEdit):
        fix = (
            "Write hkgit.Edit(path=..., old_text=..., new_text=...), or give JSON as text to"
            " parse_edits."
        )
        raise WrongArgument(where, item, "an edit", fix)
    for name in ("path", "new_path", "old_text", "new_text"):
        value = getattr(item, name, "")
        if not isinstance(value, str) and not (name == "old_text" and value is None):
            fix = "Give a string; of a file, its content." if "text" in name else "Give a string."
            raise WrongArgument(f"{where}, {name}", value, "a string", fix)
    return item


def _names_file(text: str) -> bool:
    """Whether a text is the name of a file that is there."""
    try:
        return "\n" not in text and Path(text).is_file()
    except (OSError, ValueError):  # too long, or with characters that no name has
        return False


Root = str | Path | Mapping[str, Content]
Given = str | bytes | Spec | Sequence[AnyEdit]

_UNSAID = "edits"
"""The dialect of edits that a program has made itself."""


@dataclass(frozen=True)
class EditResult:
    """What became of a batch: one outcome an edit, and the files that change.

    `files` maps a path to its new content, of the type that the root was given in (bytes for a
    directory), or to None where the file is deleted; it is empty unless every edit applied.
    """

    outcomes: tuple[EditOutcome, ...]
    files: Mapping[str, Content | None]

    @property
    def ok(self) -> bool:
        """Whether every edit applied."""
        return all(outcome.error is None for outcome in self.outcomes)

    def for_model(self) -> str:
        """Write the refusals as a message that an agent can act on; empty when all went well."""
        if self.ok:
            return ""
        return f"Nothing was applied.\n{refusal_text(self.outcomes)}"


class ParsedEdits(list[AnyEdit]):
    """The edits of a spec, with all else that `apply_edits` needs to apply them as it says."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec.edits)
        self.spec = spec

    @property
    def dialect(self) -> str:
        """The notation that the edits were written in."""
        return self.spec.dialect

    @property
    def sequential(self) -> bool:
        """Whether each edit refers to what those before it left; else all refer to the base."""
        return self.spec.sequential


def parse_edits(
    text: object,
    format: str = "auto",
    *,
    fmt: str | None = None,
    empty_search: str = "create",
) -> ParsedEdits:
    """Parse a spec in any dialect into edits. `fmt` is another name for `format`.

    Raises InvalidInput on text that is malformed or ends too early.
    """
    return _parse_for({}, text, fmt or format, empty_search)


def _parse_for(root: Root, text: object, fmt: str, empty_search: str) -> ParsedEdits:
    """Parse a spec for a root, whose files show which words are names. Raises InvalidInput."""
    if not isinstance(text, str | bytes):
        raise WrongArgument("text", text, "the text of a spec", "Read the file, and give its text.")
    if empty_search not in ("create", "append"):
        raise InvalidInput("empty_search", f"is {empty_search!r}", 'Give "create" or "append".')
    exists = root.__contains__ if isinstance(root, Mapping) else partial(has_file, root)
    try:
        spec = dialects.parse(text, fmt, exists=exists)
    except InvalidInput as error:
        words = decode_text(text) if isinstance(text, bytes) else text
        if _names_file(words):
            what, fix = "the text of a spec, not its file", "Give its content."
            raise WrongArgument("text", words, what, fix) from error
        raise
    return ParsedEdits(dialects.append_at_end(spec) if empty_search == "append" else spec)


def apply_edits(
    edits: Given,
    root: Root = ".",
    fmt: object = "auto",
    *,
    threshold: float = 0.8,
    dry_run: bool = False,
    relocate: bool = False,
    check_syntax: bool | None = None,
    allow_blind: bool = True,
    expect: Iterable[str | Read] = (),
    empty_search: str = "create",
) -> EditResult:
    """Apply edits to a directory, or to a mapping of paths to content, all or nothing.

    `edits` is the text of a spec in the dialect `fmt`, what `parse_edits` made of one, or a list
    of edits. Of a list each edit refers to what those before it left; where one of them names line
    numbers, all refer to the files as given. A mapping is never changed; a directory is written
    unless `dry_run`. A file that parsed and no longer does is refused where an edit of it was not
    exact; with `check_syntax` always, with False never. The other options mean what those of
    `hkgit apply` do; `allow_blind` is on.

    Refusals are in the outcomes. Raises GitRefused when a file cannot be written, InvalidInput
    for text that cannot be read, arguments that mean nothing, and a root that is not there.
    """
    if not isinstance(fmt, str):
        fix = "Options are keywords: apply_edits(edits, root, threshold=0.9)."
        raise WrongArgument("fmt", fmt, "the name of a dialect", fix)
    ground = Ground(
        root,
        threshold=threshold,
        dry_run=dry_run,
        relocate=relocate,
        check_syntax=check_syntax,
        allow_blind=allow_blind,
        expect=expect,
        empty_search=empty_search,
    )
    if isinstance(edits, str | bytes):
        edits = ground.parse(edits, fmt)
    return ground.land(ground.plan(_make_spec(edits)))


class Ground:
    """The files of a root as batches of edits leave them one after the other, and the way back.

    Without a directory to be written they stay in memory.
    """

    def __init__(
        self,
        root: Root,
        *,
        threshold: float,
        dry_run: bool,
        relocate: bool,
        check_syntax: bool | None,
        allow_blind: bool,
        expect: Iterable[str | Read],
        empty_search: str,
    ) -> None:
        self._options = Options.of(
            threshold,
            relocate=relocate,
            check_syntax=check_syntax,
            allow_blind=allow_blind,
            notes=False,
        )
        self._start = _take_snapshot(root)
        self._root = root
        self._home = None if dry_run or isinstance(root, Mapping) else Path(root)
        self._reads = [parse_expect(x) if isinstance(x, str) else x for x in expect]
        self._empty_search = empty_search
        self._before: dict[str, File | None] = {}
        self._changed: dict[str, File | None] = {}
        self.files: dict[str, Content | None] = {}

    def parse(self, text: object, fmt: str) -> ParsedEdits:
        """Parse a batch. Raises InvalidInput."""
        return _parse_for(self._root, text, fmt, self._empty_search)

    def plan(self, spec: Spec) -> Plan:
        """Plan a batch; what an earlier one has written, nobody has read."""
        if not spec.edits:
            return Plan((), ())
        files = self._start if self._home is not None else Overlay(self._start, self._changed)
        reads = [read for read in self._reads if read.path not in self._before]
        return plan_spec(_move_below(spec, self._root), files, self._options, reads)

    def land(self, plan: Plan) -> EditResult:
        """Put the edits of a batch in place, if every one applies. Raises GitRefused."""
        changed, before = files_after(plan), files_before(plan.files)
        if self._home is not None:
            write_files(self._home, changed, before)
        self._before = before | self._before
        self._changed |= changed
        self.files |= _list_contents(self._root, plan)
        return EditResult(plan.outcomes, dict(self.files))

    def undo(self) -> None:
        """Put the files back as they were."""
        if self._home is not None and self._before:
            write_files(self._home, self._before)
        self.files = {}


def _make_spec(edits: object) -> Spec:
    """The spec that edits are; they may have been added to since they were parsed."""
    if isinstance(edits, Spec):
        return edits
    if isinstance(edits, AnyEdit):
        raise WrongArgument("edits", edits, "a list of edits", "Put it into a list.")
    if not isinstance(edits, Iterable) or isinstance(edits, Mapping):
        fix = "For JSON give its text, or the list of edits that parse_edits makes of it."
        raise WrongArgument("edits", edits, "a text, a Spec or a list of edits", fix)
    items = tuple(_check_edit(number, item) for number, item in enumerate(edits, 1))
    if isinstance(edits, ParsedEdits):
        return replace(edits.spec, edits=items)
    is_numbered = any(isinstance(edit, ReplaceRange | InsertAfter) for edit in items)
    return Spec(_UNSAID, items, sequential=not is_numbered)


def _move_below(spec: Spec, root: Root) -> Spec:
    """The spec with absolute paths below a directory made relative to it."""
    if isinstance(root, Mapping):
        return spec
    for name in {str(Path(root).absolute()), str(Path(root).resolve())}:
        spec = replace(spec, edits=tuple(make_relative(edit, name) for edit in spec.edits))
    return spec


def _take_snapshot(root: object) -> Snapshot:
    """See a root as files. Raises InvalidInput for one that is none."""
    if isinstance(root, Mapping):
        for path, content in root.items():
            if not isinstance(content, str | bytes):
                fix = "Give the content, or a directory as root."
                raise WrongArgument(f"root[{path!r}]", content, "the content of a file", fix)
        return MappingSnapshot(
            {path: File(encode_text(c) if isinstance(c, str) else c) for path, c in root.items()}
        )
    if not isinstance(root, str | Path):
        fix = "Name a directory, or give a dict of paths to content."
        raise WrongArgument("root", root, "a directory or a mapping", fix)
    if not Path(root).is_dir():
        is_there = Path(root).exists()
        what = "is not a directory" if is_there else "there is no such directory"
        raise InvalidInput(str(root), what, "Name the directory that the paths start from.")
    return DirectorySnapshot(Path(root))


def _list_contents(root: Root, plan: Plan) -> dict[str, Content | None]:
    """List new content by path: bytes for a directory, else in the type of the old.

    New files of a mapping are text unless all else is bytes.
    """
    old = root if isinstance(root, Mapping) else {"": b""}
    is_all_bytes = {isinstance(content, bytes) for content in old.values()} == {True}
    given: dict[str, Content | None] = {}
    for change in plan.files:
        before = old.get(change.path or "")
        is_bytes = is_all_bytes if before is None else isinstance(before, bytes)
        for path, file in files_after(Plan((), (change,))).items():
            data = None if file is None else file.data
            given[path] = data if is_bytes or data is None else decode_text(data)
    return given


@dataclass(frozen=True)
class ReadRange:
    """Lines of a file with the hash that an edit of them quotes; the keys of `read --json`."""

    start_line: int
    end_line: int
    total_lines: int
    range_hash: str
    range_lines: tuple[str, ...]


def read_range(
    content: Content | Path, start_line: int = 1, end_line: int | None = None
) -> ReadRange:
    """Read lines of a file, or of its content, with their hash; an end past the last is clamped.

    A file is named by a Path; a string is content. Raises InvalidInput when the range starts
    outside the file or a string names a file, OSError when the file cannot be read.
    """
    if not isinstance(content, str | bytes | Path):
        raise WrongArgument("content", content, "text, bytes or a Path", "Give one of these.")
    if isinstance(content, str) and _names_file(content):
        fix = "Give the content itself, or the file as pathlib.Path."
        raise WrongArgument("content", content, "the content of a file, not its name", fix)
    data = content.read_bytes() if isinstance(content, Path) else content
    document = Document(encode_text(data) if isinstance(data, str) else data)
    total = document.line_count
    last = total if end_line is None else min(end_line, total)
    if not 1 <= start_line <= last + 1:
        raise InvalidInput(f"{start_line}-{end_line}", f"the file has {total} lines", "Read these.")
    lines = tuple(decode_text(line) for line in document.lines[start_line - 1 : last])
    return ReadRange(
        start_line=start_line,
        end_line=last,
        total_lines=total,
        range_hash=document.range_hash(start_line, last),
        range_lines=lines,
    )
