"""installing.py: what `hkgit init --agent` writes into a checkout and takes back, planned first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents import MODES, parts_of
from hkgit.agents.setup.settings import FilePart, Part
from hkgit.edits import decode_text, encode_text
from hkgit.errors import InvalidInput
from hkgit.workflows.setup.steps import Action, SetupStep, carry_out, keep_file, read


def install(root: Path, name: str, mode: str) -> list[SetupStep]:
    """Put an agent's settings into a checkout; done twice, it is done. Raises GitRefused."""
    outdated = [part for other in MODES if other != mode for part in parts_of(name, other)]
    steps = list(_plan_install(root, parts_of(name, mode), outdated))
    carry_out(steps)
    return steps


def remove(root: Path, name: str) -> list[SetupStep]:
    """Take out what `install` wrote. Raises GitRefused."""
    steps: list[SetupStep] = []
    for mode in MODES:
        taken = list(_plan_removal(root, parts_of(name, mode)))
        carry_out(taken)
        steps += taken
    for folder in {step.path.parent for step in steps}:
        _tidy(folder, root)
    return list(_merge_steps(steps))


def remaining_steps(name: str) -> Iterator[str]:
    """What is left to a person after `install`."""
    if name != "aider":
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


def _merge_steps(steps: Sequence[SetupStep]) -> Iterator[SetupStep]:
    """One step a file: what became of it in the end."""
    last = {step.path: step for step in steps}
    changed = {step.path: step for step in steps if step.action not in ("kept", "blocked")}
    yield from (last | changed).values()


def _plan_install(
    root: Path, parts: Iterable[Part], outdated: Iterable[Part] = ()
) -> Iterator[SetupStep]:
    """Put the parts in, in place of `outdated` ones of the same files."""
    old = {part.path: part for part in outdated}
    for part in parts:
        path = root / part.path
        content = read(path)
        text = None if content is None else decode_text(content)
        try:
            wanted = _replace_part(part, old.get(part.path), text)
        except InvalidInput as error:
            yield SetupStep(path, Action.BLOCKED, f"{error.where} {error.what}. {error.fix}")
            continue
        if wanted == text:
            yield keep_file(path, "says so already")
        else:
            yield SetupStep(path, Action.WROTE, "", encode_text(wanted))


def _replace_part(part: Part, old: Part | None, text: str | None) -> str:
    """A file with a part in it, in place of an old one. Raises InvalidInput."""
    if old is None or text is None:
        return part.added(text)
    with suppress(InvalidInput):
        if part.added(text) == text:
            return text
    return part.added(old.removed(text))


def _plan_removal(root: Path, parts: Iterable[Part]) -> Iterator[SetupStep]:
    """Take the parts out; a file in which nothing else stands goes with them."""
    for part in parts:
        path = root / part.path
        content = read(path)
        if content is None:
            continue
        try:
            left = part.removed(decode_text(content))
        except InvalidInput as error:
            yield keep_file(path, f"{error.where} {error.what}")
            continue
        if left is None:
            yield SetupStep(path, Action.REMOVED)
        elif encode_text(left) != content:
            yield SetupStep(path, Action.WROTE, "without hkgit's part", encode_text(left))
        elif isinstance(part, FilePart):
            yield keep_file(path, "it is yours: not as hkgit wrote it")
