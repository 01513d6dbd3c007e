// Written by `hkgit init --agent pi$more`; `--remove` deletes it.
// Tells hkgit of each call of a tool that reads or edits files, before and after it.
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

const EDITS = ["edit", "write"]
const CHANGES = [...EDITS, "bash"]
const TOOLS = new Set([...EDITS, "read", "bash", "grep"])

const words = (content) => content.map((part) => part.text ?? "").join("\n")
let turn = ""
const named = (context) => context.sessionManager.getSessionId()

function isGoverned(folder) {
  while (!existsSync(join(folder, ".git")) && folder !== dirname(folder)) folder = dirname(folder)
  return [".hkgit", ".git/hkgit"].some((name) => existsSync(join(folder, name)))
}

async function tell(context, stage, event, answer) {
  if ("$user" && !isGoverned(context.cwd)) return {}
  return tellHook(context.cwd, {
    hook_event_name: stage, session_id: named(context),
    tool_name: event.toolName, tool_input: event.input, tool_response: answer,
    tool_use_id: event.toolCallId, turn, transcript_path: context.sessionManager.getSessionFile(),
  })
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
  steer(pi)
}
