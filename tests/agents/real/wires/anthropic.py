"""Anthropic's Messages API, which Claude Code speaks."""

import json

from tests.agents.real.wires.talk import Answer, Call, Json, Talk, find_text

USAGE = {"input_tokens": 9, "output_tokens": 9}


def read(body: Json) -> Talk:
    talk = Talk({tool["name"]: "function" for tool in body.get("tools", []) if "name" in tool})
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] != "assistant":
            talk.heard += map(find_text, blocks)
        elif any(block["type"] == "tool_use" for block in blocks):
            talk.hear_call()
    return talk


def write(text: str, calls: list[Call]) -> Answer:
    blocks: list[Json] = [{"type": "text", "text": text}] if text else []
    for call in calls:
        blocks.append(
            {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
        )
    reason = "tool_use" if calls else "end_turn"
    # Of messages with one id Claude Code keeps the last, so each has its own.
    name = calls[0].id if calls else "end"
    whole: Json = {"id": f"msg_{name}", "type": "message", "role": "assistant"}
    whole |= {"model": "scripted", "stop_sequence": None, "usage": USAGE}
    ended = {"stop_reason": reason, "stop_sequence": None}
    empty = whole | {"content": [], "stop_reason": None}
    events: list[tuple[str, Json]] = [("message_start", {"message": empty})]
    for index, block in enumerate(blocks):
        events += [(kind, {"index": index} | data) for kind, data in _stream(block)]
    events += [("message_delta", {"delta": ended, "usage": USAGE}), ("message_stop", {})]
    typed = [(kind, {"type": kind} | data) for kind, data in events]
    return Answer(whole | {"content": blocks, "stop_reason": reason}, typed)


def _stream(block: Json) -> list[tuple[str, Json]]:
    if block["type"] == "text":
        empty: Json = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        ("content_block_start", {"content_block": empty}),
        ("content_block_delta", {"delta": delta}),
        ("content_block_stop", {}),
    ]
