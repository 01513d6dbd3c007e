"""opencode.py: OpenCode. Its hooks are functions of a plugin: opencode.ai/docs/plugins."""

from __future__ import annotations

import json

from hkgit.agents.events import ToolEvent
from hkgit.agents.setup.settings import HOOK_SECONDS, FilePart, JsonPart, Part, add_stamp
from hkgit.agents.tool_answers import name_by_heads, searching
from hkgit.agents.tools import Tool, editing, patching, reading, shell, text_of, tool_event
from hkgit.text.strict_json import JsonObject

NAME = "opencode"
EDIT_TOOL = "hkgit_edit"

EDITS: dict[str, Tool] = {
    "edit": editing("filePath", "oldString", "newString", "replaceAll"),
    "write": editing("filePath", "content"),
    "apply_patch": patching("patchText"),
    "patch": patching("patchText"),
}
_LISTED = name_by_heads(r"([^\s].*):", r"  (?:\[\w+\] )?Line (\d+)(:) (.*)")

LOOKS: dict[str, Tool] = {
    "read": reading("filePath"),
    "bash": shell("command", "workdir"),
    "grep": searching(is_base=False, shown=text_of, naming=_LISTED),
}

_NEW = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
"""A file of settings as OpenCode itself would make of an empty one, in the midst of its work."""

_PLUGIN = """\
// Written by `hkgit init --agent {agent}`; `--remove` takes it away.
// Tells hkgit of each call of a tool that reads or edits files, after it; before it, too, where it
// may edit.
// Where hkgit is missing or fails, nothing is told; where it takes longer than LIMIT milliseconds,
// nothing for a minute.
import {{ spawn }} from "node:child_process"

const TOOLS = new Set({tools})
const EDITS = new Set({edits})
const COMMAND = {command}
const LIMIT = {limit}

function run(directory, event) {{
  return new Promise((resolve) => {{
    let said = ""
    const answer = (text) => {{
      clearTimeout(timer)
      try {{ resolve(JSON.parse(text)) }} catch {{ resolve({{}}) }}
    }}
    const giveUp = () => {{
      answer("")
      child?.kill("SIGKILL")
      quietUntil = Date.now() + 60000
    }}
    const timer = setTimeout(giveUp, LIMIT)
    let child
    try {{
      const stdio = ["pipe", "pipe", "ignore"]
      child = spawn(COMMAND[0], COMMAND.slice(1), {{ cwd: directory, stdio }})
      child.on("error", () => answer(""))
      child.on("close", (code) => answer(code === 0 ? said : ""))
      child.stdout.on("data", (text) => {{ said += text }})
      child.stdin.on("error", () => {{}})
      child.stdin.end(JSON.stringify({{ cwd: directory, ...event }}))
    }} catch {{ answer("") }}
  }})
}}

// One after the other, in the order of the calls.
let last = Promise.resolve()
let quietUntil = 0
function tell(directory, event) {{
  last = last.then(() => (Date.now() < quietUntil ? {{}} : run(directory, event)))
  return last
}}

export const Hkgit = async ({{ directory }}) => {{
  const given = new Map()
  const turns = new Map()
  return {{
    event: async ({{ event }}) => {{
      const part = event.properties?.part
      if (part?.type === "tool") turns.set(part.callID, part.messageID)
    }},
    "tool.execute.before": async (call, output) => {{
      if (!TOOLS.has(call.tool)) return
      given.set(call.callID, output.args)
      if (!EDITS.has(call.tool)) return
      const answer = await tell(directory, {{
        hook_event_name: "before", session_id: call.sessionID,
        tool_name: call.tool, tool_input: output.args, tool_use_id: call.callID,
      }})
      if (answer.deny) throw new Error(answer.deny)
    }},
    "tool.execute.after": async (call, output) => {{
      if (!given.has(call.callID)) return
      const answer = await tell(directory, {{
        hook_event_name: "after", session_id: call.sessionID, tool_name: call.tool,
        tool_input: given.get(call.callID), tool_response: output.output,
        tool_use_id: call.callID, turn: turns.get(call.callID),
      }})
      given.delete(call.callID)
      turns.delete(call.callID)
      if (answer.remark) output.output += `\\n${{answer.remark}}`
    }},
  }}
}}
"""


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    return build_parts(command, NAME, "opencode.json", _NEW)


def build_parts(command: str, agent: str, settings: str, new: str) -> list[Part]:
    """Build the settings that connect OpenCode or a fork of it; its folder is named after it."""
    tools, edits = (json.dumps([*names]) for names in (EDITS | LOOKS, [*EDITS, "bash"]))
    server = {"type": "local", "command": ["hkgit", "mcp"], "enabled": True}
    words, limit = json.dumps(command.split()), HOOK_SECONDS * 1000
    plugin = _PLUGIN.format(agent=agent, tools=tools, edits=edits, command=words, limit=limit)
    return [
        JsonPart(settings, {"mcp": {"hkgit": server}}, new),
        FilePart(f".{agent}/plugins/hkgit.js", add_stamp(plugin)),
    ]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of the plugin's input; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "before", "after")


def render_denial(reason: str) -> JsonObject:
    """Write the output that stops a call; the model reads the reason."""
    return {"deny": reason}


def render_note(text: str) -> JsonObject | None:
    """Write the output that tells the model something after a call."""
    return {"remark": text}
