"""What a request to a model says and what it is answered, the same for every protocol."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class Talk:
    """A conversation as an agent sends it, whole, with every request."""

    tools: dict[str, str] = field(default_factory=dict)
    """The tools on offer and the kind of each: `function`, `custom`, or a namespace's name."""
    turns: int = 0
    """How often the model has called tools: the number of the next step."""
    heard: list[str] = field(default_factory=list)
    """What the model was told since it last called a tool."""

    asked: list[str] = field(default_factory=list)
    """What it was told before it called any."""

    def hear_call(self) -> None:
        """Count an answer of the model that called tools."""
        self.asked = self.asked or self.heard
        self.turns += 1
        self.heard = []


@dataclass(frozen=True)
class Call:
    """A call of a tool that the model makes."""

    id: str
    tool: str
    arguments: Json
    kind: str = "function"


@dataclass(frozen=True)
class Answer:
    """A whole answer, and the same as a stream: the type of each event, and its data."""

    whole: Json
    events: list[tuple[str, Json]]
    end: str = ""


@dataclass(frozen=True)
class Wire:
    """A protocol: the paths that speak it, how to read a request, how to write an answer."""

    path: str
    read: Callable[[Json], Talk]
    write: Callable[[str, list[Call]], Answer]


def find_text(value: object) -> str:
    """The text in an answer of a tool, however a protocol wraps it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(find_text, value))
    if not isinstance(value, dict):
        return ""
    for name in ("text", "content", "output", "error", "llmContent"):
        if name in value:
            return find_text(value[name])
    return json.dumps(value, ensure_ascii=False)
