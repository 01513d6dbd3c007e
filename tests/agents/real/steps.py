"""What a scripted model does, in words that every agent's tools can say."""

from __future__ import annotations

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


def make_patch(step: Edit | Create) -> str:
    """The patch that `apply_patch` takes, from wherever the agent was started."""
    if isinstance(step, Create):
        body = f"*** Add File: $ROOT/{step.path}\n{_mark('+', step.text)}"
    else:
        lines = _mark("-", step.old) + _mark("+", step.new)
        body = f"*** Update File: $ROOT/{step.path}\n@@\n{lines}"
    return f"*** Begin Patch\n{body}*** End Patch\n"


def _mark(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}" for line in text.splitlines(keepends=True))
