"""`hkgit completions`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completions of hkgit and hk for a shell to load at start.

    \b
    bash:  eval "$(hkgit completions bash)"
    zsh:   eval "$(hkgit completions zsh)"
    fish:  hkgit completions fish | source
    """
    from hkgit.cli.main import hk, main

    kind = get_completion_class(shell)
    assert kind is not None
    for name, group in (("hkgit", main), ("hk", hk)):
        words = kind(group, {}, name, f"_{name.upper()}_COMPLETE")
        # `source` of bash starts a bash to see its version, which the user knows.
        click.echo(words.source_template % words.source_vars())
