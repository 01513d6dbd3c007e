"""The calls of an agent's tools as values, the same for every agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.log_steps import Told

END = 10**9
"""A number that no line has."""

HOOK_SECONDS = 10
"""So long an agent waits for a hook of hkgit's at most, which takes a quarter of a second."""


@dataclass(frozen=True)
class ToolReading:
    """Lines of a file that the agent asked for; an end past the last line means that one.

    With an `answer` only those count that are in it, as they are or behind their numbers.
    `is_whole` says that it is all of the file.
    """

    path: str
    start_line: int
    end_line: int
    answer: str | None = None
    is_whole: bool = False


@dataclass(frozen=True)
class Snippets:
    """Pieces of a file that the agent was shown without being told where they are."""

    path: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Editing:
    """A call of the agent's own edit tool, as a spec in a dialect that hkgit reads.

    `shown` is what its answer shows of the file as it is then, `told` what it says about the edit.
    Of one that `is_untold` the agent says nothing once it is made.
    """

    text: str
    dialect: str
    shown: ToolReading | Snippets | None = None
    told: Told | None = None
    is_untold: bool = False


@dataclass(frozen=True)
class PendingToolEdit:
    """A file that the agent's own edit tool is about to change; how is at most `told` after it."""

    path: str
    told: Told | None = None


@dataclass(frozen=True)
class NotebookReading:
    """Cells of a notebook that the agent was shown, as their sources."""

    path: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Shell:
    """A command, what the agent was shown of its output, and what it says about changed files.

    It ran in `folder`, if that is told: absolute, or from where the agent works. Where a hook does
    not say what the model is shown, as a script of it gets the output or no hook is told, the
    transcript says it of the `call`; None where the hook does.
    """

    command: str
    output: str
    folder: str = ""
    told: Told | None = None
    call: str | None = None


@dataclass(frozen=True)
class Looks:
    """Several files that one call has shown, or commands that it has run, each with its answer.

    None of either tells that what an earlier event has left open may be known by now.
    """

    parts: tuple[ToolReading | Shell, ...]


@dataclass(frozen=True)
class LateEdit:
    """An edit that an agent reports when it may be made already.

    How the file was before has to be found out. `replaced` are the old and the new texts, in
    order; nothing for the whole of a file. With `is_asked` a person was asked first, so what was
    put aside is how it was.
    """

    edit: Editing
    replaced: tuple[tuple[str, str], ...] = ()
    is_asked: bool = False


@dataclass(frozen=True)
class UntoldLook:
    """A call that has shown something to the model, which is not told; a transcript may have it."""

    call: str


@dataclass(frozen=True)
class ServerCall:
    """A call of hkgit's own server that is about to be made: what it asks for."""

    arguments: Mapping[str, object]


Did = (
    ToolReading
    | NotebookReading
    | Editing
    | PendingToolEdit
    | Shell
    | Looks
    | LateEdit
    | UntoldLook
    | ServerCall
)


@dataclass(frozen=True)
class ToolEvent:
    """A call of a tool that is about to be made (`is_before`), or has been made.

    `session` names the agent's conversation; `directory` is where the agent works; `transcript` is
    the file in which the agent writes down what its model says and sees; `call` is the tool's;
    `turn` is the answer of the model that asked for it, where the hook is told.
    """

    is_before: bool
    session: str
    directory: Path
    did: Did
    transcript: Path | None = None
    call: str = ""
    turn: str = ""
