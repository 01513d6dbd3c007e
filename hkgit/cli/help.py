"""Show what a command does, or why a rule exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from hkgit.cli.commands import COMMANDS, GROUPS
from hkgit.cli.options import argument, declare

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


@declare
def command(*, names: tuple[str, ...] = argument("[COMMAND | RULE | all]...")) -> None:
    """Show what a command does, or why a rule or verdict exists; `all` lists every command."""
    ctx = click.get_current_context()
    # Help alone looks into a room that is slow to load.
    from hkgit.audit.reports.findings import explain_rule

    if names == ("all",):
        click.echo(_list_all(ctx))
        return
    rule = explain_rule(" ".join(names))
    if rule is None or names[0] in COMMANDS:
        click.echo(_find_context(ctx, names).get_help())
    if rule is not None:
        click.echo(f"\nThe rule of that name:\n\n{rule}" if names[0] in COMMANDS else rule)


def _find_context(ctx: click.Context, names: Sequence[str]) -> click.Context:
    """Find the context of the command that is named. Raises UsageError."""
    asked = ctx.parent
    assert asked is not None
    for name in names:
        group = asked.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{asked.command_path} has no commands.", ctx)
        try:
            known, found, _ = group.resolve_command(asked, [name])
        except click.UsageError as error:
            from hkgit.audit.reports.findings import read_sections

            rules = ", ".join(read_sections())
            words = f"{error.message} The rules and verdicts: {rules}."
            raise click.UsageError(words, ctx) from error
        assert found is not None
        asked = found.context_class(found, info_name=known, parent=asked)
    return asked


def _list_all(ctx: click.Context) -> str:
    """Every command in its group, and the variables that all of them read."""
    formatter = ctx.make_formatter()
    for title, rows in {**GROUPS, "Environment": VARIABLES}.items():
        with formatter.section(title):
            formatter.write_dl([*rows.items()])
    return formatter.getvalue().strip("\n")


def write_examples(path: str, formatter: click.HelpFormatter) -> None:
    """Write the examples of a command, and the variables that it alone reads."""
    name = path.partition(" ")[2]
    sections = {
        "Examples": EXAMPLES.get(name, ()),
        "Environment": [
            f"{each}: {VARIABLES[each]}"
            for each, names in USED_BY.items()
            if name.partition(" ")[0] in names
        ],
    }
    for title, lines in sections.items():
        if lines:
            with formatter.section(title):
                formatter.write("".join(f"  {line}\n" for line in lines))


def write_commands(formatter: click.HelpFormatter, summaries: Mapping[str, str]) -> None:
    """Write the commands to begin with, and where the rest are listed."""
    with formatter.section("Commands"):
        formatter.write_dl([(name, summaries[name]) for name in FIRST])
    formatter.write("\n`hkgit help all` lists the rest.\n")
