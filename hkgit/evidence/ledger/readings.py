"""readings.py: which call of which tool showed lines of a file, as an entry claims.

What was read is evidence; by which call is a claim: it helps a reader to find the call in the
agent's own log, and no judgement rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.evidence.ledger.canonical import text_json
from hkgit.text.escaping import to_json_text
from hkgit.text.json_nodes import Json, JsonObject
from hkgit.values import dataclass

MOST = 20
"""So many calls are kept for a file, and claimed for one in an entry: the last ones."""

MOST_CLAIMED = 200
"""So many calls are claimed in one entry: a claim must not make it too large to be written."""

_LONGEST = 80
_END_OF_TIME = 10**11
"""In seconds: what calendars can write."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call by the name of its tool, and by its id in the agent's log where the agent tells it."""

    tool: str
    id: str = ""

    @classmethod
    def of(cls, tool: object, id: object = None) -> ToolCall:
        """Name a call as the agent does; what is no name, or too long for one, is left out."""
        return cls(_name(tool), _name(id))


READ = ToolCall("hkgit read")


@dataclass(frozen=True, slots=True)
class ShownLines:
    """Lines of a file that a call showed.

    `version` is the SHA-256 of the file's bytes at that time, empty where it was too large to be
    held; `time` is in milliseconds since 1970.
    """

    path: str
    start_line: int
    end_line: int
    version: str
    call: ToolCall
    time: int

    @property
    def key(self) -> tuple[str, int, int, str]:
        """What two calls have in common that showed the same."""
        return self.path, self.start_line, self.end_line, self.version


def claim_readings(shown: Iterable[ShownLines]) -> list[Json]:
    """Write the claim of an entry: each range once, by the last call that showed it."""
    last = {each.key: each for each in shown}
    return [
        {
            "path": text_json(each.path),
            "lines": [each.start_line, each.end_line],
            "version": each.version,
            "tool": each.call.tool,
            "call": each.call.id,
            "time": each.time // 1000,
        }
        for each in [*last.values()][-MOST_CLAIMED:]
    ]


def parse_claimed_readings(claimed: object) -> Iterator[ShownLines]:
    """Parse the calls that an entry claims; what is not a well-formed claim is left out."""
    for each in claimed if isinstance(claimed, list) else []:
        found = _parse(each) if isinstance(each, dict) else None
        if found is not None:
            yield found


def _parse(claim: JsonObject) -> ShownLines | None:
    path, lines, time = claim.get("path"), claim.get("lines"), claim.get("time")
    match lines:
        case [int(first), int(last)] if isinstance(path, str) and isinstance(time, int):
            if not 0 <= time < _END_OF_TIME:
                return None
            call = ToolCall.of(claim.get("tool"), claim.get("call"))
            version = str(claim.get("version") or "")
            return ShownLines(
                path=path,
                start_line=first,
                end_line=last,
                version=version,
                call=call,
                time=time * 1000,
            )
    return None


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        return ""
    return to_json_text(value) or ""
