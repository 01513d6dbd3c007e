"""The scripted model reads each protocol as its agents speak it, and writes what they read."""

import json

from tests.agents.real.model import answer
from tests.agents.real.wires import Wire, anthropic, chat, gemini, responses
from tests.agents.real.wires.talk import Call, Json
from tests.support.cases import cases

STEPS: list[list[Json]] = [
    [{"tool": "look", "arguments": {}}],
    [{"tool": "hkgit:follow", "arguments": {}}],
]
HEARD = 'Call edit with session s-1 and this text: {"file": "a"} please'

ANTHROPIC: Json = {
    "tools": [{"name": "mcp__hkgit__edit"}],
    "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "look"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": HEARD}]},
    ],
}
CHAT: Json = {
    "tools": [{"type": "function", "function": {"name": "mcp__hkgit__edit"}}],
    "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": HEARD},
    ],
}
RESPONSES: Json = {
    "tools": [{"type": "function", "name": "mcp__hkgit__edit"}],
    "input": [
        {"type": "message", "role": "user", "content": "Go."},
        {"type": "function_call", "name": "look"},
        {"type": "function_call_output", "output": HEARD},
    ],
}
GEMINI: Json = {
    "tools": [{"functionDeclarations": [{"name": "mcp__hkgit__edit"}]}],
    "contents": [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look"}}]},
        {"role": "user", "parts": [{"functionResponse": {"response": {"output": HEARD}}}]},
    ],
}


@cases(
    "wire, body",
    {
        "anthropic": (Wire("", anthropic.read, anthropic.write), ANTHROPIC),
        "chat": (Wire("", chat.read, chat.write), CHAT),
        "responses": (Wire("", responses.read, responses.write), RESPONSES),
        "gemini": (Wire("", gemini.read, gemini.write), GEMINI),
    },
)
def test_a_step_follows_from_the_request_alone(wire: Wire, body: Json) -> None:
    _, [call] = answer(STEPS, wire.read(body))
    assert call == Call("call_1_0", "mcp__hkgit__edit", {"session": "s-1", "text": '{"file": "a"}'})
    written = wire.write("", [call])
    for text in (json.dumps(written.whole), json.dumps(written.events)):
        assert "mcp__hkgit__edit" in text
        assert "s-1" in text


def test_after_the_last_step_and_without_tools_the_model_is_done() -> None:
    talk = chat.read(CHAT)
    assert answer(STEPS[:1], talk) == ("Done.", [])
    assert answer(STEPS, chat.read(CHAT | {"tools": []})) == ("Done.", [])
