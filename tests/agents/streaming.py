"""streaming.py: give `hkgit hook` what an agent's hooks are given, recorded or call by call."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from hkgit.agents import find_agent
from hkgit.agents.events import ToolEvent
from hkgit.cli.hook import hook
from hkgit.sessions import homes as places
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import Status
from tests.support.repos import Repo

STREAMS = Path(__file__).with_name("streams")
GREETING = b'def greet(name):\n    print("Helo, " + name)\n\n\ngreet("you")\n'


def stream(name: str, repo: Repo) -> Iterator[dict[str, Any]]:
    """The lines of a stream, as if it had been recorded in this repository."""
    log = repo.path.parent / "log.jsonl"
    text = (STREAMS / f"{name}.jsonl").read_text("utf-8")
    text = text.replace("$ROOT", repo.path.as_posix()).replace("$LOG", log.as_posix())
    yield from map(json.loads, text.splitlines())


def told(agent: str, payload: object, *options: str) -> dict[str, Any]:
    """What `hkgit hook` answers to an input."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    result = CliRunner().invoke(hook, [agent, *options], input=text, catch_exceptions=False)
    assert result.exit_code == 0
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def replay(
    name: str, repo: Repo, *options: str, lines: Iterable[dict[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """The answers to the inputs of a stream, or of some lines of it.

    Between them stands what the tools write to the disk, and the agent into its log or database.
    """
    agent, answers = name.partition("-")[0], []
    for line in stream(name, repo) if lines is None else lines:
        for path, content in line.get("disk", {}).items():
            if content is None:
                (repo.path / path).unlink()
            else:
                repo.write(path, content)
        if "log" in line:
            with (repo.path.parent / "log.jsonl").open("a") as file:
                file.write(json.dumps(line["log"]) + "\n")
        if "database" in line:
            keep_message(**line["database"])
        if "input" in line:
            answers.append(told(agent, line["input"], *options))
    return answers


def list_calls(name: str, repo: Repo) -> Iterator[tuple[dict[str, Any], ToolEvent | None]]:
    """The lines of a stream, each with the call that its input tells of."""
    agent = find_agent(name.partition("-")[0])
    for line in stream(name, repo):
        yield line, agent.read_event(line["input"]) if "input" in line else None


def open_goose_database() -> sqlite3.Connection:
    place = Path(os.environ["GOOSE_PATH_ROOT"], "data/sessions/sessions.db")
    place.parent.mkdir(parents=True, exist_ok=True)
    return sqlite3.connect(place)


def keep_message(session: str, content: object) -> None:
    """Add a message to goose's database of sessions."""
    with closing(open_goose_database()) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS messages"
            " (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, content_json TEXT)"
        )
        row = (session, json.dumps(content))
        database.execute("INSERT INTO messages (session_id, content_json) VALUES (?, ?)", row)


class Talk:
    """A conversation in a checkout, told to an agent's hooks call by call; files as Claude Code's.

    What else a hook is told of each call is in `about`.
    """

    def __init__(
        self, root: Path, session: str = "s", *options: str, agent: str = "claude", **about: Any
    ) -> None:
        self.root, self._agent, self._options = root, agent, options
        self._keys = find_agent(agent).keys
        self._about = {self._keys.session: session, self._keys.directory: str(root)} | about

    def payload(
        self, stage: str, tool: str, answer: object = None, **given: object
    ) -> dict[str, object]:
        """What a hook is told `before` a call or `after` it."""
        keys = self._keys
        call = {keys.call: f"{tool} {json.dumps(given)}", keys.stage: getattr(keys, stage)}
        call |= {keys.answer: answer or {}} if stage == "after" else {}
        return {**call, keys.tool: tool, keys.arguments: given, **self._about}

    def tell(self, stage: str, tool: str, answer: object = None, **given: object) -> str:
        """Tell the hook of a call; what the model is told."""
        payload = self.payload(stage, tool, answer, **given)
        answer = told(self._agent, payload, *self._options)
        said = {**answer, **answer.get("hookSpecificOutput", {})}
        names = ("additionalContext", "permissionDecisionReason", "remark")
        return "".join(said.get(name, "") for name in names)

    def begin(self, tool: str, **given: object) -> Callable[..., str]:
        """Tell of a call that begins; returns what tells of its end, and its answer."""
        self.tell("before", tool, **given)
        return lambda answer=None: self.tell("after", tool, answer, **given)

    def begin_edit(self, name: str, old: str, new: str) -> Callable[..., str]:
        return self.begin("Edit", file_path=str(self.root / name), old_string=old, new_string=new)

    def edit(self, name: str, old: str, new: str) -> str:
        """Replace text with the agent's own tool; what the model is told."""
        end = self.begin_edit(name, old, new)
        change(self.root / name, (old, new))
        return end()

    def write(self, name: str, text: str) -> str:
        end = self.begin("Write", file_path=str(self.root / name), content=text)
        Repo(self.root).write(name, text)
        return end()

    def read(self, name: str, text: str | None = None, **given: object) -> None:
        """Show a file to the model: as it is, or as is said."""
        path = str(self.root / name)
        shown = (self.root / name).read_text() if text is None else text
        file = {"filePath": path, "content": shown, "startLine": 1}
        self.tell("after", "Read", {"type": "text", "file": file}, **{"file_path": path} | given)


def change(path: Path, *pairs: tuple[str, str]) -> None:
    """Replace texts of a file that are there."""
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, newline="")


def list_commands(value: object) -> list[str]:
    """The commands of hooks in settings."""
    if isinstance(value, list):
        return [each for inner in value for each in list_commands(inner)]
    if not isinstance(value, dict):
        return []
    own = [value[key] for key in ("command", "bash") if isinstance(value.get(key), str)]
    return own + [each for inner in value.values() for each in list_commands(inner)]


def statuses(repo: Repo) -> list[Status]:
    """The sessions of a checkout."""
    names = [folder.name for folder in places.find_folders(repo.path)]
    return [EditSession.open(repo.path, name).status() for name in names]


def session(repo: Repo) -> Status:
    """The one session of a checkout."""
    [status] = statuses(repo)
    return status
