"""Google's generateContent, which Gemini CLI speaks."""

from tests.agents.real.wires.talk import Answer, Call, Json, Talk, find_text

USAGE = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}


def read(body: Json) -> Talk:
    declared = [
        each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations", [])
    ]
    talk = Talk({each["name"]: "function" for each in declared})
    for content in body["contents"]:
        parts = content.get("parts", [])
        if content.get("role") != "model":
            talk.heard += [find_text(_said(part)) for part in parts]
        elif any("functionCall" in part for part in parts):
            talk.hear_call()
    return talk


def _said(part: Json) -> object:
    return part["functionResponse"].get("response") if "functionResponse" in part else part


def write(text: str, calls: list[Call]) -> Answer:
    parts: list[Json] = [{"text": text}] if text or not calls else []
    for call in calls:
        called = {"id": call.id, "name": call.tool, "args": call.arguments}
        parts.append({"functionCall": called})
    content = {"role": "model", "parts": parts}
    whole = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": USAGE,
        "modelVersion": "scripted",
    }
    return Answer(whole, [("", whole)])
