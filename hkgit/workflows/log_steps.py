"""What a transcript says that an agent read and edited, one step at a time; no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.edits import Spec
from hkgit.values import dataclass

Texts = Mapping[str, bytes | None]
"""Contents by path from the root; None where there is no file."""


@dataclass(frozen=True)
class LoggedReading:
    """What the model was shown of a file: those of its lines from `start_line` on that are there.

    `whole` is the text of the file where all of it was shown. Where a command was asked, `said` is
    that, `asked` the ranges of lines in it, and `named` all files that it names: their lines may
    are in its answer as well.
    """

    path: str
    answer: str
    start_line: int = 1
    whole: bytes | None = None
    said: str = ""
    asked: Mapping[int, int] | None = None
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoggedHunk:
    """Lines that a log says were replaced, without their ends; `start_line` as diffs count it.

    `is_ended` is false where the last new line had no end, so it was the last of its file; None
    where that is not told. `has_tabs` is false where tabs that lines begin with may be shown as
    two spaces each.
    """

    start_line: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    is_ended: bool | None = True
    has_tabs: bool = True


@dataclass(frozen=True)
class LoggedEdit:
    """A call of an edit tool that the tool took.

    `spec` is None where the log has no words that hkgit reads. `before` and `after` hold the files
    as the log itself tells them, None where it does not; `hunks` what it tells as a diff, by path.
    `replacements` are old and new text, and
    whether all places were meant, of a tool that replaces literally. Where `is_final` is false,
    somebody changed what the call made, so only `after` tells the result.
    """

    paths: tuple[str, ...]
    spec: Spec | None
    before: Texts | None = None
    after: Texts | None = None
    replacements: tuple[tuple[bytes, bytes, bool], ...] = ()
    is_final: bool = True
    hunks: Mapping[str, tuple[LoggedHunk, ...]] | None = None


@dataclass(frozen=True)
class Step:
    """One step: when (milliseconds since 1970), in which conversation, and where the log says so.

    `session` is a name that directories may have; a sub-agent has one of its own. `where` is the
    log and its line, `call` the id that the log gives the call, `turn` the answer of the model
    that asked for it, "" if that is not told.
    """

    time: int
    session: str
    agent: str
    where: str
    call: str
    tool: str
    did: LoggedReading | LoggedEdit
    turn: str = ""
