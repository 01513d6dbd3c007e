"""What agents say that they read and edited, in an answer or in a log; no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.edits import Spec
from hkgit.values import dataclass

Texts = Mapping[str, bytes | None]


@dataclass(frozen=True)
class LineHunk:
    """Lines that were replaced, as a diff shows them, without their ends.

    `is_ended` is false where the last new line had no end, so it was the last of its file.
    `has_tabs` is false where tabs that lines begin with may be shown as two spaces each.
    """

    start_line: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    is_ended: bool = True
    has_tabs: bool = True


@dataclass(frozen=True)
class Told:
    """What is told about a change, by the names of its files.

    `before` and `after` are whole files, None for no file. `is_final` is false where somebody
    changed the result, so that only `after` tells it.
    """

    names: tuple[str, ...] = ()
    before: Texts | None = None
    after: Texts | None = None
    is_final: bool = True
    hunks: Mapping[str, tuple[LineHunk, ...]] | None = None


def to_bytes(text: str) -> bytes:
    """Return a text of JSON as bytes; half characters, which no file has, as question marks."""
    return text.encode("utf-8", "replace")


@dataclass(frozen=True)
class LoggedReading:
    """What the model was shown of a file: those of its lines from `start_line` on that are there.

    `whole` is the text of the file where all of it was shown. Where a command was asked, `said` is
    that, `asked` the ranges of lines in it, and `named` all files that it names: the answer may
    have their lines as well.
    """

    path: str
    answer: str
    start_line: int = 1
    whole: bytes | None = None
    said: str = ""
    asked: Mapping[int, int] | None = None
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoggedEdit:
    """A call that an edit tool took, and what is told about it by the paths of its files.

    `spec` is None where the log has no words that hkgit reads.
    """

    spec: Spec | None
    told: Told

    @property
    def paths(self) -> tuple[str, ...]:
        return self.told.names


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
