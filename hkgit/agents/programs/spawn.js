import { spawn } from "node:child_process"

const LIMIT = "$limit"  // milliseconds; hkgit takes a quarter of a second
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
    const timer = setTimeout(giveUp, LIMIT)
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

// Where hkgit is missing or fails, nothing is told.
async function tellHook(cwd, event) {
  if (Date.now() < quietUntil) return {}
  const { code, output } = await run("$words", JSON.stringify({ cwd, ...event }), cwd)
  try { return code === 0 ? JSON.parse(output) : {} } catch { return {} }
}
