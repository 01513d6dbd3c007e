"""user_wide.py: hooks of an agent for all repositories of a user, in the user's own settings.

Some agents read a project's hooks only in the directory where they are started. These run wherever
the agent does: outside repositories with hkgit they do nothing, and where the project's own hooks
run they leave the call to those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from hkgit.agents import find_agent, parts_of
from hkgit.agents.setup.installing import HERE_ALONE, plan_part, plan_removal, tidy
from hkgit.agents.setup.settings import FOR_USER, FilePart, JsonPart, Part
from hkgit.edits import decode_text
from hkgit.errors import InvalidInput
from hkgit.values import replace
from hkgit.workflows.setup.steps import SetupStep, carry_out, read

USER_WIDE = HERE_ALONE

_FOLDERS = {
    "claude": ("CLAUDE_CONFIG_DIR", "", ".claude"),
    "copilot": ("COPILOT_HOME", "", ".copilot"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini", ".gemini"),
    "goose": ("", "", ".agents"),
    "pi": ("PI_CODING_AGENT_DIR", "", ".pi/agent"),
    "qwen": ("QWEN_HOME", "", ".qwen"),
}
"""Where a user's settings are: below what a variable names, or below the home."""


def find_folder(name: str, environment: Mapping[str, str]) -> Path:
    """Find the folder of a user's own settings of an agent."""
    variable, below, default = _FOLDERS[name]
    if variable and (named := environment.get(variable)):
        return Path(named, below)
    return Path.home() / default


def list_user_parts(name: str) -> Iterator[Part]:
    """List the hooks alone, with paths below that folder: servers stay with the projects."""
    [folder] = {PurePosixPath(each).parts[0] for each in _list_hook_files(name)}
    for part in find_agent(name).list_parts(f"hkgit hook {name} {FOR_USER}"):
        path = PurePosixPath(part.path)
        if path.parts[0] == folder:
            moved = replace(part, path=path.relative_to(folder).as_posix())
            if isinstance(moved, JsonPart) and moved.owner:
                kept = {key: moved.value[key] for key in moved.value if key in ("version", "hooks")}
                moved = replace(moved, value=kept)
            yield moved


def install_for_user(name: str, environment: Mapping[str, str]) -> list[SetupStep]:
    """Put the hooks into the user's settings; done twice, it is done."""
    folder, steps = find_folder(name, environment), []
    for part in list_user_parts(name):
        content = read(folder / part.path)
        text = None if content is None else decode_text(content)
        steps.append(plan_part(folder, part, text, None))
    carry_out(steps)
    return steps


def remove_for_user(name: str, environment: Mapping[str, str]) -> list[SetupStep]:
    """Take them out again."""
    folder = find_folder(name, environment)
    steps = [*plan_removal(folder, list_user_parts(name))]
    carry_out(steps)
    for each in {step.path.parent for step in steps}:
        tidy(each, folder)
    return steps


def find_user_hooks(name: str, environment: Mapping[str, str]) -> bool | None:
    """Whether the user's hooks are as this version writes them; None where there are none."""
    folder, found = find_folder(name, environment), []
    for part in list_user_parts(name):
        content = read(folder / part.path)
        text = "" if content is None else decode_text(content)
        if f"hkgit hook {name}" in text or (text and isinstance(part, FilePart)):
            with suppress(InvalidInput):
                found.append(part.add_to(text) == text)
                continue
            found.append(False)
    return all(found) if found else None


def has_project_hooks(name: str, directory: Path) -> bool:
    """Whether an agent that was started in a directory runs hooks of the project."""
    for path in _list_hook_files(name):
        content = read(directory / path)
        if content is not None and (b"hkgit hook " + name.encode() in content or name == "pi"):
            return True
    return False


def _list_hook_files(name: str) -> Iterator[str]:
    for part in parts_of(name, "record"):
        if isinstance(part, FilePart) or (isinstance(part, JsonPart) and part.owner):
            yield part.path
