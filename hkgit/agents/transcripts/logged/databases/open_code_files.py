"""open_code_files.py: what OpenCode kept before it had a database: a file for each part.

Below `storage`: `session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json`, and
`part/MESSAGE/PART.json`. The file of the session stands for its log.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.agents.transcripts.fields import Line, parse_value, table


def is_session(path: Path) -> bool:
    """Whether a file is that of a session."""
    return path.suffix == ".json" and path.parent.parent.name == "session"


def is_piece(path: Path) -> bool:
    """Whether a file is a piece of a session, which is read with it."""
    return path.parent.parent.name in ("message", "part") and _storage(path).is_dir()


def read_session(path: Path) -> Iterator[Line]:
    """Yield the parts of a session as lines of a log, in order. Raises OSError."""
    info = table(parse_value(path.read_bytes()))
    about = {
        "sessionID": info.get("id"),
        "directory": info.get("directory"),
        "version": info.get("version"),
    }
    storage = _storage(path).parent
    # Names of messages and parts begin with their time.
    for message in sorted((storage / "message" / path.stem).glob("*.json")):
        for part in sorted((storage / "part" / message.stem).glob("*.json")):
            yield Line(f"{path.name}:{part.stem}", {"info": about, "part": _load(part)})


def _storage(path: Path) -> Path:
    """The directory `session` beside which messages and parts are kept."""
    return path.parent.parent.parent / "session"


def _load(path: Path) -> object:
    try:
        return parse_value(path.read_bytes())
    except OSError:
        return None
