"""Parts of settings files that connect an agent: add and remove each.

In files that others write too only hkgit's own part is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hkgit.agents.events import HOOK_SECONDS
from hkgit.errors import InvalidInput
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

BEGIN = ">>> hkgit init --agent"
END = "<<< hkgit init --agent"

MCP_SERVER = {"command": "hkgit", "args": ["mcp"]}
"""How most agents hear of a server that they are to start."""


LIMIT = f"timeout -k 1 {HOOK_SECONDS - 2}"
"""What ends a hook in time, also one that ignores the signal."""


def guard(command: str) -> str:
    """Wrap a hook's command so that it never fails: an agent stops a call when one does.

    It may be missing, and it may break.
    """
    if is_of_user(command):
        return f"{_SHELL}'! {{ {_IS_GOVERNED}; }} || {command}' || true"
    return f"{command} || true"


def guard_in_time(command: str, *, does_stop: bool = False) -> str:
    """Wrap a command as `guard` does, so that it also ends in time and always answers.

    It may be killed and its children stay, or lateness may count as an objection. `command` holds
    no quotes; a user's own shell may be any, so the script is for `sh`. With `does_stop` an answer
    that denies a call is an exit code of 2 as well, and is on standard error.
    """
    limited = f"{LIMIT} {command}"
    is_absent = "! command -v hkgit >/dev/null"
    if is_of_user(command):
        is_absent = f"! {{ {_IS_GOVERNED}; }} || {is_absent}"
    script = (
        f"if {is_absent}; then said={{}};"
        f" elif command -v timeout >/dev/null; then said=$({limited});"
        f" else said=$({command}); fi || said={{}};"
        ' printf "%s\\n" "$said"'
    )
    if does_stop:
        script += '; case $said in *\\"deny\\"*) printf "%s\\n" "$said" >&2; exit 2;; esac'
    return f"{_SHELL}'{script}'"


_SHELL = "sh -c "
POWERSHELL = "if (Get-Command hkgit "
"""How commands of hooks begin that are wrapped."""

FOR_USER = "--user"
"""The option of hooks that a user has for all repositories."""

_IS_GOVERNED = (
    'r=$(git rev-parse --show-toplevel 2>/dev/null) && { [ -e "$r/.hkgit" ] ||'
    ' [ -e "$(git rev-parse --git-common-dir)/hkgit" ]; }'
)
"""Whether hkgit is used where a hook runs: asked without Python, before each call of a tool."""


def is_steering(command: str) -> bool:
    """Whether a command of a hook stops the agent's own edits."""
    return "--steer" in command.split()


def is_of_user(command: str) -> bool:
    """Whether a command is of hooks that a user has for all repositories."""
    return FOR_USER in command.split()


@dataclass(frozen=True)
class JsonPart:
    """Members of a JSON file; a new file begins as `skeleton`.

    `owner` is how the commands of its hooks begin: what else begins so is of another version, and
    gives way.
    """

    path: str
    value: JsonObject
    skeleton: str = "{}\n"
    owner: str = ""

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
        starts = (self.owner, _SHELL, POWERSHELL)
        return bool(self.owner and commands) and all(
            self.owner in each and each.startswith(starts) for each in commands
        )


@dataclass(frozen=True)
class TextPart:
    """Lines of a text file, between two lines of comment that `comment` makes of marks."""

    path: str
    text: str
    comment: tuple[str, str] = ("# ", "")

    def add_to(self, text: str | None) -> str:
        before, after = self._around(text or "")
        gap = "\n" if before and not before.endswith("\n\n") else ""
        return f"{_end_line(before)}{gap if not after else ''}{self._block()}{after}"

    def remove_from(self, text: str) -> str | None:
        """Remove the part from the file; None where nothing is left."""
        before, after = self._around(text)
        if before == text:
            return text
        if not after:
            before = before.removesuffix("\n") if before.endswith("\n\n") else before
        return before + after or None

    def _block(self) -> str:
        return f"{self._mark(BEGIN)}\n{self.text}{self._mark(END)}\n"

    def _mark(self, words: str) -> str:
        return f"{self.comment[0]}{words}{self.comment[1]}"

    def _around(self, text: str) -> tuple[str, str]:
        """What is before and after the lines; all before where they are not there."""
        begin, end = f"{self._mark(BEGIN)}\n", f"{self._mark(END)}\n"
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
        names = ", ".join(_names(self._value))
        _toml(wanted, f"Add {names} by hand, or remove what is in its way.")
        return wanted

    @property
    def _value(self) -> JsonObject:
        import tomllib  # hooks, which set nothing up, load this module

        return tomllib.loads(self.text)


class YamlPart(TextPart):
    """Lines `name: value` of a YAML file, which may say none of these names by itself."""

    __slots__ = ()

    def add_to(self, text: str | None) -> str:
        before, after = self._around(text or "")
        for line in self.text.splitlines():
            name = line.partition(":")[0]
            if re.search(rf"^{re.escape(name)}\s*:", before + after, re.MULTILINE):
                raise InvalidInput(self.path, f"sets {name} already", f"Set it to: {line}")
        return super().add_to(text)


@dataclass(frozen=True)
class FilePart:
    """A file of hkgit's alone, with its own hash in it; one that any version wrote gives way."""

    path: str
    text: str
    is_executable: bool = False

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


def make_part(path: str, value: JsonObject | str, new: JsonObject, owner: str) -> Part:
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


def read_script(command: str, *names: str, **values: object) -> str:
    """Read scripts of the package as one, with the words of a hook's command and other values.

    A value replaces its name behind a dollar, in a string of its own or within words.
    """
    from importlib.resources import files  # hooks, which set nothing up, load this module

    folder = files("hkgit.agents.programs")
    text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)
    words = command.split()[1:]
    for name, value in {"limit": HOOK_SECONDS * 1000, "words": words, **values}.items():
        text = text.replace(f'"${name}"', json.dumps(value)).replace(f"${name}", str(value))
    return text


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
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("the settings", f"would not be TOML: {error}", fix) from error


def _holds(whole: object, part: object) -> bool:
    """Whether others have each member of tables of tables."""
    if not isinstance(whole, dict) or not isinstance(part, dict):
        return whole == part
    return all(key in whole and _holds(whole[key], value) for key, value in part.items())


def _names(tables: JsonObject) -> Iterator[str]:
    """The dotted names of the second level."""
    return (f"{name}.{each}" for name, table in tables.items() for each in table)


def _end_line(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
