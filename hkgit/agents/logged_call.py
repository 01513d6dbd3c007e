"""A call as its agent has logged it, with the paths of the machine where it ran.

Each agent says what a line of its log tells: who speaks (`About`), that a call is asked for
(`LoggedCall`), and what came of it (`LoggedAnswer`). Here these become calls that have been made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.events import Did, ToolReading
from hkgit.agents.json_fields import parse_time, table, text
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, fields_of, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.log_steps import LineHunk, Told


@dataclass(frozen=True)
class Line:
    """One line of a log: where it is, and what it says."""

    where: str
    record: JsonObject

    def about(self, *, time: object = None, reader: object = None, **said: object) -> About:
        """Make an `About` of those values that are texts; most logs call the time `timestamp`."""
        texts = {name: text(value) or "" for name, value in said.items()}
        if reader:
            texts["conversation"] = name_conversation(said.get("conversation"), reader)
        time = self.record.get("timestamp") if time is None else time
        return About(self.where, parse_time(time), **texts)


@dataclass(frozen=True)
class About:
    """What a line says of itself and of all that follows; "" or 0 for what it does not say.

    `time` is in milliseconds since 1970; `directory` is where the agent works; `turn` names the
    answer of the model that the next calls are of: they were written before any had been made.
    """

    where: str = ""
    time: int = 0
    conversation: str = ""
    version: str = ""
    directory: str = ""
    turn: str = ""


@dataclass(frozen=True)
class LoggedCall:
    """One call; what its log says of it beside `About`, which is filled in.

    What it `did` its tool says by the arguments and the answer, where the log does not itself.
    Without a tool it is a file that a prompt has shown. `is_new` says that its file was not there
    before, `hunks` what a diff says about it. Of one that `has_failed` only commands count.
    """

    id: str
    tool: str = "attachment"
    arguments: JsonObject = field(default_factory=dict)
    answer: object = None
    did: Did | None = None
    time: int = 0
    conversation: str = ""
    agent: str = ""
    directory: str = ""
    where: str = ""
    turn: str = ""
    is_new: bool = False
    hunks: tuple[LineHunk, ...] = ()
    has_failed: bool = False

    @classmethod
    def of(cls, said: JsonObject, arguments: str) -> LoggedCall:
        """Read one that is asked for: most logs call its parts alike, but for its arguments."""
        return cls(str(said.get("id")), str(said.get("name")), table(said.get(arguments)))


@dataclass(frozen=True)
class LoggedAnswer:
    """What came of a call that was asked for before: its answer, or what it did."""

    id: str
    answer: object = None
    did: Did | None = None
    has_failed: bool = False


Said = About | LoggedCall | LoggedAnswer
"""What a line of a log says; a call without an answer is only asked for by then."""


Find = Callable[[Path, Mapping[str, str], Sequence[Path]], Iterator[Path]]
"""Finds the logs of an agent, by the home, the environment and the roots of checkouts."""


@dataclass(frozen=True)
class Log:
    """A form of logs: where they lie, and what they say of calls.

    One of lines of JSON has some that `detects` knows. Others end in `suffix` and have a reader,
    `read`, which raises OSError. What has one of the words `attached` may show files without a
    call.
    """

    name: str
    find: Find
    detects: Callable[[JsonObject], bool] = lambda record: False
    says: Callable[[Iterable[Line]], Iterator[Said]] = lambda lines: iter(())
    attached: tuple[bytes, ...] = ()
    suffix: str = ""
    read: Callable[[Path], Iterator[Said]] | None = None


def attach(number: object, shown: Iterable[ToolReading]) -> Iterator[LoggedCall]:
    """Tell the files that a line shows without a call, each by a number behind that of the line."""
    for at, read in enumerate(shown):
        yield LoggedCall(f"{number}.{at}", did=read)


def name_conversation(session: object, reader: object) -> str:
    """Name a conversation, or that of a sub-agent in it, which has seen what nobody else has."""
    name = text(session) or ""
    return f"{name[:18]}-{reader[-18:]}" if isinstance(reader, str) and reader else name


def join_calls(agent: str, said: Iterable[Said]) -> Iterator[LoggedCall]:
    """Yield every call whose answer a log holds, in the order of the answers."""
    about = About()
    asked: dict[tuple[str, str], LoggedCall] = {}
    for each in said:
        if isinstance(each, About):
            new = {name: told for name in fields_of(About) if (told := getattr(each, name))}
            about = replace(about, **new)
        elif isinstance(each, LoggedAnswer):
            if (call := asked.pop((about.conversation, each.id), None)) is not None:
                yield replace(
                    call,
                    time=about.time,
                    answer=each.answer,
                    did=each.did,
                    has_failed=each.has_failed,
                )
        else:
            call = replace(
                each,
                time=each.time or about.time,
                conversation=each.conversation or about.conversation or "unnamed",
                agent="/".join(filter(None, (agent, about.version))),
                directory=each.directory or about.directory,
                where=about.where,
                turn="" if isinstance(each.did, ToolReading) else each.turn or about.turn,
            )
            if call.answer is None and call.did is None:
                asked[about.conversation, call.id] = call
            else:
                yield call


_PATHS = ("file_path", "filePath", "path")
WHOLE = ("content", "file_text")
"""Arguments that name the file of an edit, and that hold the whole of it."""


def tell(call: LoggedCall) -> Told:
    """Tell what a log says of an edit of a single file, beside the words of the call."""
    from hkgit.workflows.log_steps import Told, to_bytes  # hooks read no logs

    sent = call.arguments
    named = [sent[key] for key in _PATHS if isinstance(sent.get(key), str)][:1]
    whole = [to_bytes(sent[key]) for key in WHOLE if isinstance(sent.get(key), str)][:1]
    return Told(
        names=tuple(named),
        before=dict.fromkeys(named) if call.is_new else None,
        after=dict(zip(named, whole, strict=False)) or None,
        hunks=dict.fromkeys(named, call.hunks) if call.hunks else None,
    )
