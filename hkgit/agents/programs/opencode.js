// Written by `hkgit init --agent $agent`; `--remove` deletes it.
// Tells hkgit of each call of a tool that reads or edits files, after it; before it, too, where it
// may edit.
const TOOLS = new Set("$tools")
const EDITS = new Set("$edits")

// One after the other, in the order of the calls.
let last = Promise.resolve()
function tell(directory, event) {
  last = last.then(() => tellHook(directory, event))
  return last
}

export const Hkgit = async ({ directory }) => {
  const given = new Map()
  const turns = new Map()
  return {
    event: async ({ event }) => {
      const part = event.properties?.part
      if (part?.type === "tool") turns.set(part.callID, part.messageID)
    },
    "tool.execute.before": async (call, output) => {
      const isServers = call.tool.startsWith("hkgit_")
      if (TOOLS.has(call.tool)) given.set(call.callID, output.args)
      if (!EDITS.has(call.tool) && !isServers) return
      const answer = await tell(directory, {
        hook_event_name: "before", session_id: call.sessionID,
        tool_name: call.tool, tool_input: output.args, tool_use_id: call.callID,
        turn: turns.get(call.callID),
      })
      if (answer.deny) throw new Error(answer.deny)
    },
    "tool.execute.after": async (call, output) => {
      if (!given.has(call.callID)) return
      const answer = await tell(directory, {
        hook_event_name: "after", session_id: call.sessionID, tool_name: call.tool,
        tool_input: given.get(call.callID), tool_response: output.output,
        tool_use_id: call.callID, turn: turns.get(call.callID),
      })
      given.delete(call.callID)
      turns.delete(call.callID)
      if (answer.remark) output.output += `\n${answer.remark}`
    },
  }
}
