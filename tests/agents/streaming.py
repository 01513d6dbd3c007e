"""streaming.py: give `hkgit hook` what an agent's hooks are given, one input after another."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from hkgit.cli.hook import hook
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import Status
from tests.support.repos import Repo

STREAMS = Path(__file__).with_name("streams")
GREETING = b'def greet(name):\n    print("Helo, " + name)\n\n\ngreet("you")\n'


def stream(agent: str, repo: Repo) -> Iterator[dict[str, Any]]:
    """The lines of an agent's stream, as if it had been recorded in this repository."""
    for line in (STREAMS / f"{agent}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line.replace("$ROOT", repo.path.as_posix()))


def told(agent: str, payload: object, *options: str) -> dict[str, Any]:
    """What `hkgit hook` answers to an input."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    result = CliRunner().invoke(hook, [agent, *options], input=text, catch_exceptions=False)
    assert result.exit_code == 0
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def replayed(agent: str, repo: Repo, *options: str) -> list[dict[str, Any]]:
    """The answers to all inputs of a stream."""
    return replay_lines(agent, stream(agent, repo), repo, *options)


def replay_lines(
    agent: str, lines: Iterable[dict[str, Any]], repo: Repo, *options: str
) -> list[dict[str, Any]]:
    """The answers to inputs, with what the tools write to the disk between them."""
    answers = []
    for line in lines:
        for name, content in line.get("disk", {}).items():
            repo.write(name, content.encode())
        if "database" in line:
            keep_message(**line["database"])
        if "input" in line:
            answers.append(told(agent, line["input"], *options))
    return answers


def keep_message(session: str, content: object) -> None:
    """Add a message to goose's database of sessions."""
    place = Path(os.environ["GOOSE_PATH_ROOT"], "data/sessions/sessions.db")
    place.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(place)) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS messages"
            " (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, content_json TEXT)"
        )
        row = (session, json.dumps(content))
        database.execute("INSERT INTO messages (session_id, content_json) VALUES (?, ?)", row)


def begin_session(session: str, start: str) -> None:
    """Note in goose's database when a session began."""
    place = Path(os.environ["GOOSE_PATH_ROOT"], "data/sessions/sessions.db")
    place.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TIMESTAMP)")
        database.execute("INSERT INTO sessions VALUES (?, ?)", (session, start))


def session(repo: Repo) -> Status:
    """The one session of a checkout."""
    [folder] = places.find_folders(repo.path)
    return EditSession.open(repo.path, folder.name).status()
