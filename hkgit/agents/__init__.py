"""Agents: what a coding agent needs to work through hkgit; one module each, all listed here.

Those with hooks have `parts` (settings), `event` (what a hook's input speaks of), `denial` and
`remark` (what a hook answers); the rest get words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from hkgit.agents import settings
from hkgit.agents.events import Event, Json
from hkgit.agents.settings import Part
from hkgit.setup.steps import Step, carry_out

HOOKED = ("claude", "codex", "copilot", "cursor", "gemini", "opencode")
"""Agents that offer hooks on the calls of their tools."""

PLAIN = ("aider", "other")
"""Agents that get words: any that reads AGENTS.md, or is told to."""

MODES = ("record", "steer")
"""Let an agent's own tools edit and record it, or have it use hkgit's."""


class Agent(Protocol):
    """What the module of an agent with hooks offers; `TITLE` is its own name."""

    NAME: str
    TITLE: str

    def parts(self, command: str) -> list[Part]: ...

    def event(self, payload: Json) -> Event | None: ...

    def denial(self, reason: str) -> Json: ...

    def remark(self, text: str) -> Json | None: ...


def hooked(name: str) -> Agent:
    """The module of an agent with hooks."""
    return cast(Agent, import_module(f"{__name__}.{name}"))


def install(root: Path, name: str, mode: str) -> list[Step]:
    """Put an agent's settings into a checkout; done twice, it is done. Raises GitRefused."""
    outdated = [part for other in MODES if other != mode for part in _parts(name, other)]
    steps = list(settings.install(root, _parts(name, mode), outdated))
    carry_out(steps)
    return steps


def remove(root: Path, name: str) -> list[Step]:
    """Take out what `install` wrote. Raises GitRefused."""
    steps: list[Step] = []
    for mode in MODES:
        taken = list(settings.remove(root, _parts(name, mode)))
        carry_out(taken)
        steps += taken
    for folder in {step.path.parent for step in steps}:
        _tidy(folder, root)
    return list(_settled(steps))


def left_to_do(name: str) -> Iterator[str]:
    """What is left to a person after `install`."""
    yield "install the server's package, if it is not there: pip install 'hkgit[mcp]'"
    yield "let git's hooks turn what is recorded into evidence: hkgit init"
    if name == "aider":
        yield "let aider read the words: aider --read AGENTS.md"
    if name == "codex":
        yield "trust this project and its hooks when Codex asks, or in /hooks"


def _tidy(folder: Path, root: Path) -> None:
    """Remove a directory below the root in which nothing is left, and so on upwards."""
    with suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _parts(name: str, mode: str) -> Sequence[Part]:
    if name in PLAIN:
        from hkgit.agents import plain

        return plain.parts("")
    return hooked(name).parts(f"hkgit hook {name}" + (" --steer" if mode == "steer" else ""))


def _settled(steps: Sequence[Step]) -> Iterator[Step]:
    """One step a file: what became of it in the end."""
    last = {step.path: step for step in steps}
    changed = {step.path: step for step in steps if step.action not in ("kept", "blocked")}
    yield from (last | changed).values()
