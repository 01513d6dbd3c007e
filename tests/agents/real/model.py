"""A model that plays a script, served on 127.0.0.1: `python -m tests.agents.real.model`.

A script is a list of steps in JSON, each a list of calls `{"tool": NAME, "arguments": {...}}`.
Which step comes next follows from the request alone (how often the model has called tools in
it), so nothing is kept between requests and a request that is repeated gets the same answer.
Requests without tools (titles, summaries) get a word. Names of tools beginning with `hkgit:` are
those of hkgit's server, however the agent names them; `hkgit:follow` calls what a hook that
stopped an edit has said to call, and `hkgit:delegate` has a sub-agent play a script of its own.
`$MEND` in an argument is the command that the model was told last to mend something with.
"""

import argparse
import json
import re
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.agents.real.wires import WIRES, Call, Talk, Wire
from tests.agents.real.wires.talk import Answer, Json

DONE = "Done."
FOLLOW = re.compile(r"with session (?P<session>\S+) and this text: (?P<text>.*)", re.DOTALL)
MEND, MENDED_BY = "$MEND", re.compile(r"fix: (.*?)(?:  #.*|</.*)?$", re.MULTILINE)
OURS = "hkgit:"
GEMINI_AGENT, END = "invoke_agent", "complete_task"
"""The tools by which Gemini CLI starts a sub-agent, and by which that ends."""
PLAY = "Play this script: "


def answer(steps: list[list[Json]], talk: Talk) -> tuple[str, list[Call]]:
    """The words and the calls that come next."""
    steps = _find_steps(talk) or steps
    if END in talk.tools and talk.turns == len(steps):
        return "", [Call("call_end", END, {"result": {"response": DONE}})]
    if not talk.tools or talk.turns >= len(steps):
        return DONE, []
    called = (_make_call(asked, talk) for asked in steps[talk.turns])
    numbered = enumerate(called)
    return "", [
        Call(f"call_{talk.turns}_{number}", name, arguments, talk.tools.get(name, kind))
        for number, (name, arguments, kind) in numbered
    ]


def _find_steps(talk: Talk) -> list[list[Json]]:
    """The script of a sub-agent, which stands in what it is asked to do; none for others."""
    asked = (each.partition(PLAY)[2] for each in talk.asked or talk.heard)
    found = next(filter(None, asked), "[]")
    steps: list[list[Json]] = json.JSONDecoder().raw_decode(found)[0]
    return steps


def _make_call(asked: Json, talk: Talk) -> tuple[str, Json, str]:
    name, arguments = asked["tool"], asked["arguments"]
    if name == f"{OURS}follow":
        name, arguments = f"{OURS}edit", _follow("\n".join(talk.heard))
    if name == f"{OURS}delegate":
        asked_for = PLAY + json.dumps(arguments["steps"])
        if GEMINI_AGENT in talk.tools:
            return GEMINI_AGENT, {"agent_name": "generalist", "prompt": asked_for}, "function"
        kind = {"subagent_type": "general-purpose", "run_in_background": False}
        return "Agent", {"description": "work", "prompt": asked_for} | kind, "function"
    if name.startswith(OURS):
        name = _find_tool(name.removeprefix(OURS), talk)
    if MEND in (text := json.dumps(arguments)):
        told = MENDED_BY.findall("\n".join(talk.heard)) or [":"]
        arguments = json.loads(text.replace(MEND, json.dumps(told[-1])[1:-1]))
    return name, arguments, asked.get("kind", "function")


def _follow(heard: str) -> Json:
    """The arguments of `edit` as the words of a hook give them."""
    found = FOLLOW.search(heard)
    if found is None:
        return {"text": "no hook has said what to call"}
    return {"session": found["session"], "text": _cut(found["text"])}


def _cut(text: str) -> str:
    """A JSON object or a patch that stands at the beginning of a text."""
    mark = "*** End Patch"
    if text.startswith("*** Begin Patch") and mark in text:
        return text[: text.index(mark) + len(mark)] + "\n"
    try:
        return text[: json.JSONDecoder().raw_decode(text)[1]]
    except ValueError:
        return text


def _find_tool(name: str, talk: Talk) -> str:
    """The name under which an agent offers a tool of hkgit's server."""
    wanted = re.compile(rf"hkgit.*[^a-z]{re.escape(name)}$")
    return next(filter(wanted.search, talk.tools), f"mcp__hkgit__{name}")


class Handler(BaseHTTPRequestHandler):
    """Answers requests; each is noted as a line of a log."""

    protocol_version = "HTTP/1.1"

    def __init__(self, steps: list[list[Json]], log: Path, *given: Any) -> None:
        self._steps = steps
        self._log = log
        super().__init__(*given)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""

    def do_GET(self) -> None:
        self._note({"other": self.path})
        self._send(b'{"object": "list", "data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = urlsplit(self.path).path
        wire = next((each for each in WIRES if re.search(each.path, path)), None)
        if wire is None:
            self._note({"other": self.path})
            self._send(b'{"input_tokens": 9, "totalTokens": 9}', "application/json")
            return
        self._answer(wire, body, is_stream=bool(body.get("stream")) or "streamGenerate" in path)

    def _answer(self, wire: Wire, body: Json, *, is_stream: bool) -> None:
        talk = wire.read(body)
        said, calls = answer(self._steps, talk)
        if talk.tools:
            called = [[call.tool, call.arguments] for call in calls]
            self._note({"step": talk.turns, "heard": talk.heard, "calls": called})
        written = wire.write(said, calls)
        if is_stream:
            self._send(_stream(written), "text/event-stream")
        else:
            self._send(json.dumps(written.whole).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _note(self, entry: Json) -> None:
        with self._log.open("a") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def _stream(written: Answer) -> bytes:
    """The answer as server-sent events."""
    lines = [
        (f"event: {kind}\n" if kind else "") + f"data: {json.dumps(data)}\n\n"
        for kind, data in written.events
    ]
    return "".join([*lines, f"data: {written.end}\n\n" if written.end else ""]).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("port", type=Path, help="a file that gets the number of the port")
    given = parser.parse_args()
    steps = json.loads(given.script.read_text())
    server = ThreadingHTTPServer(("127.0.0.1", 8099), partial(Handler, steps, given.log))
    server.daemon_threads = True
    given.port.write_text(str(server.server_port))
    server.serve_forever()


if __name__ == "__main__":
    main()
