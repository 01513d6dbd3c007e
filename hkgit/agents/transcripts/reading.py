"""reading.py: read the logs of a directory, each by the reader of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from hkgit.agents.transcripts import claude_code, codex, plain
from hkgit.agents.transcripts.events import Event
from hkgit.agents.transcripts.fields import Line, Record, parse_value
from hkgit.errors import InvalidInput
from hkgit.values import dataclass

SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of logs: whether a line is of it, and what its lines tell."""

    name: str
    detects: Callable[[Record], bool]
    events: Callable[[Sequence[Line]], Iterable[Event]]


FORMS = (
    Form("plain", plain.detects, plain.events),
    Form("codex", codex.detects, codex.events),
    Form("claude-code", claude_code.detects, claude_code.events),
)


@dataclass(frozen=True, slots=True)
class Log:
    """One log: its form, None where none fits, what it tells, and how many lines are no JSON."""

    path: Path
    form: str | None
    events: tuple[Event, ...]
    broken: int


def logs_in(place: Path) -> list[Path]:
    """List every log below a directory, or the one file. Raises InvalidInput for none."""
    if place.is_file():
        return [place]
    found = sorted(place.rglob(f"*{SUFFIX}")) if place.is_dir() else []
    if not found:
        fix = f"Name a directory that holds logs, or one log (*{SUFFIX})."
        raise InvalidInput(str(place), "there are no logs", fix)
    return found


def read_log(path: Path) -> Log:
    """Read the calls that a log records. Raises InvalidInput where it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error
    lines, broken = [], 0
    for line in _lines(path.name, data):
        if line is None:
            broken += 1
        else:
            lines.append(line)
    form = next((f for f in FORMS if any(f.detects(line.record) for line in lines)), None)
    if form is None:
        return Log(path, None, (), broken)
    return Log(path, form.name, tuple(form.events(lines)), broken)


def _lines(name: str, data: bytes) -> Iterator[Line | None]:
    """The lines that hold a JSON object; None for what is none, as a last line cut short."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.strip():
            record = parse_value(raw)
            yield Line(f"{name}:{number}", record) if isinstance(record, dict) else None
