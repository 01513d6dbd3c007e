"""One example of each command, and the words that its help uses."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "read": ("hkgit read src/app.py:10-20", "hkgit read src/app.py --session task"),
    "apply": ("hkgit apply answer.md --expect src/app.py=55d121aeae1f --agent claude/1",),
    "edit": ("hkgit edit --session task --file a.py --old 'x = 1' --new 'x = 2'",),
    "undo": ("hkgit undo --session task",),
    "redo": ("hkgit redo -m 'Say hello' --agent claude/1",),
    "session": ("hkgit session list",),
    "session list": ("hkgit session list --json",),
    "session show": ("hkgit session show task",),
    "session end": ("hkgit session end task",),
    "session clean": ("hkgit session clean --dry-run",),
    "record": ("hkgit record --staged",),
    "adopt": ("hkgit adopt --from claude --dry-run main..HEAD",),
    "refusals": ("hkgit refusals",),
    "gate": ("hkgit gate --range origin/main..HEAD", "hkgit gate --staged --explain"),
    "policy": ("hkgit policy check",),
    "policy check": ("hkgit policy check --json",),
    "verify": ("hkgit verify v1.0..HEAD --policy policy.toml",),
    "fleet": ("hkgit fleet verify repositories.txt --to fleet",),
    "fleet verify": ("hkgit fleet verify repositories.toml --to fleet --dask tcp://head:8786",),
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
    "HKGIT_SESSION": "the session, where --session does not name one",
    "HKGIT_GIT": "how repositories are read: libgit2, or program",
    "GIT_PAGER": "the program that shows long answers on a terminal; else core.pager, PAGER, less",
    "GITHUB_STEP_SUMMARY": "the file that a report is added to in GitHub Actions",
    "NO_COLOR": "where it is set, nothing has a colour",
}
USED_BY: Mapping[str, tuple[str, ...]] = {
    "HKGIT_SESSION": ("read", "apply", "edit", "undo"),
    "GIT_PAGER": ("log", "show", "blame", "stats", "refusals", "sql"),
    "GITHUB_STEP_SUMMARY": ("gate", "verify"),
}
"""The commands that heed a variable; of one that is not named here, all do."""
