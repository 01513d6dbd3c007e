"""A call as its agent has logged it, with the paths of the machine where it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hkgit.agents.events import Did, Editing, Shell, ToolReading
from hkgit.agents.tools import Tool
from hkgit.edits import AnyEdit
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

Texts = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class ReadCall:
    """Lines of a file, from `start_line` on, as the model was shown them; `is_whole` if all."""

    name: str
    start_line: int
    lines: tuple[str, ...]
    whole: str | None = None


@dataclass(frozen=True, slots=True)
class CallHunk:
    """Lines that were replaced, as a diff shows them, without their ends.

    `is_ended` is false where the last new line had no end, so it was the last of its file; None
    where that is not told. `has_tabs` is false where tabs that lines begin with may be shown as
    two blanks each.
    """

    start_line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    is_ended: bool | None = True
    has_tabs: bool = True


Hunks = Mapping[str, tuple[CallHunk, ...]]


@dataclass(frozen=True, slots=True)
class EditCall:
    """A call of an edit tool that the tool took: a spec in `dialect`, and what the log tells.

    `text` is None where the log does not hold the call in words that hkgit reads. `replacements`
    are old and new text and whether all places were meant, where the tool replaces literally.
    `edits` are some of those that `text` says, if not all of them were made.
    `hunks` are what the log shows of the change, by name. `is_final` is false where somebody
    changed the result.
    """

    names: tuple[str, ...]
    text: str | None
    dialect: str
    before: Texts | None = None
    after: Texts | None = None
    replacements: tuple[tuple[str, str, bool], ...] = ()
    is_final: bool = True
    hunks: Hunks | None = None
    edits: tuple[AnyEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One call: when, in which conversation and directory, and where the log says so.

    `time` is in milliseconds since 1970; `directory` is where the agent worked, "" if not told.
    `turn` is the answer of the model that asked for it; its other calls were written by then.
    """

    time: int
    conversation: str
    agent: str
    directory: str
    where: str
    id: str
    tool: str
    did: ReadCall | EditCall | Shell
    turn: str = ""


_NUMBERED = re.compile(r"[ \t]*0*(\d{1,9})(?:\t|→|\. |: | ?\| ?)(.*)\Z", re.DOTALL)


def strip_numbers(answer: str, first: int) -> Iterator[str]:
    """Yield the lines of an answer, from line `first` of a file on, without the numbers of each."""
    for number, line in enumerate(answer.split("\n"), first):
        found = _NUMBERED.match(line)
        yield line if found is None or int(found[1]) != number else found[2]


def parse_numbered(name: str, answer: str) -> ReadCall | None:
    """Parse lines of a file behind their numbers, as far as these have no gap; None for none."""
    found = _NUMBERED.match(answer)
    if found is None or (first := int(found[1])) == 0:
        return None
    lines = answer.split("\n")
    shown = [*strip_numbers(answer, first)]
    kept = next((at for at, line in enumerate(shown) if line == lines[at]), len(lines))
    return ReadCall(name, first, tuple(shown[:kept]))


_PATHS = ("file_path", "filePath", "path")
"""Arguments that name the file of an edit."""


def run_tool(
    tools: Mapping[str, Tool],
    tool: str,
    sent: JsonObject,
    answer: object,
    *,
    is_new: bool = False,
    hunks: tuple[CallHunk, ...] = (),
) -> ReadCall | EditCall | Shell | None:
    """Read a call as the hook of its agent does; what the log tells besides is of a single file."""
    did = tools[tool](sent, answer) if tool in tools else None
    if not isinstance(did, Editing):
        return None if did is None else show(did)
    named = [sent[key] for key in _PATHS if isinstance(sent.get(key), str)][:1]
    whole = [sent[key] for key in ("content", "file_text") if isinstance(sent.get(key), str)][:1]
    return EditCall(
        names=tuple(named),
        text=did.text,
        dialect=did.dialect,
        before=dict.fromkeys(named) if is_new else None,
        after=dict(zip(named, whole, strict=False)) or None,
        hunks=dict.fromkeys(named, hunks) if hunks else None,
    )


def show(did: Did) -> ReadCall | Shell | None:
    """Find what a tool has shown of a file, or of what a command has printed."""
    match did:
        case Shell():
            return did
        case ToolReading(path, first, _, answer) if answer is not None:
            return ReadCall(path, first, tuple(strip_numbers(answer, first)))
    return None
