"""Put hooks into an agent's settings and take them out: of a project, of a user, and outdated ones.

Some agents read a project's hooks only in the directory where they are started. These run wherever
the agent does: outside repositories with hkgit they do nothing, and where the project's own hooks
run they leave the call to those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from hkgit.agents import HOOKED, MODES, find_agent, parts_of
from hkgit.agents.setup.settings import FOR_USER, FilePart, JsonPart, Part, is_ours
from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.values import dataclass, replace
from hkgit.workflows.setup_steps import Action, SetupStep, carry_out, keep_file, read


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
        text = _read_text(root / part.path)
        owner = part.owner if isinstance(part, JsonPart) else ""
        if text is not None and (isinstance(part, FilePart) or (owner and owner in text)):
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


HERE_ALONE = ("claude", "copilot", "gemini", "goose", "pi", "qwen")
"""Agents that read a project's hooks only in the directory where they are started."""

REMAINING = {
    "aider": (
        r"keep aider's own files out of commits: printf '.aider*\n!.aider.conf.yml\n' >>.gitignore",
        "when aider has edited: git add -A && hkgit adopt --staged && git commit",
    ),
    "claude": ("trust this folder when Claude Code asks: else it heeds no approvals of a project",),
    "cline": (
        "let Cline start the server, and not give up after 3 seconds:"
        ' "hkgit": {"command": "hkgit", "args": ["mcp"], "timeout": 30}'
        " in mcpServers of ~/.cline/data/settings/cline_mcp_settings.json",
    ),
    "codex": (
        "trust this project and its hooks when Codex asks, or in /hooks:"
        " until then it runs none, and `codex exec` does not ask",
    ),
    "copilot": (
        "trust this folder when Copilot asks: until then it runs no hooks,"
        " and with -p it does not ask: copilot --trust-folder",
        "let it call hkgit's tools without asking: copilot --allow-tool hkgit",
    ),
    "gemini": (
        "trust this folder when Gemini asks: else it runs no hooks of a project",
        "commit in a shell of your own: Gemini's switches git's hooks off",
    ),
    "goose": (
        "let goose start the server, with `goose configure` or each time:"
        " goose run --with-extension 'hkgit mcp'",
    ),
    "qwen": ("let Qwen Code start the server: qwen mcp approve hkgit",),
    "windsurf": (
        "connect the server in ~/.codeium/windsurf/mcp_config.json (command hkgit, args mcp)",
        "it does not tell what it was shown, so its own edits are blind: use --mode steer",
        "where .devin/hooks.json exists, it is read instead: move these hooks there",
    ),
}
"""What a person has to do for one agent, besides what all of them need."""


def install(root: Path, name: str, mode: str) -> list[SetupStep]:
    """Put an agent's settings into a checkout; done twice, it is done. Raises GitRefused."""
    outdated = {
        part.path: part for other in MODES if other != mode for part in parts_of(name, other)
    }
    steps = [
        plan_part(root, part, _read_text(root / part.path), outdated.get(part.path))
        for part in parts_of(name, mode)
    ]
    carry_out(steps)
    return steps


def remove(root: Path, name: str) -> list[SetupStep]:
    """Take out what `install` wrote; a file that it made goes. Raises GitRefused."""
    steps: list[SetupStep] = []
    for mode in MODES:
        taken = [*plan_removal(root, parts_of(name, mode))]
        carry_out(taken)
        steps += taken
    for folder in {step.path.parent for step in steps}:
        tidy(folder, root)
    return [*_merge_steps(steps)]


def _read_text(path: Path) -> str | None:
    content = read(path)
    return None if content is None else decode_text(content)


def list_remaining_steps(name: str) -> Iterator[str]:
    """List what is left to a person after `install`."""
    if name not in ("aider", "pi"):
        yield "install the server's package, if it is not there: pip install 'hkgit[mcp]'"
    yield "let git's hooks turn what is recorded into evidence: hkgit init"
    yield from REMAINING.get(name, ())
    if name in HERE_ALONE:
        everywhere = f"hkgit init --agent {name} --user"
        yield f"start it in this directory; below it reads no hooks, unless you have: {everywhere}"


def tidy(folder: Path, root: Path) -> None:
    """Remove a directory below the root in which nothing is left, and so on upwards."""
    with suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _merge_steps(steps: Sequence[SetupStep]) -> Iterator[SetupStep]:
    """One step a file: what became of it in the end."""
    last = {step.path: step for step in steps}
    changed = {step.path: step for step in steps if step.action not in ("kept", "blocked")}
    yield from (last | changed).values()


def plan_part(root: Path, part: Part, text: str | None, outdated: Part | None) -> SetupStep:
    """Put a part in, in place of the `outdated` one of another mode."""
    path = root / part.path
    try:
        wanted = _replace_part(part, outdated, text)
    except InvalidInput as error:
        return SetupStep(path, Action.BLOCKED, f"{error.where} {error.what}. {error.fix}")
    if wanted == text:
        return keep_file(path, "says so already")
    is_executable = isinstance(part, FilePart) and part.is_executable
    return SetupStep(
        path=path,
        action=Action.WROTE,
        note="",
        content=encode_text(wanted),
        executable=is_executable,
    )


def _replace_part(part: Part, old: Part | None, text: str | None) -> str:
    """A file with a part in it, in place of an old one. Raises InvalidInput."""
    if old is None or text is None or "hkgit" not in text:  # each part says it
        return part.add_to(text)
    with suppress(InvalidInput):
        if part.add_to(text) == text:
            return text
    return part.add_to(old.remove_from(text))


def plan_removal(root: Path, parts: Iterable[Part]) -> Iterator[SetupStep]:
    """Take the parts out; a file in which nothing else stands goes with them."""
    for part in parts:
        path = root / part.path
        text = _read_text(path)
        if text is None:
            continue
        try:
            left = part.remove_from(text)
        except InvalidInput as error:
            yield keep_file(path, f"{error.where} {error.what}")
            continue
        if left is None:
            yield SetupStep(path, Action.REMOVED)
        elif left != text:
            yield SetupStep(path, Action.WROTE, "without hkgit's part", encode_text(left))
        elif isinstance(part, FilePart):
            yield keep_file(path, "it is yours: not as hkgit wrote it")


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
    folder = find_folder(name, environment)
    steps = [
        plan_part(folder, part, _read_text(folder / part.path), None)
        for part in list_user_parts(name)
    ]
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
        text = _read_text(folder / part.path) or ""
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
