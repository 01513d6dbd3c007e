"""reporting.py: report the results of replayed calls, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from hkgit.agents.transcripts.events import Files
from hkgit.agents.transcripts.reading import Log
from hkgit.agents.transcripts.replaying import End, Replay
from hkgit.text.counting import count_noun
from hkgit.text.escaping import to_json_text, visible
from hkgit.text.json_nodes import JsonObject

LISTED = (End.DIFFERS, End.LOST, End.WON)
"""What somebody may want to look at, one by one."""


def report_lines(logs: Sequence[Log], replays: Sequence[Replay]) -> Iterator[str]:
    """List the calls to look at, then the counts."""
    for replay in replays:
        if replay.end in LISTED:
            yield f"{visible(replay.where)}  {replay.tool}  {_paths(replay)}: {replay.end}"
            yield from (f"    {visible(line)}" for line in replay.detail.split("\n")[:3])
            yield from (f"    {visible(line)}" for line in _difference(replay))
    yield from _counts(logs, replays)


def _counts(logs: Sequence[Log], replays: Sequence[Replay]) -> Iterator[str]:
    ends = Counter(replay.end for replay in replays)
    yield f"{count_noun(len(replays), 'call')} in {count_noun(len(logs), 'log')}"
    for end in End:
        if ends[end]:
            yield f"{ends[end]:8} {end}"
    missing = Counter(r.detail for r in replays if r.end is End.NOT_REPLAYABLE)
    for reason, count in missing.most_common():
        yield f"{count:16} {reason}"
    unknown = sum(log.form is None for log in logs)
    if unknown:
        yield f"{count_noun(unknown, 'log')} in no form that is known"
    broken = sum(log.broken for log in logs)
    if broken:
        yield f"{count_noun(broken, 'line')} that hold no JSON object"


def _paths(replay: Replay) -> str:
    return visible(", ".join(replay.paths)) or "-"


def _difference(replay: Replay) -> Iterator[str]:
    """From what was logged to what hkgit makes of it."""
    for path, text in (replay.expected or {}).items():
        got = (replay.got or {}).get(path, text)
        if replay.end is End.DIFFERS and text != got:
            pair = ((text or "").splitlines(), (got or "").splitlines())
            yield from unified_diff(*pair, f"{path} logged", f"{path} hkgit", lineterm="", n=1)


def report_json(logs: Sequence[Log], replays: Sequence[Replay]) -> JsonObject:
    """Write the same as one JSON object; `ends` counts calls by what came of them."""
    ends = Counter(str(replay.end) for replay in replays)
    return {
        "logs": [
            {"path": str(log.path), "form": log.form, "broken_lines": log.broken} for log in logs
        ],
        "calls": len(replays),
        "ends": {str(end): ends[str(end)] for end in End},
        "replays": [_replay_json(replay) for replay in replays],
    }


def _replay_json(replay: Replay) -> JsonObject:
    shown = replay.end is End.DIFFERS
    return {
        "where": replay.where,
        "tool": replay.tool,
        "paths": list(replay.paths),
        "end": str(replay.end),
        "detail": to_json_text(replay.detail),
        "expected": _render_call(replay.expected) if shown else None,
        "got": _render_call(replay.got) if shown else None,
    }


def _render_call(files: Files | None) -> dict[str, str | None]:
    return {path: to_json_text(text) for path, text in (files or {}).items()}
