"""Where the agents on this machine keep their logs of a checkout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from hkgit.errors import InvalidInput

SUFFIXES = (".jsonl", ".json", ".db", ".llm.history", ".chat.history.md")


Find = Callable[[Path, Mapping[str, str], Sequence[Path]], Iterator[Path]]
"""Finds the logs of an agent, by the home, the environment and the roots of checkouts."""


def find_logs(
    roots: Sequence[Path], environment: Mapping[str, str], agent: str | None = None
) -> list[Path]:
    """Find the logs that may speak of one of some checkouts, by one agent or by all."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nonexistent")
    names = AGENTS if agent is None else (agent,)
    found = (path for name in names for path in _PLACES[name](home, environment, roots))
    return sorted({path for path in found if path.is_file()})


def logs_at(place: Path) -> list[Path]:
    """List every log below a directory, or the one file. Raises InvalidInput for none."""
    if place.is_file():
        return [place]
    found = sorted(path for suffix in SUFFIXES for path in place.rglob(f"*{suffix}"))
    if not found:
        fix = f"Name an agent ({', '.join(AGENTS)}), a directory that holds logs, or one log."
        raise InvalidInput(str(place), "there are no logs", fix)
    return found


def _aider(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """The history of its model's calls, where its settings name one, else that of its chats."""
    told = environment.get("AIDER_LLM_HISTORY_FILE") or ".aider.llm.history"
    chats = environment.get("AIDER_CHAT_HISTORY_FILE") or ".aider.chat.history.md"
    return (root / (told if (root / told).is_file() else chats) for root in roots)


def _projects(base: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """A directory a project: its path, with a dash for all that is no letter or digit."""
    base = base / "projects"
    slugs = [re.sub(r"[^A-Za-z0-9]", "-", str(root)) for root in roots]
    for folder in base.iterdir() if base.is_dir() else ():
        if any(folder.name == slug or folder.name.startswith(f"{slug}-") for slug in slugs):
            yield from folder.rglob("*.jsonl")


def _cline(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """Beside the messages of a session stands where it worked."""
    base = Path(environment.get("CLINE_DIR") or home / ".cline")
    for path in base.glob("data/sessions/*/*.messages.json"):
        about = path.with_name(path.name.removesuffix(".messages.json") + ".json")
        if _mentions(about, roots):
            yield path


def _gemini(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """A directory a project, which names the project's root, or is called by its hash."""
    base = Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"
    names = {str(root) for root in roots}
    hashes = {sha256(name.encode("utf-8", "surrogateescape")).hexdigest() for name in names}
    for folder in base.iterdir() if base.is_dir() else ():
        try:
            root = (folder / ".project_root").read_text("utf-8", "surrogateescape").strip()
        except OSError:
            root = ""
        if folder.name in hashes or any(
            root == name or root.startswith(f"{name}/") for name in names
        ):
            yield from (path for path in folder.glob("chats/**/*.jsonl"))


def _goose(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """One database for all projects."""
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "goose"
    own = environment.get("GOOSE_PATH_ROOT")
    place = Path(own, "data", "sessions") if own else data / "sessions"
    path = place / "sessions.db"
    if path.is_file():
        # Few have any.
        from hkgit.agents.transcripts.goose_log import knows_any

        if knows_any(path, roots):
            yield path


def _databases(
    name: str, home: Path, environment: Mapping[str, str], roots: Sequence[Path]
) -> Iterator[Path]:
    """One database for all projects, of OpenCode or a fork of it."""
    base = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    for path in base.glob(f"{name}/{name}*.db"):
        # Few have any.
        from hkgit.agents.transcripts.opencode_log import knows_any

        if knows_any(path, roots):
            yield path


def _sessions(variable: str, folder: str, pattern: str) -> Find:
    """Make what finds the logs in an agent's folder that name a checkout, of any project."""

    def find(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
        found = Path(environment.get(variable) or home / folder).glob(pattern)
        return (path for path in found if _mentions(path, roots))

    return find


_PLACES: Mapping[str, Find] = {
    "aider": _aider,
    "claude": lambda home, environment, roots: _projects(
        Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude"), roots
    ),
    "cline": _cline,
    "codex": _sessions("CODEX_HOME", ".codex", "*sessions/**/*.jsonl"),
    "copilot": _sessions("COPILOT_HOME", ".copilot", "session-state/*/events.jsonl"),
    "gemini": _gemini,
    "goose": _goose,
    "kilo": partial(_databases, "kilo"),
    "opencode": partial(_databases, "opencode"),
    "pi": _sessions("PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*/*.jsonl"),
    "qwen": lambda home, environment, roots: _projects(
        Path(environment.get("QWEN_HOME") or home / ".qwen"), roots
    ),
}
AGENTS = (*_PLACES,)
"""Agents whose logs are found by themselves and can be read."""

_HEAD = 2**22
"""So many bytes of a log are searched for the path of a checkout."""


def _mentions(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a log names one of the checkouts near its beginning."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(str(root).encode() in head for root in roots)
