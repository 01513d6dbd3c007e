"""sample_program.py: an agent that does not exist, described as one is that is added.

Its hooks get `{"event": "before"|"after", "tool", "arguments", "answer", "conversation", "place"}`;
a line of its log is the same call, with its `time` and `id`.
"""

from collections.abc import Iterable, Iterator

from hkgit.agents.agent import MCP_SERVER, Agent, HookCommand, Keys, Settings
from hkgit.agents.json_fields import parse_time, table
from hkgit.agents.log_files import Home
from hkgit.agents.logged_call import About, Line, Log, LoggedCall, Said
from hkgit.agents.tools import SAID, editing, reading, shell
from hkgit.text.strict_json import JsonObject

NAME = "sample"


def _build_settings(command: HookCommand) -> Settings:
    run = {"run": {"command": command.guard_in_time()}}
    hooks = {"before": run, "after": run}
    return {".sample/settings.json": {"servers": {"hkgit": MCP_SERVER}, "hooks": hooks}}


def _detects(record: JsonObject) -> bool:
    return "sample" in record


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    for line in lines:
        said = line.record
        yield About(
            line.where,
            time=parse_time(said.get("time")),
            conversation=str(said.get("conversation")),
            version=str(said["sample"]),
            directory=str(said.get("place")),
        )
        call, tool = str(said.get("id")), str(said.get("tool"))
        yield LoggedCall(call, tool, table(said.get("arguments")), said.get("answer"))


AGENT = Agent(
    name=NAME,
    edits={"change": editing("path", "old_text", "new_text")},
    looks={"show": reading("path"), "run": shell("command")},
    denial={"stop": SAID},
    note={"note": SAID},
    keys=Keys(
        stage="event",
        before="before",
        after="after",
        tool="tool",
        arguments="arguments",
        answer="answer",
        session="conversation",
        directory="place",
    ),
    settings=_build_settings,
    logs=(Log(NAME, Home("SAMPLE_HOME", ".sample").logs("*.jsonl"), _detects, _says),),
)
