"""prek.py: the gate as hooks of prek, in its own configuration: lines at the end of a TOML file.

The table is put behind everything else, between markers, so the rest keeps every byte. Whether it
fits there is asked of a parser: a list `repos = [...]` in one value takes no tables.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.edits import decode_text, encode_text
from hkgit.text.json_nodes import JsonObject
from hkgit.workflows.setup.framework_hooks import FORMER_HOOKS, LOCAL_HOOKS
from hkgit.workflows.setup.steps import Action, SetupStep, keep_file, read

CONFIG = "prek.toml"
BEGIN = "# >>> hkgit init; `hkgit init --remove` takes these lines away"
END = "# <<< hkgit init"

_USES = re.compile(r"^[^#\n]*\bid[ \t]*=[ \t]*['\"]hkgit-gate", re.MULTILINE)
_BLOCK = re.compile(
    rf"(?:\r?\n)?^{re.escape(BEGIN)}\r?\n(?P<inner>(?s:.*?))^{re.escape(END)}\r?\n?", re.MULTILINE
)


def runs_gate(content: bytes) -> bool:
    """Whether a configuration of prek names the gate's hook."""
    return _USES.search(decode_text(content)) is not None


def install(path: Path, hooks: Sequence[str]) -> SetupStep:
    """Add the gate's table at the end of the configuration, or say what a person has to do."""
    text = decode_text(read(path) or b"")
    if runs_gate(encode_text(text)):
        return keep_file(path, "runs hkgit gate already")
    entry = _table(hooks)
    end = "\r\n" if "\r\n" in text else "\n"
    whole = text if text.endswith("\n") or not text else text + end
    new = whole + f"\n{BEGIN}\n{entry}{END}\n".replace("\n", end)
    if not _adds_one_repo(text, new):
        return SetupStep(path, Action.BLOCKED, f"is prek's; add to its `repos`:\n{entry}")
    return SetupStep(path, Action.WROTE, "the gate as a local hook", encode_text(new))


def remove(path: Path) -> Iterator[SetupStep]:
    """Take out the table that `install` added, where it is still so."""
    text = decode_text(read(path) or b"")
    left = _BLOCK.sub(lambda block: "" if _is_own(block["inner"]) else block[0], text)
    if left != text:
        yield SetupStep(path, Action.WROTE, "without the lines of hkgit init", encode_text(left))
    if BEGIN in left:
        yield keep_file(path, "lines between its markers are yours: not as hkgit wrote them")


def _table(hooks: Sequence[str]) -> str:
    items = dict.fromkeys(
        each for name in LOCAL_HOOKS if name in hooks for each in LOCAL_HOOKS[name]
    )
    listed = "".join(each.to_toml() for each in items)
    return f'[[repos]]\nrepo = "local"\nhooks = [\n{listed}]\n'


def _adds_one_repo(old: str, new: str) -> bool:
    """Whether the new text says what the old one did, and one repo more."""
    before, after = _parse(old), _parse(new)
    if before is None or after is None:
        return False
    repos = after.pop("repos", [])
    return repos[:-1] == before.pop("repos", []) and after == before


def _parse(text: str) -> JsonObject | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _is_own(inner: str) -> bool:
    """Whether lines are those that `install` writes, for whichever hooks."""
    hooks = (each for hooks in LOCAL_HOOKS.values() for each in hooks)
    known = {each.to_toml() for each in (*hooks, *FORMER_HOOKS)}
    head, *listed = inner.replace("\r\n", "\n").split("hooks = [\n", 1)
    lines = listed[0].removesuffix("]\n").splitlines(keepends=True) if listed else []
    return head == '[[repos]]\nrepo = "local"\n' and {*lines} <= known
