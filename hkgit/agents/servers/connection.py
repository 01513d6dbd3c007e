"""One client's connection: its roots, its sessions, the dispatch of calls."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from hkgit.agents.servers.replies import Reply, keep_place, of_error
from hkgit.agents.servers.roots import Root, choose_root, places, take_caller
from hkgit.agents.servers.server_calls import CALLS, Tool
from hkgit.errors import HkgitError, InvalidInput
from hkgit.git.program import name_program
from hkgit.sessions.edit_session import EditSession
from hkgit.text.strict_json import Json
from hkgit.values import replace
from hkgit.workflows.arguments import Values, check_arguments

_CHANGED = ("applied", "undone")
"""What is answered to a call that has changed something."""

_ADVICE = ("fix", "read")
"""Members of an answer that hold commands: all else may quote files."""


class Connection:
    """One connection: its name, where it may work, and the sessions it has opened."""

    def __init__(self, start: Path, name: str | None, agent: str = "unknown") -> None:
        self._chosen = name
        self.name = name or f"connection-{secrets.token_hex(4)}"
        self.agent = agent
        self._start = start
        self._offered: list[Root] | None = None
        self._sessions: dict[tuple[Path, str], EditSession] = {}
        self._refused: dict[tuple[Path, str], set[str]] = {}
        """The refused calls of a session since one that changed something, and what came next."""
        self._lock = threading.Lock()

    def offer(self, roots: Sequence[str] | None) -> None:
        """Work in these roots of the client from now on."""
        self._offered = None if roots is None else places(self._start, roots)

    def answer(self, name: str, arguments: Json = None, session: str | None = None) -> Reply:
        """Answer a call; refusals are answers too. Safe to be called by many threads.

        `session` is the caller's, where that is known; a call may name another. A hook may have
        noted whose it is.
        """
        try:
            reply = self._dispatch(name, {} if arguments is None else arguments, session)
        except HkgitError as error:
            reply = of_error(error)
        return _name_programs(reply)

    def _dispatch(self, name: str, arguments: Json, session: str | None) -> Reply:
        call = CALLS.get(name)
        if call is None:
            raise InvalidInput(name[:80], "is not a tool", f"Known: {', '.join(CALLS)}.")
        given = check_arguments(call.arguments, arguments)
        offered = self._offered or places(self._start, None)
        root = given.pop("root", None)
        place = choose_root(offered, root)
        named, session = given.pop("session", None), take_caller(place.root, arguments) or session
        worker = named or self._chosen or session or self.name
        asked = json.dumps([name, given], sort_keys=True)
        reply = self._lead_on(asked, (place.root, worker), self._run(call, place, worker, given))
        return keep_place(reply, root, named)

    def _lead_on(self, asked: str, worker: tuple[Path, str], reply: Reply) -> Reply:
        """Name the call to make next, unless that has not helped this very call before."""
        if reply.document.get("status") in _CHANGED:
            self._refused.pop(worker, None)
        if not reply.is_error or "next" not in reply.document:
            return reply
        said = sha256(f"{asked}{json.dumps(reply.document['next'])}".encode()).hexdigest()
        known = self._refused.setdefault(worker, set())
        if said in known:
            document = {key: value for key, value in reply.document.items() if key != "next"}
            return replace(reply, document=document)
        known.add(said)
        return reply

    def _run(self, call: Tool, place: Root, name: str, given: Values) -> Reply:
        if call.name == "apply":
            # A commit may wait for hooks; the others need not wait for it.
            return call.run(self._open(place, name), place, given)
        with self._lock:
            key = place.root, name
            if key not in self._sessions:
                self._sessions[key] = self._open(place, name)
            return call.run(self._sessions[key], place, given)

    def _open(self, place: Root, name: str) -> EditSession:
        agent = re.sub(r"[^!-~]+", "-", self.agent)[:100] or "unknown"
        return EditSession.open(place.root, name, agent=agent)


def _name_programs(reply: Reply) -> Reply:
    """Name hkgit by a path that the agent's shell finds in the advice of a reply alone."""
    named: dict[str, str] = {}

    def name(value: Json, key: str = "") -> Json:
        if isinstance(value, dict):
            return {each: name(held, each) for each, held in value.items()}
        if isinstance(value, list):
            return [name(each) for each in value]
        if key in _ADVICE and isinstance(value, str) and "hkgit " in value:
            named[value] = name_program(value, is_other_shell=True)
            return named[value]
        return value

    document, text = name(reply.document), reply.said
    for said, better in named.items():
        text = text.replace(said, better)
    return replace(reply, document=document, said=text)
