"""outdated.py: find hooks of agents in a checkout that this version would write otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.agents import HOOKED, MODES, parts_of
from hkgit.agents.setup.settings import FilePart, JsonPart, Part, is_ours
from hkgit.edits import decode_text
from hkgit.errors import InvalidInput
from hkgit.values import dataclass
from hkgit.workflows.setup.steps import read


@dataclass(frozen=True, slots=True)
class OutdatedHooks:
    """A file with hooks of an agent; `is_changed` where somebody else has written in it."""

    agent: str
    mode: str
    path: str
    is_changed: bool

    @property
    def advice(self) -> str:
        """What to do about it."""
        options = f" --mode {self.mode}" if self.mode != MODES[0] else ""
        command = f"hkgit init --agent {self.agent}{options}"
        if self.is_changed:
            return f"is not as hkgit writes it: move it away, then {command}"
        return f"is of another version of hkgit: {command}"


def find_outdated(root: Path) -> Iterator[OutdatedHooks]:
    """Find the hooks that are there and not as `hkgit init --agent` would leave them."""
    for name in HOOKED:
        found = {mode: dict(_find_hooks(root, name, mode)) for mode in MODES}
        if any(all(_is_kept(*each) for each in hooks.values()) for hooks in found.values()):
            continue
        mode = next((mode for mode in MODES if _is_of(found[mode], mode)), MODES[0])
        for path, (part, text) in found[mode].items():
            if not _is_kept(part, text):
                is_changed = isinstance(part, FilePart) and not is_ours(text)
                yield OutdatedHooks(name, mode, path, is_changed)


def _find_hooks(root: Path, name: str, mode: str) -> Iterator[tuple[str, tuple[Part, str]]]:
    """Find the parts with hooks of which something is there, with the text of their files."""
    for part in parts_of(name, mode):
        content = read(root / part.path)
        text = "" if content is None else decode_text(content)
        owner = part.owner if isinstance(part, JsonPart) else ""
        if content is not None and (isinstance(part, FilePart) or (owner and owner in text)):
            yield part.path, (part, text)


def _is_of(hooks: dict[str, tuple[Part, str]], mode: str) -> bool:
    """Whether some file is for this mode."""
    is_steering = any("--steer" in text or "change_file" in text for _, text in hooks.values())
    return bool(hooks) and is_steering == (mode == MODES[1])


def _is_kept(part: Part, text: str) -> bool:
    try:
        return part.add_to(text) == text
    except InvalidInput:
        return False
