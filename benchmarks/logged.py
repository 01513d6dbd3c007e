"""`python -m benchmarks.logged FILE|DIR ...`: run the edits of transcripts against hkgit.

Read as `hkgit adopt` reads them. Each edit of which the log tells what its file said before is
planned on that text, and held against what the agent's own tool left. Nothing is written.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit import apply_edits, dialects
from hkgit.agents.events import Editing, PendingToolEdit, Told
from hkgit.agents.transcripts.log_places import logs_at
from hkgit.agents.transcripts.log_reader import Logs
from hkgit.errors import InvalidInput
from hkgit.values import replace

UNKNOWN = "not in the log what the file said"
SAME, OTHER, REFUSED = "the same bytes", "other bytes", "refused"
LANDED = "landed, the log does not tell the result"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each edit that ends otherwise than in the log, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="+", type=Path, metavar="FILE|DIR")
    counts: Counter[str] = Counter()
    for place in parser.parse_args(arguments).places:
        for where, end in replay(place):
            counts[end] += 1
            if end in (OTHER, REFUSED):
                print(f"{where}: {end}")
    print(f"{counts.total()} edits")
    for end, count in counts.most_common():
        print(f"{count:8} {end}")


def replay(place: Path) -> Iterator[tuple[str, str]]:
    """Yield where each logged edit stands, and how it ends with hkgit."""
    logs = Logs(logs_at(place), lambda _: None)
    for path in logs.files:
        for call in logs.calls(path):
            if isinstance(call.did, Editing | PendingToolEdit):
                yield call.where, judge(call.did)


def judge(edit: Editing | PendingToolEdit) -> str:
    """How an edit that the agent's tool took ends with hkgit."""
    told = edit.told or Told()
    if isinstance(edit, PendingToolEdit) or not told.before or {*told.names} != {*told.before}:
        return UNKNOWN
    try:
        spec = dialects.parse(edit.text, edit.dialect)
    except InvalidInput:
        return REFUSED
    before = {name.lstrip("/"): said for name, said in told.before.items() if said is not None}
    edits = [replace(edit, path=edit.path.lstrip("/")) for edit in spec.edits]
    result = apply_edits(edits, before)
    if not result.ok:
        return REFUSED
    expected = expect_texts(told)
    if expected is None:
        return LANDED
    texts = {name.lstrip("/"): said for name, said in expected.items() if said is not None}
    return SAME if result.files == before | texts else OTHER


def expect_texts(told: Told) -> dict[str, str | None] | None:
    """What the agent's tool left, where the log tells it or all of it follows from literal text."""
    if told.after is not None or not told.is_final:
        return None if told.after is None else {**told.after}
    [name] = told.names
    now = (told.before or {}).get(name)
    for old, new, is_all in told.replacements:
        if now is None or not old or old not in now:
            return None
        now = now.replace(old, new, -1 if is_all else 1)
    return {name: now}


if __name__ == "__main__":
    main()
