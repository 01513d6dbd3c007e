"""schemas.py: parts of JSON Schemas of formats that others have described."""

from typing import Any

STRING = {"type": "string"}
TEXT = {"type": "string", "minLength": 1}
LINE = {"type": "integer", "minimum": 1}


def closed(required: str, **properties: Any) -> dict[str, Any]:
    """An object of these properties alone, some of which (words of a text) it must have."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }
