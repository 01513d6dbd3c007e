"""What a transcript says that an agent read and edited, one step at a time; no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.edits import Spec
from hkgit.sessions.told_changes import Told
from hkgit.values import dataclass


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
