"""What a scripted model does, in words that every agent's tools can say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Read:
    path: str


@dataclass(frozen=True)
class Edit:
    """Replace a line, or several, that stand once in the file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Create:
    path: str
    text: str


@dataclass(frozen=True)
class Shell:
    command: str


@dataclass(frozen=True)
class Search:
    """Search the checkout for a word, with the agent's own tool for it where it offers one."""

    word: str


@dataclass(frozen=True)
class Script:
    """A script of the model's that calls the agent's tools (Codex's code mode)."""

    text: str


@dataclass(frozen=True)
class Ours:
    """A call of a tool of hkgit's server; `follow` is the one that a hook has said to call.

    `delegate` starts a sub-agent of Claude Code, which plays `steps`.
    """

    tool: str
    arguments: Mapping[str, Any]


Step = Read | Edit | Create | Shell | Search | Script | Ours
Say = Callable[[Step], Json]
"""How an agent's tools say a step: a call in a script of the model."""


def call(tool: str, kind: str = "function", **arguments: object) -> Json:
    return {"tool": tool, "kind": kind, "arguments": arguments}


def say_ours(step: Ours | Script) -> Json:
    if isinstance(step, Script):
        raise NotImplementedError("only Codex has its model write scripts")
    return call(f"hkgit:{step.tool}", **step.arguments)


def make_patch(path: str, *texts: str) -> str:
    """The patch that `apply_patch` takes: a new file, or an old text and a new one."""
    if len(texts) == 1:
        body = f"*** Add File: {path}\n{_mark('+', texts[0])}"
    else:
        body = f"*** Update File: {path}\n@@\n{_mark('-', texts[0])}{_mark('+', texts[1])}"
    return f"*** Begin Patch\n{body}*** End Patch\n"


def _mark(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}" for line in text.splitlines(keepends=True))
