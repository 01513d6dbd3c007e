"""Parts of settings files that connect an agent: add and remove each.

In files that others write too only hkgit's own part is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hkgit.agents import MODES, find_agent
from hkgit.agents.agent import POWERSHELL, SHELL, HookCommand
from hkgit.errors import InvalidInput
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

BEGIN = ">>> hkgit init --agent"
END = "<<< hkgit init --agent"


@dataclass(frozen=True)
class JsonPart:
    """Members of a JSON file; a new file begins as `skeleton`.

    `owner` is how the commands of its hooks begin: what else begins so is of another version, and
    gives way.
    """

    path: str
    value: JsonObject
    skeleton: str
    owner: str

    def add_to(self, text: str | None) -> str:
        from hkgit.agents.setup.jsonc import add_members  # hooks set nothing up

        return add_members(self.skeleton if text is None else text, self.value, self._owns)

    def remove_from(self, text: str) -> str | None:
        """Remove the part from the file; None where nothing of anybody's is left."""
        from hkgit.agents.setup.jsonc import remove_members

        left = remove_members(text, self.value, self._owns)
        return None if left == remove_members(self.add_to(None), self.value) else left

    def _owns(self, element: object) -> bool:
        """Whether a hook runs commands of this part alone."""
        commands = [*_commands(element)]
        starts = (self.owner, SHELL, POWERSHELL)
        return bool(self.owner and commands) and all(
            self.owner in each and each.startswith(starts) for each in commands
        )


@dataclass(frozen=True)
class TextPart:
    """Lines of a text file, between two lines of comment that `comment` makes of marks."""

    path: str
    text: str
    comment: tuple[str, str]

    def add_to(self, text: str | None) -> str:
        before, after = self._around(text or "")
        end = "" if not before or before.endswith("\n") else "\n"
        gap = "\n" if before and not after and not before.endswith("\n\n") else ""
        begin, close = self._marks()
        return f"{before}{end}{gap}{begin}{self.text}{close}{after}"

    def remove_from(self, text: str) -> str | None:
        """Remove the part from the file; None where nothing is left."""
        before, after = self._around(text)
        if before == text:
            return text
        if not after:
            before = before.removesuffix("\n") if before.endswith("\n\n") else before
        return before + after or None

    def _marks(self) -> tuple[str, str]:
        before, after = self.comment
        return f"{before}{BEGIN}{after}\n", f"{before}{END}{after}\n"

    def _around(self, text: str) -> tuple[str, str]:
        """What is before and after the lines; all before where they are not there."""
        begin, end = self._marks()
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        return (before, after) if found and closed else (text, "")


class TomlPart(TextPart):
    """Lines of a TOML file, which says what they say and stays TOML with them in it."""

    __slots__ = ()

    def add_to(self, text: str | None) -> str:
        if text is not None and _holds(_toml(text, "Fix the settings first."), self._value):
            return text
        wanted = super().add_to(text)
        names = (f"{name}.{each}" for name, table in self._value.items() for each in table)
        _toml(wanted, f"Add {', '.join(names)} by hand, or remove what is in its way.")
        return wanted

    @property
    def _value(self) -> JsonObject:
        return _toml(self.text, "")


class YamlPart(TextPart):
    """Lines `name: value` of a YAML file, which may say none of these names by itself."""

    __slots__ = ()

    def add_to(self, text: str | None) -> str:
        before, after = self._around(text or "")
        for line in self.text.splitlines():
            name = line.partition(":")[0]
            if re.search(rf"^{re.escape(name)}\s*:", before + after, re.MULTILINE):
                fix = f"Remove that line: hkgit writes {line}"
                raise InvalidInput(self.path, f"sets {name} already", fix)
        return super().add_to(text)


@dataclass(frozen=True)
class FilePart:
    """A file of hkgit's alone, with its own hash in it; one that any version wrote gives way."""

    path: str
    text: str
    is_executable: bool

    def add_to(self, text: str | None) -> str:
        if text is not None and text != self.text and not is_stamped(text):
            what = "is not as hkgit wrote it, so it is left as it is"
            raise InvalidInput(self.path, what, "Move it away.")
        return self.text

    def remove_from(self, text: str) -> str | None:
        return None if text == self.text or is_stamped(text) else text


Part = JsonPart | TextPart | FilePart

_SHARED = {".toml": TomlPart, ".yml": YamlPart, ".md": TextPart}
_COMMENTS = {".md": ("<!-- ", " -->"), ".js": ("// ", "")}


USER = "user"
"""The mode of hooks that a user has for all repositories."""


def list_parts(name: str, mode: str = MODES[0]) -> list[Part]:
    """List the parts of settings that connect an agent."""
    agent, owner = find_agent(name), str(HookCommand(name))
    command = HookCommand(name, is_steering=mode == MODES[1], is_of_user=mode == USER)
    return [
        _make_part(path, value, agent.new_settings.get(path, {}), owner)
        for path, value in agent.settings(command).items()
    ]


def _make_part(path: str, value: JsonObject | str, new: JsonObject, owner: str) -> Part:
    """Make a part of a file's settings: lines of one that others write too, or all of our own.

    A file that is not there yet says what is `new` beside; commands of hooks begin as `owner`.
    """
    if isinstance(value, dict):
        has_hooks = any(owner in each for each in _commands(value))
        skeleton = json.dumps(new, indent=2) + "\n"
        return JsonPart(path, value, skeleton, owner if has_hooks else "")
    name = PurePosixPath(path)
    before, after = _COMMENTS.get(name.suffix, ("# ", ""))
    if name.suffix in _SHARED and "hkgit" not in name.name:
        return _SHARED[name.suffix](path, value, (before, after))
    text = add_stamp(value, before.rstrip(), after)
    return FilePart(path, text, is_executable=value.startswith("#!"))


def _commands(value: object) -> Iterator[str]:
    """The commands that a hook runs, wherever they are in it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("command", "bash", "powershell") and isinstance(inner, str):
                yield inner
            else:
                yield from _commands(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commands(inner)


def _toml(text: str, fix: str) -> JsonObject:
    import tomllib  # hooks, which set nothing up, load this module

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("the settings", f"would not be TOML: {error}", fix) from error


def _holds(whole: object, part: object) -> bool:
    """Whether others have each member of tables of tables."""
    if not isinstance(whole, dict) or not isinstance(part, dict):
        return whole == part
    return all(key in whole and _holds(whole[key], value) for key, value in part.items())
