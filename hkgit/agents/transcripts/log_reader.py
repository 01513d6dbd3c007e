"""Logs as steps: found, told apart, and read line by line by the reader that knows their form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path

from hkgit.agents import find_agent, list_logged
from hkgit.agents.agent import Agent
from hkgit.agents.json_fields import parse_value, tables
from hkgit.agents.logged_call import Line, Log, LoggedCall, Said
from hkgit.agents.transcripts.call_steps import PathMap, steps_of
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, field
from hkgit.workflows.log_steps import LoggedEdit, Step


def find_logs(
    roots: Sequence[Path], environment: Mapping[str, str], agent: str | None = None
) -> list[Path]:
    """Find the logs that may refer to one of some checkouts, by one agent or by all."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nonexistent")
    names = list_logged() if agent is None else (agent,)
    forms = (log for name in names for log in find_agent(name).logs)
    found = (path for log in forms for path in log.find(home, environment, roots))
    return sorted({path for path in found if path.is_file()})


def logs_at(place: Path) -> list[Path]:
    """List every log below a directory, or the one file. Raises InvalidInput for none."""
    if place.is_file():
        return [place]
    own = (log.suffix for name in list_logged() for log in find_agent(name).logs)
    ends = {".jsonl", ".json", *(each for each in own if each.startswith("."))}
    found = sorted({path for end in ends for path in place.rglob(f"*{end}")})
    if not found:
        known = ", ".join(list_logged())
        fix = f"Name an agent ({known}), a directory with logs, or one log."
        raise InvalidInput(str(place), "there are no logs", fix)
    return found


LONGEST = 64 * 2**20
"""A line of more bytes is no call of a tool that edits; it is counted as broken."""

_KEPT = 200
"""So many lines of a log are kept while its form is looked for."""


def _list_forms() -> list[tuple[Agent, Log]]:
    """List the forms of logs; Claude Code's last: others' lines have what its have, and more."""
    agents = sorted(map(find_agent, list_logged()), key=lambda agent: agent.name == "claude")
    return [(agent, log) for agent in agents for log in agent.logs]


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
        """List the steps about wanted paths of all logs, oldest first; each call counts once."""
        paths = PathMap(known, self.find_checkout)
        calls = (call for path in self.files for call in self._of_repository(path))
        found = []
        for step in steps_of(calls, paths):
            did = step.did
            if wanted.intersection(did.paths if isinstance(did, LoggedEdit) else [did.path]):
                found.append(step)
                self.summaries[-1].steps += 1  # of the log that is read now
        self.others |= paths.others
        # A log without times is in order as it is.
        return sorted(found, key=lambda step: step.time)

    def _of_repository(self, path: Path) -> Iterator[LoggedCall]:
        """Of a database, which is of all repositories, what is of no other one."""
        known = {"": True}
        for call in self.calls(path):
            place = call.directory
            if path.suffix == ".db" and place not in known:
                found = self.find_checkout(Path(place))
                known[place] = found is None or found[1]
            if known.get(place, True):
                yield call

    def calls(self, path: Path) -> Iterator[LoggedCall]:
        """Yield the calls of one log; adds its summary."""
        summary = LogSummary(path)
        self.summaries.append(summary)
        # One that has a reader of its own is known by the end of its name.
        own = [form for form in _list_forms() if form[1].read is not None]
        named = [form for form in own if f"/{path.name}".endswith(form[1].suffix)]
        try:
            if named:
                agent, log = max(named, key=lambda form: len(form[1].suffix))
                yield from agent.read_calls(log, _read_own(log, summary))
            else:
                yield from _read_lines(summary)
        except OSError:
            summary.broken += 1


def _read_own(log: Log, summary: LogSummary) -> Iterator[Said]:
    for said in () if log.read is None else log.read(summary.path):
        summary.form = log.name
        yield said


def _read_lines(summary: LogSummary) -> Iterator[LoggedCall]:
    """Yield the calls of a log of JSON, whose form some of its lines tell."""
    lines, forms = _list_lines(summary), _list_forms()
    while head := [*islice(lines, _KEPT)]:
        for agent, log in forms:
            if any(log.detects(line.record) for line in head):
                summary.form = log.name
                yield from agent.read_calls(log, log.says(chain(head, lines)))
                return
        # What comes before the lines of a form belongs to no call.


def _list_lines(summary: LogSummary) -> Iterator[Line]:
    """List the objects of a log: one, a list of them, or a line each, in spite of its name."""
    path = summary.path
    is_document = path.suffix == ".json" and path.stat().st_size <= LONGEST
    record = parse_value(path.read_bytes()) if is_document else None
    if isinstance(record, dict | list):
        for number, each in enumerate(tables(record if isinstance(record, list) else [record]), 1):
            yield Line(f"{path.name}:{number}", each)
        return
    with path.open("rb") as stream:
        for number in count(1):
            if not (raw := stream.readline(LONGEST + 1)):
                return
            is_long = len(raw) > LONGEST
            while is_long and raw and not raw.endswith(b"\n"):
                raw = stream.readline(LONGEST)
            record = None if is_long else parse_value(raw)
            if isinstance(record, dict):
                yield Line(f"{path.name}:{number}", record)
            elif is_long or raw.strip():
                summary.broken += 1
