"""What several commands need: the repository, paths, output."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from hkgit.cli.output import echo, is_document_begun, note_document
from hkgit.errors import HkgitError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    import click

    from hkgit.git.repository import Repository
    from hkgit.text.strict_json import Json

    Command = TypeVar("Command", bound=Callable[..., Any])
    Value = TypeVar("Value")

# Controls, marks of direction, what has no width: inside JSON they stand in strings alone.
_UNSEEN = (
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e0fff]"
)
_FORM = "hkgit.form"
"""The key of click's context under which a command notes which form of answer it was asked for."""


def note_json(ctx: click.Context, param: click.Parameter, value: Value) -> Value:
    """Remember, as the callback of an option, which form the answer is to have."""
    if value is True:
        ctx.meta[_FORM] = "json"
    elif isinstance(value, str) and value != "text":
        ctx.meta[_FORM] = value
    return value


def json_option(command: Command) -> Command:
    """Add the option `--json`."""
    import click

    words = "Print one JSON document."
    return click.option("--json", "as_json", is_flag=True, callback=note_json, help=words)(command)


def open_repository(*, in_hook: bool = False, is_small: bool = False) -> Repository:
    """Open the repository around the current directory; `is_small` says that little is read."""
    # libgit2 is slow to load, and `edit` needs none.
    from hkgit.git.repository import Repository

    return Repository.discover(Path.cwd(), in_hook=in_hook, is_small=is_small)


def open_history() -> Repository:
    """Open the repository around the current directory, to tell of its commits.

    Of a shallow clone it is said that it is one: what it left out is in no answer.
    """
    from hkgit.cli.output import print_note

    repository = open_repository()
    if repository.is_shallow:
        print_note("note: this clone is shallow: git fetch --unshallow brings earlier history")
    return repository


@lru_cache(1)
def open_hook_repository() -> Repository:
    """Open the repository whose hook this process is, once for all that the hook does."""
    return open_repository(in_hook=True, is_small=True)


def make_root_relative(repository: Repository, path: str) -> str:
    """Convert a path relative to where the user stands to one from the root.

    Raises InvalidInput for a path outside the work tree.
    """
    if repository.work_tree is None:
        return Path(path).as_posix()
    return make_relative_to(repository.work_tree, path)


def make_relative_to(root: Path, path: str) -> str:
    """Convert a path of the command line to one from `root`, which a link may lead to.

    As in git's pathspecs, `:/path` begins at the root, wherever the command is run. No link
    below the root is followed. Raises InvalidInput for a path outside it.
    """
    if path.startswith(":/"):
        return path[2:]
    root = root.resolve()
    place = Path(os.path.normpath(Path.cwd() / path))
    for above in (*reversed(place.parents), place):
        if above.resolve() == root:
            return place.relative_to(above).as_posix()
    raise InvalidInput(path, "is outside the work tree", f"Name a file below {root}.")


def echo_json(value: Json) -> None:
    """Print the one document of standard output; what nobody sees is escaped in it."""
    echo(_json_bytes(value))


def echo_json_list(items: Iterable[object]) -> None:
    """Print a list as `echo_json` does, each item as soon as it is there.

    Nothing is printed before the first item. Where a later one fails, the list stays without its
    end, so that no parser takes it for a whole, and no refusal follows it.
    """
    is_begun = False
    for item in items:
        note_document()
        echo(b",\n  " if is_begun else b"[\n  ", nl=False)
        echo(_json_bytes(item).replace(b"\n", b"\n  "), nl=False)
        is_begun = True
    echo(b"\n]" if is_begun else b"[]")


def _json_bytes(value: object) -> bytes:
    import json
    import re

    text = json.dumps(value, indent=2, ensure_ascii=False)
    text = re.sub(_UNSEEN, lambda found: json.dumps(found[0])[1:-1], text)
    return text.encode("utf-8", "replace")


def find_requested_form(ctx: click.Context) -> str | None:
    """Find the output format asked for by the options read so far; None for text."""
    form: str | None = ctx.meta.get(_FORM)
    return form


def echo_refusal_in(form: str | None, error: HkgitError) -> None:
    """Print why there is no answer, where the form is that of a document and none is begun."""
    if is_document_begun():
        return
    if form == "json":
        from hkgit.applying.outcome import error_json

        echo_json({"status": error.status, "error": error_json(error)})
    elif form is not None:
        from hkgit.audit import reports

        if form in reports.DOCUMENTS:
            echo(reports.refusal(error, form), nl=False)
