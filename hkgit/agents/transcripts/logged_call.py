"""records.py: a call as its agent has logged it, with the paths of the machine where it ran."""

from __future__ import annotations

from collections.abc import Mapping

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


@dataclass(frozen=True, slots=True)
class ShellCall:
    """A command that was run, and what the model was shown of its output."""

    command: str
    output: str


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
    did: ReadCall | EditCall | ShellCall
    turn: str = ""
