"""Put hooks into an agent's settings and take them out: of a project, of a user, and outdated ones.

Some agents read a project's hooks only in the directory where they are started. These run wherever
the agent does: outside repositories with hkgit they do nothing, and where the project's own hooks
run they leave the call to those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents import HOOKED, MODES, find_agent
from hkgit.agents.setup.settings import USER, FilePart, JsonPart, Part, list_parts
from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.values import replace
from hkgit.workflows.setup import Action, SetupStep, carry_out, keep_file, read


def find_outdated(root: Path) -> Iterator[tuple[Path, str]]:
    """Find the hooks that are not as `hkgit init --agent` would leave them, and what to do."""
    for name in HOOKED:
        found = {mode: _plan_hooks(root, name, mode) for mode in MODES}
        if any(all(map(_is_kept, steps)) for steps in found.values()):
            continue
        record, steer = MODES
        texts = [_read_text(step.path) or "" for step in found[steer]]
        is_steering = any("--steer" in text or "change_file" in text for text in texts)
        command = f"hkgit init --agent {name}" + (f" --mode {steer}" if is_steering else "")
        for step in found[steer if is_steering else record]:
            if step.action is Action.BLOCKED:
                yield step.path, f"cannot be renewed: {step.note} Then: {command}"
            elif not _is_kept(step):
                yield step.path, f"was written by another version of hkgit: {command}"


def _plan_hooks(root: Path, name: str, mode: str) -> list[SetupStep]:
    """Plan the parts with hooks of which something is there."""
    return [_plan_part(root, part) for part in _list_parts(name, mode) if _has_hooks(root, part)]


def _may_have_hooks(part: Part) -> bool:
    return isinstance(part, FilePart) or (isinstance(part, JsonPart) and part.owner != "")


def _has_hooks(root: Path, part: Part) -> bool:
    text = _read_text(root / part.path) if _may_have_hooks(part) else None
    return text is not None and (not isinstance(part, JsonPart) or part.owner in text)


def _is_kept(step: SetupStep) -> bool:
    return step.action is Action.KEPT


def install(root: Path, name: str, mode: str) -> list[SetupStep]:
    """Put an agent's settings into a folder; done twice, it is done. Raises GitRefused."""
    others = [other for other in MODES if other != mode and mode != USER]
    outdated = {part.path: part for other in others for part in _list_parts(name, other)}
    steps = [_plan_part(root, part, outdated.get(part.path)) for part in _list_parts(name, mode)]
    carry_out(steps)
    return steps


def remove(root: Path, name: str, modes: Sequence[str] = MODES) -> list[SetupStep]:
    """Take out what `install` wrote; a file that it made goes. Raises GitRefused."""
    parts: dict[str, list[Part]] = {}
    for mode in modes:
        for part in _list_parts(name, mode):
            parts.setdefault(part.path, []).append(part)
    found = (_plan_removal(root / path, own) for path, own in parts.items())
    steps = [*filter(None, found)]
    carry_out(steps)
    for folder in {step.path.parent for step in steps}:
        tidy(folder, root)
    return steps


def _list_parts(name: str, mode: str) -> Sequence[Part]:
    return [*list_user_parts(name)] if mode == USER else list_parts(name, mode)


def _read_text(path: Path) -> str | None:
    content = read(path)
    return None if content is None else decode_text(content)


def list_remaining_steps(name: str, *, has_git_hooks: bool) -> Iterator[str]:
    """List what is left to a person after `install`."""
    if not has_git_hooks:
        yield "let git hooks turn what is recorded into evidence: hkgit init"
    yield from find_agent(name).remaining
    if name in list_user_wide():
        everywhere = f"hkgit init --agent {name} --user"
        yield f"start it here: in directories below it reads no hooks, unless you run: {everywhere}"


def tidy(folder: Path, root: Path) -> None:
    """Remove a directory below the root in which nothing is left, and so on upwards."""
    with suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _plan_part(root: Path, part: Part, outdated: Part | None = None) -> SetupStep:
    """Put a part in, in place of the `outdated` one of another mode."""
    path = root / part.path
    text = _read_text(path)
    try:
        wanted = _replace_part(part, outdated, text)
    except InvalidInput as error:
        return SetupStep(path, Action.BLOCKED, f"{error.where} {error.what}. {error.fix}")
    if wanted == text:
        return keep_file(path, "has it already")
    is_executable = isinstance(part, FilePart) and part.is_executable
    return SetupStep(path, Action.WROTE, "", encode_text(wanted), executable=is_executable)


def _replace_part(part: Part, old: Part | None, text: str | None) -> str:
    """A file with a part in it, in place of an old one. Raises InvalidInput."""
    if old is None or text is None or "hkgit" not in text:  # each part says it
        return part.add_to(text)
    with suppress(InvalidInput):
        if part.add_to(text) == text:
            return text
    return part.add_to(old.remove_from(text))


def _plan_removal(path: Path, parts: Iterable[Part]) -> SetupStep | None:
    """Take parts out of a file; one with nothing else in it is removed."""
    left = text = _read_text(path)
    if text is None:
        return None
    try:
        for part in parts:
            left = None if left is None else part.remove_from(left)
    except InvalidInput as error:
        return keep_file(path, f"{error.where} {error.what}")
    if left is None:
        return SetupStep(path, Action.REMOVED)
    if left != text:
        return SetupStep(path, Action.WROTE, "without hkgit's part", encode_text(left))
    is_ours = any(isinstance(part, FilePart) for part in parts)
    return keep_file(path, "it is yours, not what hkgit wrote") if is_ours else None


def list_user_wide() -> list[str]:
    """List the agents whose hooks a user may have for all repositories."""
    return [name for name in HOOKED if find_agent(name).user_folder is not None]


def find_folder(name: str, environment: Mapping[str, str]) -> Path:
    """Find the folder of a user's own settings of an agent that has one."""
    home = find_agent(name).user_folder
    assert home is not None
    return home.find(environment)


def list_user_parts(name: str) -> Iterator[Part]:
    """List the hooks alone, with paths below that folder: servers stay with the projects."""
    parts = list_parts(name, USER)
    [folder] = {part.path.partition("/")[0] for part in parts if _may_have_hooks(part)}
    for part in parts:
        if part.path.startswith(f"{folder}/"):
            moved = replace(part, path=part.path.removeprefix(f"{folder}/"))
            if isinstance(moved, JsonPart) and moved.owner:
                kept = {key: moved.value[key] for key in moved.value if key in ("version", "hooks")}
                moved = replace(moved, value=kept)
            yield moved


def find_user_hooks(name: str, environment: Mapping[str, str]) -> bool | None:
    """Whether the user's hooks are as this version writes them; None where there are none."""
    found = _plan_hooks(find_folder(name, environment), name, USER)
    return all(map(_is_kept, found)) if found else None


def has_project_hooks(name: str, directory: Path) -> bool:
    """Whether an agent that was started in a directory runs hooks of the project."""
    return any(_has_hooks(directory, part) for part in list_parts(name, MODES[0]))
