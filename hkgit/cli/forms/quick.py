"""quick.py: runs a command whose words are plain, without Click."""

from __future__ import annotations

import errno

from hkgit.cli.ending import UNREAD, begin, end_with, refuse_path
from hkgit.cli.forms.form import Misuse, read_words
from hkgit.cli.output import QUIET, USUAL, begin_command, set_loudness
from hkgit.cli.streams import forget_output
from hkgit.errors import HkgitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hkgit.cli.forms.form import CommandForm

_FOR_CLICK = -1
"""No exit code: Click says what is wrong with the words."""


def run_words(
    name: str, form: CommandForm, run: Callable[..., int | None], words: Sequence[str]
) -> int | None:
    """Run a command, and return its exit code; None where Click is to read its words."""
    values = read_words(form, words)
    if values is None:
        return None
    begin()
    begin_command()
    set_loudness(QUIET if values.pop("quiet") else USUAL)
    code = end_with(lambda: _answer(run, form, values), words)
    return None if code == _FOR_CLICK else code


def _answer(run: Callable[..., int | None], form: CommandForm, values: dict[str, Any]) -> int:
    try:
        return run(**values) or 0
    except Misuse:
        return _FOR_CLICK
    except HkgitError as error:
        _echo_refusal(form, values, error)
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            forget_output()
            return UNREAD
        refusal = refuse_path(error)
        if refusal is None:
            raise
        _echo_refusal(form, values, refusal)
        raise refusal from error


def _echo_refusal(form: CommandForm, values: dict[str, Any], error: HkgitError) -> None:
    asked = (values[each.name] for each in form.options if each.makes_json)
    chosen = next((value for value in asked if value and value != "text"), None)
    if chosen is None:
        return
    from hkgit.cli.common import echo_refusal_in

    echo_refusal_in("json" if chosen is True else chosen, error)
