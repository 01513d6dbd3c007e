"""modelling.py: real edits as the session log that Claude Code would have written of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks.adoption.truth import (
    HAND,
    FileTruth,
    bring_back,
    split_text,
    start_truth,
    take_change,
    take_edit,
)

FORMS = ("whole", "diff", "words")
"""What a log tells of an edit: the file before it and a diff, a diff alone, or only its words."""

START = 1_750_000_000

_TABS = re.compile(r"^\t+", re.MULTILINE)


@dataclass(frozen=True)
class RealEdit:
    """A replacement that a real tool made, with the file before and after it."""

    path: str
    old: str
    new: str
    is_all: bool
    before: str
    after: str


@dataclass
class Session:
    """A slice of edits as a log, with the files before and after it and the truth of each line.

    The calls are named `edit-NUMBER`. `earlier` are the truths before changes by hand.
    """

    log: list[str]
    before: dict[str, str]
    after: dict[str, str]
    truths: dict[str, FileTruth]
    earlier: dict[str, list[FileTruth]]


def model_session(edits: Sequence[RealEdit], form: str, root: str, seed: int | None) -> Session:
    """A session of some edits; with a seed somebody changes its files by hand in the end."""
    session = Session([], {}, {}, {}, {})
    for number, edit in enumerate(edits):
        _add_edit(session, edit, form, root, number)
    if seed is not None:
        chance = random.Random(seed)
        for path in sorted(session.after):
            after = _change_by_hand(session.truths[path], chance)
            session.truths[path] = after
            session.after[path] = "".join(f"{line.text}\n" for line in after)
    return session


def _add_edit(session: Session, edit: RealEdit, form: str, root: str, number: int) -> None:
    path = edit.path
    if path not in session.before:
        session.before[path] = edit.before
        session.truths[path] = start_truth(edit.before)
    elif session.after[path] != edit.before:
        earlier = session.earlier.setdefault(path, [])
        earlier.insert(0, session.truths[path])
        changed = take_change(session.truths[path], edit.before, HAND)
        session.truths[path] = bring_back(changed, earlier, HAND)
    replaced = edit.old, edit.is_all
    truth = take_edit(session.truths[path], edit.before, edit.after, replaced, number)
    assert [line.text for line in truth] == split_text(edit.after), (path, number)
    session.truths[path] = truth
    session.after[path] = edit.after
    sent: dict[str, Any] = {
        "file_path": f"{root}/{path}",
        "old_string": edit.old,
        "new_string": edit.new,
    }
    detail: dict[str, Any] = {"filePath": f"{root}/{path}"}
    detail |= {"oldString": edit.old, "newString": edit.new, "userModified": False}
    if form != "words":
        original = edit.before if form == "whole" else None
        patch = [*_patch(edit.before, edit.after)]
        detail |= {"originalFile": original, "structuredPatch": patch}
    sent |= {"replace_all": True} if edit.is_all else {}
    session.log += _lines(root, number, sent, detail)


def _lines(root: str, number: int, sent: dict[str, Any], detail: dict[str, Any]) -> Iterator[str]:
    moment = datetime.fromtimestamp(START + number, UTC).isoformat()
    common = {"sessionId": "modelled", "cwd": root, "version": "2.0", "timestamp": moment}
    call = {"type": "tool_use", "id": f"edit-{number}", "name": "Edit", "input": sent}
    result = {"type": "tool_result", "tool_use_id": f"edit-{number}", "content": "ok"}
    for kind, block, more in (("assistant", call, {}), ("user", result, {"toolUseResult": detail})):
        message = {"role": kind, "content": [block]}
        record = common | {"type": kind, "uuid": f"{kind}-{number}", "message": message} | more
        yield json.dumps(record)


def _patch(before: str, after: str) -> Iterator[dict[str, Any]]:
    """The diff of a change as the log has it: three lines around each hunk, tabs as blanks."""
    old, new = (
        split_text(_TABS.sub(lambda tabs: "  " * len(tabs[0]), each)) for each in (before, after)
    )
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines = [
            mark + line
            for tag, i1, i2, j1, j2 in group
            for mark, part in (
                [(" ", old[i1:i2])] if tag == "equal" else [("-", old[i1:i2]), ("+", new[j1:j2])]
            )
            for line in part
        ]
        yield {"oldStart": group[0][1] + 1, "newStart": group[0][3] + 1, "lines": lines}


def _change_by_hand(truth: FileTruth, chance: random.Random) -> FileTruth:
    """Lines changed, added, taken out, moved, copied and indented by somebody: one in thirty."""
    lines = [line.text for line in truth]
    for _ in range(max(1, len(lines) // 30)):
        at = chance.randrange(len(lines)) if lines else 0
        match chance.randrange(6):
            case 0 if lines:
                lines[at] += " // by hand"
            case 1:
                lines.insert(at, f"by hand {chance.random()}")
            case 2 if lines:
                del lines[at]
            case 3 if lines:
                lines.insert(chance.randrange(len(lines)), lines.pop(at))
            case 4 if lines:
                lines.insert(chance.randrange(len(lines)), lines[at])
            case 5:
                lines[at : at + 5] = [f"\t{line}" for line in lines[at : at + 5]]
    return take_change(truth, "".join(f"{line}\n" for line in lines), HAND)


def write_session(session: Session, place: Path) -> Path:
    """Write the log of a session."""
    place.write_text("\n".join(session.log) + "\n")
    return place
