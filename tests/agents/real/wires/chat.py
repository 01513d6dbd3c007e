"""OpenAI's chat completions, which OpenCode, Copilot CLI and Qwen Code speak."""

import json

from tests.agents.real.wires.talk import Answer, Call, Json, Talk, find_text

HEAD = {"id": "chatcmpl-scripted", "created": 0, "model": "scripted"}
USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}


def read(body: Json) -> Talk:
    offered = body.get("tools") or []
    talk = Talk({each["function"]["name"]: "function" for each in offered if "function" in each})
    for message in body["messages"]:
        if message["role"] in ("tool", "user"):
            talk.heard.append(find_text(message.get("content")))
        elif message["role"] == "assistant" and message.get("tool_calls"):
            _hear(talk, message["tool_calls"][0]["id"])
    return talk


def _hear(talk: Talk, call: str) -> None:
    """Count a turn once: goose tells its calls one by one."""
    if not call.startswith(f"call_{talk.turns - 1}_"):
        talk.hear_call()


def write(text: str, calls: list[Call]) -> Answer:
    called = [
        {"index": index, "id": call.id, "type": "function", "function": _function(call)}
        for index, call in enumerate(calls)
    ]
    message: Json = {"role": "assistant", "content": text or None}
    message |= {"tool_calls": called} if called else {}
    reason = "tool_calls" if calls else "stop"
    chosen = {"index": 0, "message": message, "finish_reason": reason}
    whole = HEAD | {"object": "chat.completion", "choices": [chosen], "usage": USAGE}
    chunks = [
        [{"index": 0, "delta": message, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": reason}],
        [],
    ]
    events = [HEAD | {"object": "chat.completion.chunk", "choices": each} for each in chunks]
    events[-1]["usage"] = USAGE
    return Answer(whole, [("", event) for event in events], end="[DONE]")


def _function(call: Call) -> Json:
    return {"name": call.tool, "arguments": json.dumps(call.arguments)}
