"""An agent as one value: its tools, the words of its hooks, its settings and its logs.

Each module of `programs/` has one. To add an agent write such a module, its name in `HOOKED`, and a
stream of its calls in `tests/agents/streams/`.

Its hooks, its editor and its logs report the same calls: all are read by the same table, `edits`
and `looks`, which says what each of its tools does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from hkgit.agents.events import (
    HOOK_SECONDS,
    Did,
    Editing,
    Looks,
    ServerCall,
    Shell,
    ToolEvent,
    ToolReading,
)
from hkgit.agents.log_files import Home, find_attached, find_turn, read_own_lines
from hkgit.agents.logged_call import Log, LoggedCall, Said, join_calls, tell
from hkgit.agents.tools import Tool, session_name
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, replace

MCP_SERVER = {"command": "hkgit", "args": ["mcp"]}
"""How most agents hear of a server that they are to start."""

LIMIT = f"timeout -k 1 {HOOK_SECONDS - 2}"
"""What ends a hook in time, also one that ignores the signal."""

SHELL = "sh -c "
POWERSHELL = "if (Get-Command hkgit "
"""How commands of hooks begin that are wrapped."""

_IS_GOVERNED = (
    'r=$(git rev-parse --show-toplevel 2>/dev/null) && { [ -e "$r/.hkgit" ] ||'
    ' [ -e "$(git rev-parse --git-common-dir)/hkgit" ]; }'
)
"""Whether hkgit is used where a hook runs: asked without Python, before each call of a tool."""


@dataclass(frozen=True)
class HookCommand:
    """The command of an agent's hooks, and how it is wrapped so that it stops no call by failing.

    One that `is_steering` stops the agent's own edits; one that `is_of_user` a user has for all
    repositories.
    """

    agent: str
    is_steering: bool = False
    is_of_user: bool = False

    def __str__(self) -> str:
        return " ".join(["hkgit", *self.words])

    @property
    def words(self) -> list[str]:
        """What follows the name of the program."""
        options = {"--user": self.is_of_user, "--steer": self.is_steering}
        return ["hook", self.agent, *(name for name, is_given in options.items() if is_given)]

    def guard(self) -> str:
        """Wrap it so that it never fails: it may be missing, and it may break."""
        if self.is_of_user:
            return f"{SHELL}'! {{ {_IS_GOVERNED}; }} || {self}' || true"
        return f"{self} || true"

    def guard_in_time(self, *, does_stop: bool = False) -> str:
        """Wrap it as `guard` does, so that it also ends in time and always answers.

        It may be killed and its children stay, or lateness may count as an objection. A user's own
        shell may be any, so the script is for `sh`. With `does_stop` an answer that denies a call
        is an exit code of 2 as well, and is on standard error.
        """
        is_absent = "! command -v hkgit >/dev/null"
        if self.is_of_user:
            is_absent = f"! {{ {_IS_GOVERNED}; }} || {is_absent}"
        script = (
            f"if {is_absent}; then said={{}};"
            f" elif command -v timeout >/dev/null; then said=$({LIMIT} {self});"
            f" else said=$({self}); fi || said={{}};"
            ' printf "%s\\n" "$said"'
        )
        if does_stop:
            script += '; case $said in *\\"deny\\"*) printf "%s\\n" "$said" >&2; exit 2;; esac'
        return f"{SHELL}'{script}'"

    def read_script(self, *names: str, **values: object) -> str:
        """Read scripts of the package as one, with the words of the command and other values.

        A value replaces its name behind a dollar, in a string of its own or within words.
        """
        from importlib.resources import files  # hooks, which set nothing up, load this module

        folder = files("hkgit.agents.programs")
        text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)
        for name, value in {"limit": HOOK_SECONDS * 1000, "words": self.words, **values}.items():
            text = text.replace(f'"${name}"', json.dumps(value)).replace(f"${name}", str(value))
        return text


Settings = Mapping[str, JsonObject | str]
"""Files by their paths: members of a JSON file, or text; who else writes there the path tells."""


@dataclass(frozen=True)
class Keys:
    """What a hook's input calls its members, and what it says of a call's two stages."""

    stage: str = "hook_event_name"
    before: str = "PreToolUse"
    after: str = "PostToolUse"
    tool: str = "tool_name"
    arguments: str = "tool_input"
    answer: str = "tool_response"
    session: str = "session_id"
    reader: str = "agent_id"
    directory: str = "cwd"
    transcript: str = "transcript_path"
    call: str = "tool_use_id"
    turn: str = "turn"


@dataclass(frozen=True)
class Agent:
    """What hkgit knows of an agent."""

    name: str
    settings: Callable[[HookCommand], Settings]
    """Builds the settings that connect it, with the command of its hooks."""
    new_settings: Mapping[str, JsonObject] = field(default_factory=dict)
    """What files of settings that are not there yet have to say beside."""

    server: str = ""
    """How the names begin of the tools of hkgit's server, where its hooks hear of them."""
    own_edit: str | None = None
    """What it calls the tool `edit`, if otherwise than those of that server."""
    edits: Mapping[str, Tool] = field(default_factory=dict)
    looks: Mapping[str, Tool] = field(default_factory=dict)
    """Its own tools that change files, and those that show some or run commands."""

    denial: JsonObject | None = None
    """What stops a call, with `SAID` for the reason, which the model reads."""
    note: JsonObject | None = None
    """What tells the model something after a call; None where nothing does."""

    keys: Keys = Keys()
    reword: Callable[[JsonObject], JsonObject | None] | None = None
    """Writes the input of a hook with those keys; None where it does not matter here."""
    find_output: Callable[[Path, str], str | None] | None = None
    """Finds in a transcript what a call has shown of which no hook tells; None if not (yet)."""

    learns_earlier: bool = False
    """Whether its transcript begins with what the conversation was shown that it goes on from."""
    logs: tuple[Log, ...] = ()
    user_folder: Home | None = None
    """Where a user's settings are, of those that read a project's only where they are started."""
    remaining: tuple[str, ...] = ()
    """What a person has to do after the set-up, besides what all agents need."""

    @property
    def edit_tool(self) -> str:
        """What it calls the tool by which hkgit edits."""
        return self.own_edit or f"{self.server}edit"

    @property
    def tools(self) -> dict[str, Tool]:
        """All its tools that matter here."""
        return {**self.edits, **self.looks}

    def read_event(self, payload: JsonObject) -> ToolEvent | None:
        """Read the event of a hook's input; None where it does not matter here."""
        said = payload if self.reword is None else self.reword(payload)
        if said is None:
            return None
        keys, tools = self.keys, self.tools
        stage, arguments = said.get(keys.stage), said.get(keys.arguments)
        name = str(said.get(keys.tool))
        if stage not in (keys.before, keys.after) or not isinstance(arguments, dict):
            return None
        did: Did | None = None
        if name in tools:
            did = tools[name](arguments, said.get(keys.answer))
        elif stage == keys.before and self.server and name.startswith(self.server):
            did = ServerCall(arguments)
        if did is None:
            return None
        path = said.get(keys.transcript)
        call = str(said.get(keys.call) or "")
        return ToolEvent(
            is_before=stage == keys.before,
            session=session_name(self.name, said.get(keys.session), said.get(keys.reader)),
            directory=Path(str(said.get(keys.directory) or ".")),
            did=replace(did, call=call) if isinstance(did, Shell) and did.call is not None else did,
            transcript=Path(path) if isinstance(path, str) and path else None,
            call=call,
            turn=str(said.get(keys.turn) or ""),
        )

    def find_turn(self, event: ToolEvent) -> str:
        """Which answer of the model asked for a call that has been made; "" if it is not told."""
        if event.turn or event.is_before or event.transcript is None or not event.call:
            return event.turn
        found = (find_turn(log, event.transcript, event.call) for log in self.logs)
        return next(filter(None, found), "")

    def find_attached(self, transcript: Path) -> Iterator[ToolReading]:
        """Find in a transcript the files that the model was shown without a call, as `@file`."""
        for log in self.logs:
            if log.attached:
                yield from find_attached(log, transcript)

    def find_earlier(self, transcript: Path, event: ToolEvent) -> Iterator[LoggedCall]:
        """Find what a conversation was shown before the answer that makes a call. Raises OSError.

        One that goes on from another, or is a fork of it, begins with what that one was shown. The
        words of that answer were written before its other calls had shown anything.
        """
        if not self.learns_earlier:
            return
        [log] = self.logs
        said = log.read(transcript) if log.read else log.says(read_own_lines(transcript))
        calls = [*self.read_calls(log, said)]
        turn = event.turn or find_turn(log, transcript, event.call)
        turn = turn or (calls[-1].turn if calls else "")
        for each in calls:
            is_shown = isinstance(each.did, Shell) or (
                isinstance(each.did, ToolReading) and each.did.answer is not None
            )
            # What was attached names no answer, and is learnt by itself.
            if is_shown and each.turn not in ("", turn):
                yield each

    def read_calls(self, log: Log, said: Iterable[Said]) -> Iterator[LoggedCall]:
        """Yield what each call of a log has done; one may read several files."""
        tools = self.tools
        for call in join_calls(log.name, said):
            did: Did | None = call.did
            if did is None and call.tool in tools:
                did = tools[call.tool](call.arguments, call.answer)
            if call.has_failed and not isinstance(did, Shell):
                continue
            if isinstance(did, Editing) and did.told is None:
                did = replace(did, told=tell(call))
            parts = did.parts if isinstance(did, Looks) else () if did is None else (did,)
            for number, part in enumerate(parts):
                yield replace(call, did=part, id=f"{call.id}.{number}" if number else call.id)
