"""form.py: what a command takes, as values; and how plain words are read without Click.

A command that somebody waits for at every commit or edit declares its options here once.
`clicking.build_command` makes Click's command of them, for help, errors and whatever is rare;
`read_words` reads the usual words by itself, since to load Click takes four starts of Python.
"""

from __future__ import annotations

import os

from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Misuse(Exception):
    """Words that do not go together; Click says so, before anything was done."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `flags` as written, `name` as the command gets it.

    `bare` is its value where none follows it; `least` makes it a whole number, `is_decimal`
    another, `between` one within bounds. `makes_json` says that it asks for one document as the
    answer.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    metavar: str | None = None
    is_flag: bool = False
    bare: str | None = None
    least: int | None = None
    between: tuple[float, float] | None = None
    is_decimal: bool = False
    default: str | float | None = None
    variable: str | None = None
    choices: tuple[str, ...] = ()
    is_many: bool = False
    makes_json: bool = False


@dataclass(frozen=True, slots=True)
class Positional:
    """One word that is no option; `is_many` takes all there are."""

    name: str
    metavar: str
    is_many: bool = False


@dataclass(frozen=True, slots=True)
class CommandForm:
    """A command: its help, its arguments, its options, in the order in which help shows them."""

    help: str
    arguments: tuple[Positional, ...] = ()
    options: tuple[Option, ...] = ()


JSON = Option("as_json", ("--json",), "Print one JSON document.", is_flag=True, makes_json=True)

QUIET = ("-q", "--quiet")
"""Said of every command, and heeded here too: hooks say it."""


def read_words(form: CommandForm, words: Sequence[str]) -> dict[str, object] | None:
    """Read words into values as Click would; None where Click must decide what they mean.

    `quiet` among them says whether that was asked for.
    """
    # Of a pair as `--on/--off` each word is left to Click: few ask for one.
    known = {flag: option for option in form.options for flag in option.flags if "/" not in flag}
    values: dict[str, object] = {
        "quiet": False,
        **{each.name: _unset(each) for each in form.options},
    }
    plain: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in QUIET:
            values["quiet"] = True
        elif not word.startswith("-"):
            plain.append(word)
        elif word not in known or not _take(known[word], rest, values):
            return None
    return values if _take_arguments(form, plain, values) else None


def _unset(option: Option) -> object:
    if option.is_flag:
        return False
    named = os.environ.get(option.variable) if option.variable is not None else None
    return () if option.is_many else named or option.default


def _take(option: Option, rest: list[str], values: dict[str, object]) -> bool:
    """Read an option's value off the words behind it; False where that is for Click."""
    if option.is_flag:
        values[option.name] = True
        return True
    if option.bare is not None and (not rest or rest[0].startswith("-")):
        values[option.name] = option.bare
        return not rest
    if not rest:
        return False
    word = rest.pop(0)
    if option.is_decimal or option.between or (option.choices and word not in option.choices):
        return False
    value: str | int = word
    if option.least is not None:
        if not (word.isascii() and word.isdecimal()) or int(word) < option.least:
            return False
        value = int(word)
    known = values[option.name]
    values[option.name] = (*known, value) if isinstance(known, tuple) else value
    return True


def _take_arguments(form: CommandForm, plain: list[str], values: dict[str, object]) -> bool:
    """Give each argument its word; False where there are more or fewer."""
    for argument in form.arguments:
        if argument.is_many:
            values[argument.name], plain = tuple(plain), []
        elif not plain:
            return False
        else:
            values[argument.name] = plain.pop(0)
    return not plain
