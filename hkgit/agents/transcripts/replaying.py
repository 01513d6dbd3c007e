"""replaying.py: run logged calls through hkgit and compare with the logged results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from hkgit.agents.transcripts.events import Called, Event, Files
from hkgit.agents.transcripts.knowing import contents_before
from hkgit.agents.transcripts.rules import rule_of
from hkgit.applying.reporting import refusal_text
from hkgit.dialects import parse
from hkgit.edits import CreateFile, Spec
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, replace
from hkgit.workflows.library import apply_edits

UNKNOWN = "the log does not hold what the file said"


class End(StrEnum):
    """What came of a call, in the log and with hkgit."""

    SAME = "landed as logged"
    LANDED = "landed, and the log does not hold the result"
    DIFFERS = "landed otherwise than logged"
    WON = "landed though refused in the log"
    LOST = "refused though landed in the log"
    REFUSED = "refused by both"
    UNJUDGED = "refused, and the log does not say"
    NOT_REPLAYABLE = "not replayable"


@dataclass(frozen=True, slots=True)
class Replay:
    """One call, what came of it, and why: the tier, the refusal, what is missing, or the rule."""

    where: str
    tool: str
    paths: tuple[str, ...]
    end: End
    detail: str = ""
    expected: Files | None = None
    got: Files | None = None


def replay_log(events: Sequence[Event]) -> Iterator[Replay]:
    """Replay every call of a log in order, each on what its files said at the time.

    Where the log does not hold what a call left, that is taken to be what hkgit makes of it.
    """
    known = list(events)
    for at, event in enumerate(events):
        if not isinstance(event, Called):
            continue
        replay = _replay_call(known, at, event)
        if replay.end is End.LANDED and event.applied:
            known[at] = replace(event, after=replay.got)
        yield replay


def slim(replay: Replay) -> Replay:
    """Drop the contents of files from a replay, unless they are what is to be looked at."""
    return replay if replay.end is End.DIFFERS else replace(replay, expected=None, got=None)


def _replay_call(events: Sequence[Event], at: int, call: Called) -> Replay:
    if call.hindrance is not None:
        return Replay(
            where=call.where,
            tool=call.tool,
            paths=(),
            end=End.NOT_REPLAYABLE,
            detail=call.hindrance,
        )
    try:
        spec = parse(call.spec, call.dialect, root=call.root)
    except InvalidInput as error:
        return _refuse_call(call, (), str(error))
    paths = tuple(dict.fromkeys(edit.path for edit in spec.edits))
    before = call.before
    if before is None:
        created = {edit.path for edit in spec.edits if isinstance(edit, CreateFile)}
        before = contents_before(events, at, [path for path in paths if path not in created])
    if before is None:
        return Replay(
            where=call.where, tool=call.tool, paths=paths, end=End.NOT_REPLAYABLE, detail=UNKNOWN
        )
    return _run(call, spec, paths, before)


def _run(call: Called, spec: Spec, paths: tuple[str, ...], before: Files) -> Replay:
    files = {path: text for path, text in before.items() if text is not None}
    result = apply_edits(spec.edits, files)
    if not result.ok:
        return _refuse_call(call, paths, refusal_text(result.outcomes))
    got = {path: text for path, text in result.files.items() if not isinstance(text, bytes)}
    tiers = ", ".join(dict.fromkeys(outcome.tier or "" for outcome in result.outcomes))
    if call.applied is False:
        return Replay(
            where=call.where, tool=call.tool, paths=paths, end=End.WON, detail=tiers, got=got
        )
    if call.after is None:
        return Replay(
            where=call.where, tool=call.tool, paths=paths, end=End.LANDED, detail=tiers, got=got
        )
    left = {**before, **got}
    is_same = left == {**before, **call.after}
    return Replay(
        where=call.where,
        tool=call.tool,
        paths=paths,
        end=End.SAME if is_same else End.DIFFERS,
        detail=tiers if is_same else rule_of(result.outcomes, call.after, left),
        expected=call.after,
        got=got,
    )


def _refuse_call(call: Called, paths: tuple[str, ...], why: str) -> Replay:
    ends = {True: End.LOST, False: End.REFUSED, None: End.UNJUDGED}
    return Replay(
        where=call.where,
        tool=call.tool,
        paths=paths,
        end=ends[call.applied],
        detail=why,
        expected=call.after,
    )
