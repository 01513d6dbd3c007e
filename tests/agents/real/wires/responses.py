"""OpenAI's Responses API, which Codex speaks."""

import json
from collections.abc import Iterator

from tests.agents.real.wires.talk import Answer, Call, Json, Talk, find_text

CALLS = ("function_call", "custom_tool_call", "local_shell_call")
USAGE = {
    "input_tokens": 9,
    "output_tokens": 9,
    "total_tokens": 18,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 0},
}
SPACE = "namespace:"
"""Before the name of the group that a tool belongs to; calls name it beside the tool."""

DEFERRED = {f"mcp__hkgit.{name}": f"{SPACE}mcp__hkgit" for name in ("read", "edit", "status")}
"""Tools of servers, which Codex does not list and which can be called all the same."""


def read(body: Json) -> Talk:
    items = body["input"] if isinstance(body.get("input"), list) else []
    talk = Talk(dict(_tools(body, items)) | DEFERRED)
    was_call = False
    for item in items:
        is_call = item.get("type") in CALLS
        if is_call and not was_call:
            talk.hear_call()
        if str(item.get("type")).endswith("_output"):
            talk.heard.append(find_text(item.get("output")))
        elif item.get("type") == "message" and item.get("role") != "assistant":
            talk.heard.append(find_text(item.get("content")))
        was_call = is_call or (was_call and item.get("type") == "reasoning")
    return talk


def _tools(body: Json, items: list[Json]) -> Iterator[tuple[str, str]]:
    """The tools, those that a message of the conversation brings among them."""
    offered = list(body.get("tools") or [])
    for item in items:
        offered += item.get("tools", []) if item.get("type") == "additional_tools" else []
    for tool in offered:
        if tool.get("type") == "namespace":
            for each in tool.get("tools", []):
                is_custom = each.get("type") == "custom"
                kind = "custom" if is_custom else f"{SPACE}{tool['name']}"
                yield f"{tool['name']}.{each['name']}", kind
        else:
            yield tool.get("name", ""), "custom" if tool.get("type") == "custom" else "function"


def write(text: str, calls: list[Call]) -> Answer:
    items = [_message(text)] if text else []
    items += map(_item, calls)
    whole: Json = {"id": "resp_scripted", "object": "response", "created_at": 0, "error": None}
    whole |= {"model": "scripted", "incomplete_details": None, "usage": USAGE}
    done = whole | {"status": "completed", "output": items}
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    events: list[tuple[str, Json]] = [("response.created", {"response": begun})]
    for index, item in enumerate(items):
        events.append(("response.output_item.added", {"output_index": index, "item": item}))
        events.append(("response.output_item.done", {"output_index": index, "item": item}))
    events.append(("response.completed", {"response": done}))
    return Answer(done, [(kind, {"type": kind} | data) for kind, data in events])


def _message(text: str) -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    head = {"id": "msg_scripted", "type": "message", "role": "assistant", "status": "completed"}
    return head | {"content": [part]}


def _item(call: Call) -> Json:
    item: Json = {"id": f"fc_{call.id}", "call_id": call.id, "status": "completed"}
    if call.kind == "custom":
        [text] = call.arguments.values()
        space, _, name = call.tool.rpartition(".")
        item |= {"namespace": space} if space else {}
        return item | {"type": "custom_tool_call", "name": name, "input": text}
    item |= {"type": "function_call", "arguments": json.dumps(call.arguments)}
    if not call.kind.startswith(SPACE):
        return item | {"name": call.tool}
    space = call.kind.removeprefix(SPACE)
    return item | {"namespace": space, "name": call.tool.removeprefix(f"{space}.")}
