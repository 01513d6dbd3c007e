"""reading.py: logs as steps: each read line by line by the reader that knows its form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from hkgit.agents.transcripts.fields import Line, Record, parse_value
from hkgit.agents.transcripts.logged import claude_code, codex_rollouts
from hkgit.agents.transcripts.logged.mapping import PathMap
from hkgit.agents.transcripts.logged.records import LoggedCall
from hkgit.agents.transcripts.logged.stepping import steps_of
from hkgit.values import dataclass, field
from hkgit.workflows.adopting.steps import Step

LONGEST = 64 * 2**20
"""A line of more bytes is no call of a tool that edits; it is counted as broken."""

_LOOKED_AT = 200
"""So many lines of a log are looked at to find its form."""


@dataclass(frozen=True, slots=True)
class LogForm:
    """A form of logs: whether a line is of it, and the calls that its lines tell."""

    name: str
    detects: Callable[[Record], bool]
    calls: Callable[[Iterable[Line]], Iterable[LoggedCall]]


FORMS = (
    LogForm(codex_rollouts.NAME, codex_rollouts.detects, codex_rollouts.calls),
    LogForm(claude_code.NAME, claude_code.detects, claude_code.calls),
)


@dataclass
class LogSummary:
    """What a log was: its form, None where none fits, how many calls matter, what is broken."""

    path: Path
    form: str | None = None
    steps: int = 0
    broken: int = 0


@dataclass
class Logs:
    """The transcripts in some files, to be read when a workflow asks for steps."""

    files: Sequence[Path]
    find_checkout: Callable[[Path], tuple[Path, bool] | None]
    summaries: list[LogSummary] = field(default_factory=list)
    others: set[str] = field(default_factory=set)

    def steps(self, known: frozenset[str], wanted: frozenset[str]) -> list[Step]:
        """The steps about wanted paths of all logs, oldest first; each call counts once."""
        paths = PathMap(known, self.find_checkout)
        calls = chain.from_iterable(self._read(path) for path in self.files)
        found = []
        for step in steps_of(calls, paths):
            touched = getattr(step.did, "paths", None) or (getattr(step.did, "path", ""),)
            if wanted.intersection(touched):
                found.append(step)
                self._count(step)
        self.others |= paths.others
        # A log without times is in order as it stands.
        return sorted(found, key=lambda step: step.time)

    def _count(self, step: Step) -> None:
        name = step.where.rpartition(":")[0]
        for summary in self.summaries:
            if str(summary.path) == name or summary.path.name == name:
                summary.steps += 1

    def _read(self, path: Path) -> Iterator[LoggedCall]:
        summary = LogSummary(path)
        self.summaries.append(summary)
        lines = _lines(path, summary)
        head = [*islice(lines, _LOOKED_AT)]
        form = next((f for f in FORMS if any(f.detects(line.record) for line in head)), None)
        if form is not None:
            summary.form = form.name
            yield from form.calls(chain(head, lines))


def _lines(path: Path, summary: LogSummary) -> Iterator[Line]:
    """The lines that hold a JSON object; those that are none, as a last one cut short, count."""
    try:
        with path.open("rb") as stream:
            number = 0
            while raw := stream.readline(LONGEST + 1):
                number += 1
                if len(raw) > LONGEST:
                    summary.broken += 1
                    while raw and not raw.endswith(b"\n"):
                        raw = stream.readline(LONGEST)
                    continue
                if not raw.strip():
                    continue
                record = parse_value(raw)
                if isinstance(record, dict):
                    yield Line(f"{path.name}:{number}", record)
                else:
                    summary.broken += 1
    except OSError:
        summary.broken += 1
