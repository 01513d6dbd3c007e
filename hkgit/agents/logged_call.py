"""A call as its agent has logged it, with the paths of the machine where it ran."""

from __future__ import annotations

from hkgit.agents.events import Did
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.told_changes import LineHunk, Told

Record = JsonObject


@dataclass(frozen=True)
class Line:
    """One line of a log: where it is, and what it says."""

    where: str
    record: Record


@dataclass(frozen=True)
class LoggedCall:
    """One call: when, in which conversation and directory, and where the log says so.

    `time` is in milliseconds since 1970; `directory` is where the agent worked, "" if not told.
    `turn` is the answer of the model that asked for it; its other calls were written by then.
    What it `did` its tool says by the arguments and the answer, where the log does not itself.
    Without a tool it is a file that a prompt has shown. `is_new` says that its file was not there
    before, `hunks` what a diff says about it.
    """

    time: int
    conversation: str
    agent: str
    directory: str
    where: str
    id: str = ""
    tool: str = "attachment"
    turn: str = ""
    arguments: JsonObject = field(default_factory=dict)
    answer: object = None
    did: Did | None = None
    is_new: bool = False
    hunks: tuple[LineHunk, ...] = ()


_PATHS = ("file_path", "filePath", "path")
_WHOLE = ("content", "file_text")
"""Arguments that name the file of an edit, and that hold the whole of it."""


def tell(call: LoggedCall) -> Told:
    """Tell what a log says of an edit of a single file, beside the words of the call."""
    from hkgit.sessions.told_changes import Told, to_bytes  # hooks read no logs

    sent = call.arguments
    named = [sent[key] for key in _PATHS if isinstance(sent.get(key), str)][:1]
    whole = [to_bytes(sent[key]) for key in _WHOLE if isinstance(sent.get(key), str)][:1]
    return Told(
        names=tuple(named),
        before=dict.fromkeys(named) if call.is_new else None,
        after=dict(zip(named, whole, strict=False)) or None,
        hunks=dict.fromkeys(named, call.hunks) if call.hunks else None,
    )
