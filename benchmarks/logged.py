"""`python -m benchmarks.logged FILE|DIR ...`: run the edits of transcripts against hkgit.

Read as `hkgit adopt` reads them. Each edit of which the log tells what its file said before is
planned on that text, and held against what the agent's own tool left. Nothing is written.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hkgit import apply_edits, dialects
from hkgit.agents.events import Editing, PendingToolEdit
from hkgit.agents.transcripts.log_reader import Logs, logs_at
from hkgit.errors import InvalidInput
from hkgit.values import replace
from hkgit.workflows.log_replay import find_after
from hkgit.workflows.log_steps import Told

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
    edits = [replace(edit, path=edit.path.lstrip("/")) for edit in spec.edits]
    result = apply_edits(edits, write_texts(told.before))
    if not result.ok:
        return REFUSED
    try:
        after = find_after(told, told.before, {})
    except InvalidInput:
        after = None
    if after is None:
        return LANDED
    return SAME if result.files == write_texts({**told.before, **after}) else OTHER


def write_texts(files: Mapping[str, bytes | None]) -> dict[str, str]:
    """The texts of files that are there, by their paths without a root."""
    return {name.lstrip("/"): x.decode() for name, x in files.items() if x is not None}


if __name__ == "__main__":
    main()
