"""Lines as the library reads them, the session to undo in, and the steps of `git commit`."""

from __future__ import annotations

from pathlib import Path

from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput, WrongArgument
from hkgit.git.repository import Repository
from hkgit.text.document import Document
from hkgit.values import dataclass

TYPE_CHECKING = False


@dataclass(frozen=True, slots=True)
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
    from hkgit.workflows.library import names_file  # which hooks do not need

    if not isinstance(content, str | bytes | Path):
        raise WrongArgument("content", content, "text, bytes or a Path", "Give one of these.")
    if isinstance(content, str) and names_file(content):
        fix = "Give the content itself, or the file as pathlib.Path."
        raise WrongArgument("content", content, "the content of a file, not its name", fix)
    data = content.read_bytes() if isinstance(content, Path) else content
    document = Document(encode_text(data) if isinstance(data, str) else data)
    total = document.line_count
    last = total if end_line is None else min(end_line, total)
    if not 1 <= start_line <= last + 1:
        raise InvalidInput(f"{start_line}-{end_line}", f"the file has {total} lines", "Read those.")
    lines = tuple(decode_text(line) for line in document.lines[start_line - 1 : last])
    return ReadRange(
        start_line=start_line,
        end_line=last,
        total_lines=total,
        range_hash=document.range_hash(start_line, last),
        range_lines=lines,
    )


def open_session(root: Path, name: str | None) -> EditSession:
    """Open the session of that name; without one, that of the newest call that is not undone.

    Raises InvalidInput where no call can be undone.
    """
    # A hook that records opens none.
    from hkgit.sessions.call_journal import SessionJournal
    from hkgit.sessions.edit_session import EditSession
    from hkgit.sessions.homes import find_folders
    from hkgit.sessions.outstanding import see_head

    if name is not None:
        return EditSession.open(root, name)
    journals = [SessionJournal(folder) for folder in find_folders(root)]
    see_head(root, journals)
    found = [(calls[-1].time, each.folder.name) for each in journals if (calls := each.standing)]
    if not found:
        fix = "hkgit edit keeps its calls in the git directory; so does --session elsewhere."
        raise InvalidInput("undo", "there is no call that can be undone", fix)
    return EditSession.open(root, max(found)[1])


if TYPE_CHECKING:
    from typing import Literal

    from hkgit.sessions.edit_session import EditSession
    from hkgit.workflows.library import Content

    RecordStep = Literal["staged", "message", "committed", "withdraw"]


def record(repository: Repository, step: RecordStep, message_file: str = "") -> tuple[str, ...]:
    """Do what is due at a point of `git commit`. Returns lines about what it could not cover.

    `staged` adds the entries of what is staged, `message` writes their trailers, `committed`
    forgets what HEAD's commit has recorded, `withdraw` takes the entries out again. `message_file`
    is what git's hook was given, empty where it was left out. Raises GitRefused where the index or
    the message cannot be read or written.
    """
    if step == "message":
        from hkgit.git.repository import find_message_file
        from hkgit.sessions.commit_message import sign

        sign(repository, find_message_file(repository, message_file))
        return ()
    from hkgit.sessions import stage

    if step == "staged":
        return stage.stage(repository).uncovered
    if step == "withdraw":
        stage.withdraw(repository)
    else:
        stage.settle_commit(repository)
        return list_commits_past_hooks(repository)
    return ()


def list_commits_past_hooks(repository: Repository) -> tuple[str, ...]:
    """List, a line each, commits made past the hooks that hold edits of sessions."""
    from hkgit.sessions.homes import may_wait

    root = repository.work_tree
    if root is None or not may_wait(root):
        return ()
    from hkgit.sessions.bypass import describe_commits_past_hooks, find_commits_past_hooks

    found = find_commits_past_hooks(repository, root)
    return tuple(describe_commits_past_hooks(repository, found))
