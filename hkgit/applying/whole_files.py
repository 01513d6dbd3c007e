"""Edits of whole files: create, overwrite, delete, rename, change the mode."""

from __future__ import annotations

from hkgit.applying.context import EditContext
from hkgit.applying.evidence import ABSENT, Evidence, whole
from hkgit.applying.outcome import EditOutcome, place_edit
from hkgit.applying.workspace import FileState, Workspace
from hkgit.edits import (
    DeleteFile,
    Edit,
    RenameFile,
    SetMode,
    WriteFile,
    encode_text,
    expected_hash_of,
)
from hkgit.errors import InvalidInput, Stale
from hkgit.matching import guards
from hkgit.text.document import Document, terminate
from hkgit.text.escape import quote_word
from hkgit.values import replace

WholeFileEdit = WriteFile | DeleteFile | RenameFile | SetMode


def create(workspace: Workspace, number: int, path: str, text: str, mode: int) -> EditOutcome:
    """Make a file. Raises Stale when it exists: absence is what was expected.

    Raises InvalidInput for text that nobody means to write.
    """
    workspace.create(path, encode_text(text), number, mode)
    guards.check_whole(None, Document(encode_text(text)), path)
    return place_edit(number, path, "file", ABSENT, lines=(1, 0), base_lines=(1, 0))


def change_file(
    workspace: Workspace, context: EditContext, edit: WholeFileEdit | Edit, dialect: str
) -> EditOutcome:
    """Change a file as a whole; an edit without old text or anchors fills an empty one.

    Raises Stale for a hash or quoted text that fails, InvalidInput where edits of the base overlap
    and for a file to be filled that is not empty.
    """
    if isinstance(edit, Edit):
        if context.document.line_count:
            can_append = dialect in ("search-replace", "harnesskit")
            otherwise = "; to append it to the file, give --empty-search append" * can_append
            raise InvalidInput(
                edit.path,
                "the old text is empty, but the file exists and is not empty",
                f"Quote the lines that the new text replaces or follows{otherwise}.",
            )
        edit = WriteFile(edit.path, edit.new_text, edit.expected_hash)
    if context.in_base:
        _check_alone(context, edit)
    everything = whole(context.base)
    evidence = context.settle_evidence((everything,), expected_hash_of(edit))
    if isinstance(edit, DeleteFile) and edit.old_text is not None:
        # Text that is quoted whole must be the file's, and is evidence where there is no other.
        if Document(encode_text(edit.old_text)).lines != context.base.lines:
            what = "the file is not the one that the edit removes"
            raise Stale(edit.path, what, f"Read it again (`hkgit read {quote_word(edit.path)}`).")
        evidence = Evidence("quote") if evidence.kind == "none" else evidence
    match edit:
        case WriteFile():
            guards.check_whole(context.document, Document(encode_text(edit.new_text)), edit.path)
            workspace.put(_overwritten(context, edit.new_text))
        case RenameFile():
            workspace.rename(context.state, edit.new_path)
        case DeleteFile():
            workspace.delete(context.state, context.number)
        case SetMode():
            workspace.put(replace(context.state, mode=edit.mode))
    return place_edit(
        context.number,
        edit.path,
        "file",
        evidence,
        lines=whole(context.document),
        base_lines=everything,
    )


def _check_alone(context: EditContext, edit: WholeFileEdit) -> None:
    """Lines can be changed in a file that moves, not in one that is written again or removed."""
    state = context.state
    is_moved_twice = isinstance(edit, RenameFile) and state.path != state.origin
    if is_moved_twice or (isinstance(edit, WriteFile | DeleteFile) and state.is_touched):
        raise context.overlap(edit.path)


def _overwritten(context: EditContext, text: str) -> FileState:
    """The file with new text; it keeps its byte order mark and, if all are, its CRLF ends."""
    data = encode_text(text).removeprefix(context.base.bom)
    ends = {context.base.end_of(number) for number in range(1, context.base.line_count + 1)}
    if ends == {b"\r\n"} and b"\r" not in data:
        data = data.replace(b"\n", b"\r\n")
    document = Document(data)
    present = context.state.draft.document
    draft = context.state.draft.replace(
        len(present.bom), len(present.data), terminate(document).data, context.number
    )
    return replace(context.state, draft=draft, is_terminated=document.is_terminated, is_closed=True)
