"""The tables of all commands: by group, by module, with examples and variables."""

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
        "session": "List the sessions of a checkout, and remove them",
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

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "read": ("hkgit read src/app.py:10-20", "hkgit read src/app.py --session task"),
    "apply": ("hkgit apply answer.md --expect src/app.py=55d121aeae1f --agent claude/1",),
    "edit": ("hkgit edit --session task --file a.py --old 'x = 1' --new 'x = 2'",),
    "undo": ("hkgit undo --session task",),
    "redo": ("hkgit redo -m 'Say hello' --agent claude/1",),
    "session": ("hkgit session list",),
    "session list": ("hkgit session list --json",),
    "session show": ("hkgit session show task",),
    "session clean": ("hkgit session clean --dry-run",),
    "record": ("hkgit record --staged",),
    "adopt": ("hkgit adopt --from claude --dry-run main..HEAD",),
    "refusals": ("hkgit refusals",),
    "gate": ("hkgit gate --range origin/main..HEAD", "hkgit gate --staged --explain"),
    "policy": ("hkgit policy check",),
    "policy check": ("hkgit policy check --json",),
    "verify": ("hkgit verify v1.0..HEAD --policy policy.toml",),
    "fleet": ("hkgit fleet verify repositories.txt --to fleet",),
    "fleet verify": ("hkgit fleet verify repositories.txt --to fleet --dask tcp://head:8786",),
    "attest": ("hkgit attest main..topic --key ~/.ssh/id_ed25519 --target refs/heads/main",),
    "log": ("hkgit log main..HEAD src/app.py",),
    "show": ("hkgit show HEAD --json",),
    "blame": ("hkgit blame src/app.py",),
    "attribution": (
        "hkgit attribution main..HEAD",
        "hkgit attribution main..HEAD --format git-ai --notes",
    ),
    "stats": ("hkgit stats main..HEAD",),
    "report": ("hkgit report main..HEAD", "hkgit report --tables tables --html all.html"),
    "export": ("hkgit export --to tables",),
    "sql": (
        "hkgit sql 'select agent, count(*) from commits group by agent'",
        "hkgit sql --tables tables 'select * from repositories' --format csv",
    ),
    "ledger": ("hkgit ledger prune --keep 500",),
    "ledger prune": ("hkgit ledger prune --before v1.0",),
    "qa": ("hkgit qa main..HEAD",),
    "consult": ("hkgit consult", "hkgit consult 699be491f5891271 --decision apply -m 'Go on'"),
    "init": (
        "hkgit init",
        "hkgit init --agent claude",
        "hkgit init --agent claude --user",
        "hkgit init --server",
    ),
    "doctor": ("hkgit doctor --fix",),
    "demo": ("hkgit demo --keep",),
    "schema": ("hkgit schema outcome",),
    "completions": ('eval "$(hkgit completions bash)"',),
    "help": ("hkgit help apply", "hkgit help all", "hkgit help blind"),
    "prompt": ("hkgit prompt search-replace",),
    "mcp": ("hkgit mcp --root .",),
    "hook": ("hkgit hook claude --steer",),
    "serve": ("hkgit serve --root .",),
    "acp": ("hkgit acp -- gemini --experimental-acp",),
}
"""Each line is read by the command line in a test."""

VARIABLES: Mapping[str, str] = {
    "HKGIT_SESSION": "the session, if --session does not name one",
    "HKGIT_GIT": "how repositories are read: libgit2 or program",
    "GIT_PAGER": "the pager for long output; else core.pager, PAGER, less",
    "NO_COLOR": "if set, output has no colour",
}
USED_BY: Mapping[str, tuple[str, ...]] = {
    "HKGIT_SESSION": ("read", "apply", "edit", "undo"),
    "GIT_PAGER": ("log", "show", "blame", "refusals", "sql"),
}
"""The commands that read a variable; of one that is not named here, all do."""


FIRST = (
    *("read", "apply", "edit", "undo", "gate", "log", "show", "blame", "report"),
    *("init", "doctor", "help"),
)
"""What `hkgit --help` lists; `hkgit help all` lists the rest."""
