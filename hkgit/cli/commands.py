"""The table of all commands, by group."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Edit": {
        "read": "Print lines of a file with their hash",
        "apply": "Apply specs of edits and commit them with their evidence",
        "edit": "Apply edits to the working tree, without a commit",
        "undo": "Undo what edit did",
        "redo": "Commit staged changes that have no evidence yet",
    },
    "Review": {
        "gate": "Judge commits under the repository's policy",
        "policy": "Explain the gate's policy in words",
        "verify": "Replay commits from their evidence",
        "fleet": "Verify many repositories, judging only what is new",
        "attest": "Sign the verdict on commits that a host will squash",
        "ledger": "Remove old ledger entries from the tree",
        "consult": "List, show and answer the questions that refused edits left to people",
    },
    "History": {
        "log": "List commits with their verdicts",
        "show": "Show one commit's evidence",
        "blame": "Show which edit wrote each line",
        "attribution": "Show which lines agents wrote, in formats of other tools",
        "stats": "Count edits by agent, tier, evidence and confidence",
        "report": "Report on a range for reviewers and auditors",
        "export": "Write the evidence of commits as tables",
        "sql": "Query the evidence in SQL",
        "refusals": "List refused edits, and what became of them",
        "qa": "Answer the protocol's questions on a range",
    },
    "Agents": {
        "session": "List the sessions of a checkout, and end them",
        "adopt": "Find evidence in agents' own transcripts",
        "prompt": "Print the instructions for a model",
        "mcp": "Serve an agent over the Model Context Protocol",
        "serve": "Serve a program over JSON-RPC",
        "acp": "Record what an agent reads and edits through an editor",
    },
    "Set up": {
        "init": "Install the gate's hooks and a policy",
        "doctor": "Check a repository, and repair what a crash left",
        "demo": "Show hkgit at work in a throw-away repository",
        "schema": "Print a published JSON Schema",
        "help": "Show what a command does, or why a rule exists",
    },
    "For hooks and shells": {
        "record": "Turn what sessions edited into a commit's evidence, in hooks",
        "hook": "Record what an agent's own tools read and edit",
        "completions": "Print completions for a shell",
    },
}
"""The commands of each group, in the order of the help, and what each does in one line."""

COMMANDS = {name: words for group in GROUPS.values() for name, words in group.items()}
"""Every command and its one-line help; its module is loaded when it is called."""

MODULES = {
    **dict.fromkeys(("edit", "undo"), "edit"),
    **dict.fromkeys(("adopt", "redo"), "adopt"),
    **dict.fromkeys(("gate", "verify"), "gate"),
    **dict.fromkeys(("hook", "record"), "hook"),
    **dict.fromkeys(("policy", "ledger", "attest"), "upkeep"),
    **dict.fromkeys(("blame", "attribution"), "blame"),
    **dict.fromkeys(("stats", "qa", "report"), "report"),
    **dict.fromkeys(("export", "sql"), "sql"),
    **dict.fromkeys(("refusals", "consult"), "refusals"),
    **dict.fromkeys(("schema", "prompt", "completions"), "schema"),
    **dict.fromkeys(("mcp", "serve", "acp"), "serve"),
}
"""The modules of commands that share one; every other has one of its name, and is `command`."""
