"""sed.py: do what a simple script of `sed` does: `s` and `d`, with or without an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hkgit.values import dataclass

_ADDRESS = re.compile(r"(?:(\d+)(?:,(\d+|\$))?|(\$)|/((?:[^/\\\[]|\\.)+)/)?\s*")
_LETTERS = {"<": r"\b", ">": r"\b", "n": r"\n", "t": r"\t"}
_SAME = frozenset("bBwWsS.*[]^$\\/123456789")
_SIGNS = frozenset("(){}+?|")


@dataclass(frozen=True, slots=True)
class SedCommand:
    """A command of a script: for which lines it is, and what it makes of one; None drops it."""

    is_for: Callable[[int, bool, str], bool]
    change: Callable[[str], str | None]


def parse_script(script: str, *, is_extended: bool) -> list[SedCommand] | None:
    """Parse a script; None where it does more than this knows."""
    commands: list[SedCommand] = []
    rest = script
    try:
        while rest := rest.lstrip(" \t\n;"):
            command, rest = _parse_command(rest, is_extended)
            commands.append(command)
    except (ValueError, IndexError, re.error):
        return None
    return commands


def run_script(commands: Sequence[SedCommand], text: str) -> str:
    """Run a script on each line of a text."""
    *whole, rest = text.split("\n")
    lines = [*((line, "\n") for line in whole), *([(rest, "")] if rest else [])]
    made = (
        (_run(commands, number, number == len(lines), line), end)
        for number, (line, end) in enumerate(lines, 1)
    )
    return "".join(f"{line}{end}" for line, end in made if line is not None)


def _run(commands: Sequence[SedCommand], number: int, is_last: bool, line: str) -> str | None:
    for command in commands:
        if command.is_for(number, is_last, line):
            changed = command.change(line)
            if changed is None:
                return None
            line = changed
    return line


def _parse_command(text: str, is_extended: bool) -> tuple[SedCommand, str]:
    """Parse the first command of a text, and what follows it. Raises ValueError, IndexError."""
    found = _ADDRESS.match(text)
    assert found is not None  # it may be empty
    rest = text[found.end() :]
    is_for = _parse_address(found, is_extended)
    if rest[0] == "d":
        return SedCommand(is_for, lambda line: None), _expect_end(rest[1:])
    if rest[0] != "s" or rest[1].isalnum() or rest[1] in "\\\n ":
        raise ValueError(rest)
    (pattern, put), rest = _split(rest[2:], rest[1])
    flags = re.match(r"[gI0-9]*", rest)
    given = flags[0] if flags else ""
    change = _substitute(
        re.compile(_translate(pattern, is_extended), re.IGNORECASE if "I" in given else 0),
        _translate_new(put),
        given.replace("I", ""),
    )
    return SedCommand(is_for, change), _expect_end(rest[len(given) :])


def _expect_end(rest: str) -> str:
    if rest.strip(" \t") and rest.lstrip(" \t")[0] not in ";\n":
        raise ValueError(rest)
    return rest


def _parse_address(found: re.Match[str], is_extended: bool) -> Callable[[int, bool, str], bool]:
    first, last, end, pattern = found.groups()
    if first is not None:
        low = int(first)
        high = low if last is None else None if last == "$" else max(int(last), low)
        return lambda n, is_last, line: low <= n and (high is None or n <= high)
    if end is not None:
        return lambda n, is_last, line: is_last
    if pattern is not None:
        wanted = re.compile(_translate(pattern, is_extended))
        return lambda n, is_last, line: wanted.search(line) is not None
    return lambda n, is_last, line: True


def _split(text: str, sign: str) -> tuple[tuple[str, str], str]:
    """Split the two parts of an `s` at its sign. Raises IndexError where it does not end."""
    parts: list[str] = []
    part, at = "", 0
    while len(parts) < 2:
        if text[at] == "\\":
            pair = text[at : at + 2]
            part, at = part + (sign if pair[1] == sign else pair), at + 2
        elif text[at] == sign:
            parts.append(part)
            part, at = "", at + 1
        else:
            part, at = part + text[at], at + 1
    return (parts[0], parts[1]), text[at:]


def _translate(pattern: str, is_extended: bool) -> str:
    """Write a pattern as Python does. Raises ValueError for what is not known."""
    made, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if made.endswith(")") and pattern[at:].startswith(("*", "+", "{", "\\+", "\\{")):
            raise ValueError(pattern)  # what repeats repetitions may take for ever
        if char == "\\":
            made, at = made + _translate_escaped(pattern[at + 1], is_extended), at + 2
        elif char == "[":
            end = pattern.index("]", at + (3 if pattern[at + 1 : at + 2] == "^" else 2))
            if "[" in (inner := pattern[at + 1 : end]):
                raise ValueError(pattern)
            made, at = f"{made}[{inner.replace(chr(92), chr(92) * 2)}]", end + 1
        else:
            is_plain = char in _SIGNS and not is_extended
            made, at = made + (f"\\{char}" if is_plain else char), at + 1
    return made


def _translate_escaped(char: str, is_extended: bool) -> str:
    if char in _SIGNS:
        return f"\\{char}" if is_extended else char
    if char in _LETTERS:
        return _LETTERS[char]
    if char not in _SAME and (char.isalnum() or not char.isprintable()):
        raise ValueError(char)
    return f"\\{char}"


def _translate_new(put: str) -> str:
    """Write what is put in as Python does. Raises ValueError for what is not known."""
    made, at = "", 0
    while at < len(put):
        char, at = put[at], at + 1
        if char == "&":
            made += r"\g<0>"
        elif char == "\\":
            char, at = put[at], at + 1
            if char.isalpha() and char not in "nt":
                raise ValueError(put)
            known = {"n": "\n", "t": "\t", "\\": r"\\"}
            made += rf"\g<{char}>" if char.isdigit() else known.get(char, char)
        else:
            made += char
    return made


def _substitute(pattern: re.Pattern[str], put: str, flags: str) -> Callable[[str], str]:
    """Return what replaces a pattern: the first time, each time, or the time of a number."""
    if flags == "g":
        return lambda line: pattern.sub(put, line)
    which = int(flags or 1)  # of both a number and `g`, nothing is known
    if which == 0:
        raise ValueError(flags)

    def change(line: str) -> str:
        found = list(pattern.finditer(line))
        if which > len(found):
            return line
        match = found[which - 1]
        return f"{line[: match.start()]}{match.expand(put)}{line[match.end() :]}"

    return change
