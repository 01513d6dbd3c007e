"""The files in which agents log: which are of a checkout, and what one says at its end.

Its end is read while the conversation goes on: hooks look there for what they are not told.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

from hkgit.agents.events import END, ToolReading
from hkgit.agents.json_fields import parse_value, table, tables
from hkgit.agents.logged_call import About, Find, Line, Log, LoggedCall, Said
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

_HEAD = 2**22
"""So many bytes of a log are searched for the path of a checkout."""


def does_mention(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a log names one of the checkouts near its beginning."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(os.fsencode(root) in head for root in roots)


def is_named_after(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a directory of a log is named after a checkout, or one below it.

    It is called by its path, with a dash for all that is no letter or digit.
    """
    slugs = [re.sub(r"[^A-Za-z0-9]", "-", str(root)) for root in roots]
    return any(f"{part}-".startswith(f"{slug}-") for part in path.parts for slug in slugs)


@dataclass(frozen=True)
class Home:
    """Where an agent keeps what is a user's: `below` what a variable names, or a default."""

    variable: str
    default: str
    """From the user's own home."""
    below: str = ""

    def find(self, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Path:
        """Find it. Raises RuntimeError where no home of the user is known."""
        named = environment.get(self.variable)
        return Path(named or (home or Path.home()) / self.default, self.below)

    def logs(
        self, pattern: str, is_of: Callable[[Path, Sequence[Path]], bool] = does_mention
    ) -> Find:
        """Make what finds the logs there that are of a checkout."""
        return lambda home, environment, roots: (
            path for path in self.find(environment, home).glob(pattern) if is_of(path, roots)
        )


def ask(place: Path, question: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of an answer; `:session` is one that a path below the database's names.

    It is "" for that path itself. Raises OSError where the database cannot be read.
    """
    import sqlite3  # two agents keep databases

    path, session = (place, "") if place.is_file() else (place.parent, place.name)
    try:
        where = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=1)) as database:
            yield from database.execute(question, {"session": session})
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def knows_directory(path: Path, roots: Sequence[Path], question: str) -> bool:
    """Whether a database answers with one of some directories, or one below it."""
    names = [str(root) for root in roots]
    try:
        found = [str(each) for (each,) in ask(path, question)]
    except OSError:
        return False
    return any(f"{each}/".startswith(f"{name}/") for each in found for name in names)


_LARGEST_TRANSCRIPT = 64 * 2**20
"""A transcript of more bytes is not read as a whole: the agent waits."""

_TAIL = 8 * 2**20
_BLOCK = 2**18
"""So many bytes of a transcript are looked through, from its end, and at once."""

_ANSWERS = b'"assistant"', b'"gemini"', b"assistant.message"
"""Words of the lines that are answers of models."""

_LAG = 1.0
"""For so many seconds a transcript may lack what its agent does: hooks run while it is written."""

_PAUSE = 0.02


def wait_for_turn(transcript: Path, find: Callable[[], str]) -> str:
    """Ask which answer of the model a call is of until a transcript tells; "" if it does not.

    A missing one is not waited for: the hooks may run where an agent keeps none.
    """
    if not transcript.exists():
        return ""
    end = time.monotonic() + _LAG
    while not (turn := find()) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return turn


def find_turn(log: Log, transcript: Path, call: str) -> str:
    """Name the answer of the model that asked for a call; "" where the transcript lacks it."""
    is_found = False
    for record in list_lines_back(transcript, call.encode(), b"_output"):
        said = [*log.says([Line("", record)])]
        # Codex tells what a call has done in a line of its own, before what it has answered.
        asked = (x for x in said if isinstance(x, LoggedCall) and x.did is None)
        is_found |= any(each.id == call for each in asked)
        # A call of which a line says no answer is of the one that was named before.
        if is_found and (turn := _find_answer(said)):
            return turn
    return "first" if is_found else ""


def find_last_turn(log: Log, transcript: Path) -> str:
    """Name the last answer of the model: its calls are made before it gives the next one."""
    lines = (Line("", record) for record in list_lines_back(transcript, *_ANSWERS))
    return next((turn for line in lines if (turn := _find_answer(log.says([line])))), "")


def _find_answer(said: Iterable[Said]) -> str:
    return next((each.turn for each in said if isinstance(each, About) and each.turn), "")


def find_attached(log: Log, transcript: Path) -> list[ToolReading]:
    """Find the files that a transcript shows without a call, before the last answer of the model.

    What the calls of that answer have attached, they had not when it was given.
    """
    found: list[ToolReading] = []
    if log.read is not None:  # its agent attaches files to prompts alone
        with suppress(OSError):
            found += _list_attached(log.read(transcript))
        return found
    last = ""
    for record in list_lines_back(transcript, *_ANSWERS, *log.attached):
        said = [*log.says([Line("", record)])]
        turn = _find_answer(said)
        last = last or turn
        found = [] if turn and turn == last else [*found, *_list_attached(said)]
    return found


def _list_attached(said: Iterable[Said]) -> Iterator[ToolReading]:
    for each in said:
        if isinstance(each, LoggedCall) and isinstance(each.did, ToolReading):
            yield each.did


def read_attached(path: object, content: object, first: object = 1) -> Iterator[ToolReading]:
    """Read what a transcript shows of one file; nothing where it is no text."""
    if isinstance(path, str) and isinstance(content, str) and isinstance(first, int):
        yield ToolReading(path, max(first, 1), END, content)


def list_named_parts(parts: object) -> Iterator[ToolReading]:
    """List the files of a prompt of Gemini CLI and Qwen Code: a part names one, the next has it."""
    for head, body in pairwise(tables(parts)):
        if (name := re.fullmatch(r"\nContent from @?(.+):\n", str(head.get("text")))) is not None:
            yield from read_attached(name[1], body.get("text"))


def read_own_lines(transcript: Path) -> Iterator[Line]:
    """Read the lines of a transcript, without those of sub-agents in it. Raises OSError."""
    if transcript.stat().st_size > _LARGEST_TRANSCRIPT:
        return
    is_own = transcript.stem.startswith("agent-")
    with transcript.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            if record := table(parse_value(raw)):
                is_other = record.get("isSidechain") is True or record.get("type") == "progress"
                if is_own or not is_other:
                    yield Line(f"{transcript.name}:{number}", record)


def list_lines_back(transcript: Path, *words: bytes) -> Iterator[JsonObject]:
    """List the lines in which one of these words is, the last one first."""
    for line in _read_backwards(transcript):
        if any(word in line for word in words) and (record := table(parse_value(line))):
            yield record


def _read_backwards(transcript: Path) -> Iterator[bytes]:
    """Read the lines of a file, the last one first; what is cut off is left out."""
    with suppress(OSError), transcript.open("rb") as stream:
        end = stream.seek(0, 2)
        lowest, rest = max(end - _TAIL, 0), b""
        while end > lowest:
            start = max(end - _BLOCK, lowest)
            stream.seek(start)
            rest, *lines = (stream.read(end - start) + rest).split(b"\n")
            yield from reversed(lines)
            end = start
        if not lowest:
            yield rest
