"""installing.py: plan and write what `hkgit init --agent` puts into a checkout, and remove it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents import MODES, parts_of
from hkgit.agents.setup.settings import FilePart, Part
from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.workflows.setup.steps import Action, SetupStep, carry_out, keep_file, read

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
