"""pi.py: pi (pi.dev). Its hooks are functions of an extension: docs/extensions.md of its package.

It has no servers. To steer it the extension turns its `edit` and `write` off, gives it a
`change_file` that takes tags of lines, a `read` that shows them, and `grep`, as pi-hh-read does.
"""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.hooks import opencode
from hkgit.agents.setup.settings import FilePart, Part, add_stamp, is_of_user, is_steering
from hkgit.agents.tool_answers import close_gaps, searching
from hkgit.agents.tools import Tool, editing, reading, shell, text_of, tool_event
from hkgit.text.strict_json import JsonObject

NAME = "pi"
EDIT_TOOL = "change_file"

EDITS: dict[str, Tool] = {
    "edit": editing("path", "edits", "oldText", "newText"),
    "write": editing("path", "content"),
}
LOOKS: dict[str, Tool] = {
    "read": reading("path"),
    "bash": shell("command"),
    "grep": searching(is_base=True, shown=text_of, naming=close_gaps),
}

_EXTENSION = """\
// Written by `hkgit init --agent pi`; `--remove` takes it away.
// Tells hkgit of each call of a tool that reads or edits files, before and after it.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write"]
const CHANGES = [...EDITS, "bash"]
const TOOLS = new Set([...EDITS, "read", "bash", "grep"])
const MOST = 10000  // milliseconds; hkgit takes a quarter of a second
let quietUntil = 0  // where it has taken longer, nothing is told for a minute

function run(words, input, cwd) {
  return new Promise((resolve) => {
    let output = "", error = "", program
    const done = (code) => { clearTimeout(timer); resolve({ code, output, error }) }
    const giveUp = () => {  // what it has started may keep its pipes open
      program?.kill("SIGKILL")
      for (const pipe of [program?.stdin, program?.stdout, program?.stderr]) pipe?.destroy()
      quietUntil = Date.now() + 60000
      done(-1)
    }
    const timer = setTimeout(giveUp, MOST)
    try {
      program = spawn("hkgit", words, { cwd })
      program.stdout.on("data", (data) => { output += data })
      program.stderr.on("data", (data) => { error += data })
      program.stdin.on("error", () => {})
      program.on("error", () => done(-1))
      program.on("close", done)
      program.stdin.end(input)
    } catch { done(-1) }
  })
}

const words = (content) => content.map((part) => part.text ?? "").join("\\n")
let turn = ""
const named = (context) => context.sessionManager.getSessionId()

async function tell(context, stage, event, answer) {
  if (Date.now() < quietUntil) return {}
  const input = JSON.stringify({
    hook_event_name: stage, session_id: named(context), cwd: context.cwd,
    tool_name: event.toolName, tool_input: event.input, tool_response: answer,
    tool_use_id: event.toolCallId, turn,
  })
  const { code, output } = await run(["hook", "pi"], input, context.cwd)
  try { return code === 0 ? JSON.parse(output) : {} } catch { return {} }
}

export default function (pi) {
  pi.on("turn_start", (event) => { turn = String(event.timestamp) })
  pi.on("tool_call", async (event, context) => {
    if (CHANGES.includes(event.toolName)) await tell(context, "before", event)
  })
  pi.on("tool_result", async (event, context) => {
    if (!TOOLS.has(event.toolName)) return
    if (event.isError && event.toolName !== "bash") return
    const answer = await tell(context, "after", event, words(event.content))
    if (!answer.remark) return
    return { content: [...event.content, { type: "text", text: answer.remark }] }
  })
"""

_STEERING = """\

  const text = (text) => ({ type: "string", description: text })
  const number = (text) => ({ type: "number", description: text })
  const session = (context) => ["--session", `pi-${named(context)}`.slice(0, 64)]
  const answer = ({ code, output, error }) => {
    if (code !== 0) throw new Error(error || output || "hkgit did not answer")
    return { content: [{ type: "text", text: output + error }], details: {} }
  }

  pi.registerTool({
    name: "change_file", label: "change_file",
    description: "Change a file by the tags of its lines, or create it. Tags stand before the"
      + " lines that read_tags shows. hash_start alone puts content before that line;"
      + " without content the lines are deleted; without tags content is the whole file.",
    parameters: {
      type: "object", required: ["path"],
      properties: {
        path: text("The file, from the directory of the session."),
        hash_start: text("The tag of the first line."),
        hash_stop: text("The tag of the last line."),
        content: text("The new lines."),
      },
    },
    async execute(id, call, signal, update, context) {
      const given = ["edit", "--stdin", "--format", "hashline", "--agent", "pi"]
      return answer(await run([...given, ...session(context)], JSON.stringify(call), context.cwd))
    },
  })
  pi.registerTool({
    name: "read_tags", label: "read_tags",
    description: "Read a file, or lines of it, each behind its tag, to change it with change_file.",
    parameters: {
      type: "object", required: ["path"],
      properties: {
        path: text("The file, from the directory of the session."),
        offset: number("The first line, from 1 on."),
        limit: number("How many lines to show."),
      },
    },
    async execute(id, call, signal, update, context) {
      const lines = call.offset ? `:${call.offset}` : ""
      const most = call.limit ? ["--limit", String(call.limit)] : []
      const given = ["read", `${call.path}${lines}`, "--hashline", ...most]
      return answer(await run([...given, ...session(context)], "", context.cwd))
    },
  })
  pi.on("session_start", () => {
    const left = pi.getActiveTools().filter((name) => !EDITS.includes(name))
    pi.setActiveTools([...new Set([...left, "grep", "read_tags", "change_file"])])
  })
"""


_FOR_USER = """\
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

function isGoverned(folder) {
  while (!existsSync(join(folder, ".git")) && folder !== dirname(folder)) folder = dirname(folder)
  return [".hkgit", ".git/hkgit"].some((name) => existsSync(join(folder, name)))
}
"""


def list_parts(command: str) -> list[Part]:
    """List the extension that connects it; one that steers has tools in the place of its own."""
    steering = _STEERING if is_steering(command) else ""
    text = f"{_EXTENSION}{steering}}}\n"
    text = _for_user(text) if is_of_user(command) else text
    return [FilePart(".pi/extensions/hkgit.js", add_stamp(text))]


def _for_user(text: str) -> str:
    """The extension where it is for all of a user's repositories."""
    begin, asked = "\nconst EDITS", 'await run(["hook", "pi"]'
    return (
        text.replace("--agent pi`", "--agent pi --user`")
        .replace(begin, f"{_FOR_USER}{begin}", 1)
        .replace(asked, asked.replace('"pi"', '"pi", "--user"'))
        .replace("  const input =", "  if (!isGoverned(context.cwd)) return {}\n  const input =", 1)
    )


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of the extension's input; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "before", "after")


render_denial = opencode.render_denial
render_note = opencode.render_note
