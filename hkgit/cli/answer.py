"""How a command answers: a document or lines, a refusal, an exit code."""

from __future__ import annotations

from itertools import pairwise

from hkgit.cli.output import CONSOLE, QUIET, echo, print_error
from hkgit.errors import HkgitError
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hkgit.text.strict_json import Json

# Controls, marks of direction, what has no width: inside JSON they are in strings alone.
_UNSEEN = (
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True)
class Answer:
    """What a command answers: a document for programs, or lines for people, and the exit code.

    What is called for it is made only where it is printed; an iterator is a list, each item printed
    as soon as it is there. Without a document the lines are in the form that was asked for, and a
    code that is called is known behind them. Bytes among the lines are printed as they are. Lines
    that only say that all went well (`is_info`) are left out with --quiet; on a terminal those that
    may be many (`is_long`) go through the pager. `refusal` says on standard error why there are
    none.
    """

    document: Callable[[], Json] | Json
    lines: Iterable[str | bytes] = ()
    code: Callable[[], int] | int = 0
    is_info: bool = False
    is_long: bool = False
    refusal: str = ""

    def print(self) -> int:
        """Print one of the two, and return the exit code."""
        if CONSOLE.form == "json" and self.document is not None:
            document: Json = self.document() if callable(self.document) else self.document
            (echo_json_list if hasattr(document, "__next__") else echo_json)(document)
        elif not self.is_info or CONSOLE.loudness > QUIET:
            lines = self.lines
            if self.is_long:
                from hkgit.cli.terminal_rows import page

                lines = page(lines)
            for line in lines:
                echo(line, nl=isinstance(line, str))
        if self.refusal:
            print_error(self.refusal)
        return self.code() if callable(self.code) else self.code


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
        CONSOLE.is_begun = True
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


def echo_refusal(error: HkgitError, arguments: Sequence[str]) -> None:
    """Print why there is no answer, where a document is asked for and none is begun."""
    form = CONSOLE.form or _find_form_in(arguments)
    if form == "text" or CONSOLE.is_begun:
        return
    if CONSOLE.command in ("apply", "edit"):  # they have the same keys whatever happens
        from hkgit.applying.outcome import render_apply_json

        echo_json(render_apply_json(error.status, (), None, error))
    elif form == "json":
        from hkgit.applying.outcome import error_json

        echo_json({"status": error.status, "error": error_json(error)})
    else:
        from hkgit.audit import reports

        if form in reports.DOCUMENTS:
            echo(reports.refusal(error, form), nl=False)


def _find_form_in(arguments: Sequence[str]) -> str:
    """Find the form that words ask for which nobody has come to read."""
    if "--json" in arguments:
        return "json"
    named = [word.removeprefix("--format=") for word in arguments if word.startswith("--format=")]
    named += [word for option, word in pairwise(arguments) if option == "--format"]
    return named[0] if named else "text"
