"""Complete commands and their arguments in a shell: files, revisions, dialects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

Offer = Callable[[str], list[CompletionItem]]

_MOST = 200
"""So many revisions are offered."""


class _Offering(click.types.StringParamType):
    """Text for which a shell has something to offer."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return self._offer(incomplete)


def offer_completions(command: click.Command) -> None:
    """Let every text parameter complete what it is called, or its placeholder in the help."""
    for param in command.params:
        shown = f"{param.metavar} {param.name}".upper()
        offers = (offer for word, offer in _OFFERS.items() if word in shown)
        offer = next(offers, None)
        if offer is not None and param.type is click.STRING:
            param.type = _Offering(offer)


def _files(incomplete: str) -> list[CompletionItem]:
    """The shell's own completion of files."""
    return [CompletionItem(incomplete, type="file")]


def _revisions(incomplete: str) -> list[CompletionItem]:
    """Branches and tags, for the second side of a range too."""
    from hkgit.errors import HkgitError
    from hkgit.git import program

    before, dots, started = incomplete.rpartition("..")
    refs = ["for-each-ref", f"--count={_MOST}", "--format=%(refname:short)"]
    try:
        listed = program.run([*refs, "refs/heads", "refs/tags", "refs/remotes"], cwd=Path.cwd())
    except HkgitError:
        return []
    names = (name for name in ("HEAD", *listed.text.split()) if name.startswith(started))
    return _items(f"{before}{dots}{name}" for name in names)


def _dialects(incomplete: str) -> list[CompletionItem]:
    from hkgit.dialects import DIALECTS

    return _items(name for name in ("auto", *DIALECTS) if name.startswith(incomplete))


def _items(values: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(value) for value in values]


_OFFERS: dict[str, Offer] = {
    "DIALECT": _dialects,
    "REV": _revisions,
    "A..B": _revisions,
    "COMMIT": _revisions,
    "PATH": _files,
    "FILE": _files,
    "SPEC": _files,
    "DIR": _files,
}
"""What may be offered, by a word of the placeholder; the first one that fits."""


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
    kind = get_completion_class(shell)
    assert kind is not None
    for name in ("hkgit", "hk"):
        words = kind(click.Command(name), {}, name, f"_{name.upper()}_COMPLETE")
        # `source` of bash starts a bash to see its version, which the user knows.
        click.echo(words.source_template % words.source_vars())
