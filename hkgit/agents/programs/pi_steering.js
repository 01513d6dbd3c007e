function steer(pi) {
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
}
