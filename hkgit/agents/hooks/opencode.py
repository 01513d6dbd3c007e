"""opencode.py: OpenCode. Its hooks are functions of a plugin: opencode.ai/docs/plugins."""

from __future__ import annotations

from hkgit.agents.events import (
    Tool,
    ToolEvent,
    editing,
    patching,
    reading,
    shell,
    tool_event,
)
from hkgit.agents.setup.settings import FilePart, JsonPart, Part
from hkgit.text.json_nodes import JsonObject

NAME = "opencode"

EDITS: dict[str, Tool] = {
    "edit": editing("filePath", "oldString", "newString", "replaceAll"),
    "write": editing("filePath", "content"),
    "apply_patch": patching("patchText"),
    "patch": patching("patchText"),
}
LOOKS: dict[str, Tool] = {"read": reading("filePath"), "bash": shell("command")}

_PLUGIN = """\
// Written by `hkgit init --agent opencode`; `--remove` takes it away.
// Tells hkgit of each call of a tool that reads or edits files, before and after it.
import {{ spawnSync }} from "node:child_process"

const TOOLS = new Set({tools})
const COMMAND = {command}

function tell(directory, event) {{
  const input = JSON.stringify({{ cwd: directory, ...event }})
  const options = {{ input, cwd: directory, encoding: "utf8" }}
  const done = spawnSync(COMMAND[0], COMMAND.slice(1), options)
  return done.status === 0 && done.stdout ? JSON.parse(done.stdout) : {{}}
}}

export const Hkgit = async ({{ directory }}) => {{
  const given = new Map()
  return {{
    "tool.execute.before": async (call, output) => {{
      if (!TOOLS.has(call.tool)) return
      given.set(call.callID, output.args)
      const answer = tell(directory, {{
        hook_event_name: "before", session_id: call.sessionID,
        tool_name: call.tool, tool_input: output.args,
      }})
      if (answer.deny) throw new Error(answer.deny)
    }},
    "tool.execute.after": async (call, output) => {{
      if (!given.has(call.callID)) return
      const answer = tell(directory, {{
        hook_event_name: "after", session_id: call.sessionID, tool_name: call.tool,
        tool_input: given.get(call.callID), tool_response: output.output,
      }})
      given.delete(call.callID)
      if (answer.remark) output.output += `\\n${{answer.remark}}`
    }},
  }}
}}
"""


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    tools = ", ".join(f'"{name}"' for name in [*EDITS, *LOOKS])
    words = ", ".join(f'"{word}"' for word in command.split())
    server = {"type": "local", "command": ["hkgit", "mcp"], "enabled": True}
    plugin = _PLUGIN.format(tools=f"[{tools}]", command=f"[{words}]")
    return [
        JsonPart("opencode.json", {"mcp": {"hkgit": server}}),
        FilePart(".opencode/plugins/hkgit.js", plugin),
    ]


def event(payload: JsonObject) -> ToolEvent | None:
    """What the plugin's input speaks of; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "before", "after")


def denial(reason: str) -> JsonObject:
    """The output that stops a call; the model reads the reason."""
    return {"deny": reason}


def remark(text: str) -> JsonObject | None:
    """The output that tells the model something after a call."""
    return {"remark": text}
