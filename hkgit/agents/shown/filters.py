"""filters.py: what shell commands let through of the lines they are given."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

Numbers = Sequence[int]
Filter = Callable[[Numbers], Numbers]
"""Chooses of the numbers of lines those that go on."""

_SED = re.compile(r"(\d+)(?:,(\d+|\$|\+\d+))?p")
_AWK = re.compile(r"F?NR\s*(==|>=|<=|>|<)\s*(\d+)")
_AWK_PRINT = re.compile(r"\{\s*print(?:f?[^{}]*\bF?NR\b[^{}]*\$0[^{}]*)?(?:\s*\$0)?\s*;?\s*\}")


def parse_filter(words: Sequence[str]) -> Filter | None:
    """Parse what a command lets through of its input; None for one that changes it."""
    program, options = PurePosixPath(words[0]).name if words else "", list(words[1:])
    match program:
        case "cat" | "nl" | "less" | "more":
            flags = {"-n", "-ba", "-b", "a", "--number", "-R", "-"}
            return (lambda numbers: numbers) if set(options) <= flags else None
        case "head" | "tail":
            return _parse_end(program, options)
        case "sed":
            return _parse_sed(options)
        case "awk" | "gawk" | "mawk":
            return _parse_awk(options)
    return None


def _parse_end(program: str, options: list[str]) -> Filter | None:
    option = "".join(each for each in options if each not in ("-q", "-v"))
    found = re.fullmatch(r"(?:-n|--lines=?|-)?(\+?)(\d+)", option or "-10")
    if found is None or (option and not option.startswith("-")):
        return None
    count = int(found[2])
    if program == "head":
        return None if found[1] else lambda numbers: numbers[:count]
    if found[1]:
        return lambda numbers: numbers[max(count - 1, 0) :]
    return lambda numbers: numbers[max(len(numbers) - count, 0) :]


def _parse_sed(options: list[str]) -> Filter | None:
    if not options or options[0] not in ("-n", "--quiet", "--silent", "-ne", "-En"):
        return None
    scripts = [each for each in options[1:] if each not in ("-e", "-E")]
    parts = [part.strip() for script in scripts for part in re.split(r"[;\n]", script)]
    ranges = [_SED.fullmatch(part.replace(" ", "")) for part in parts if part]
    if not ranges or any(each is None or each[1] == "0" for each in ranges):
        return None
    pairs = sorted(_sed_range(int(each[1]), each[2]) for each in ranges if each is not None)
    return lambda numbers: _slice(numbers, pairs)


def _slice(numbers: Numbers, pairs: Sequence[tuple[int, int]]) -> Numbers:
    """The numbers at those places, each once."""
    if len(pairs) == 1:
        return numbers[pairs[0][0] - 1 : pairs[0][1]]
    picked = (number for first, last in pairs for number in numbers[first - 1 : last])
    return [*dict.fromkeys(picked)]


def _sed_range(first: int, last: str | None) -> tuple[int, int]:
    if last == "$":
        return first, sys.maxsize
    if last is not None and last.startswith("+"):
        return first, first + int(last[1:])
    return first, max(int(last or first), first)


def _parse_awk(options: list[str]) -> Filter | None:
    """`NR>=A && NR<=B`, `NR==A,NR==B`, `NR==A`, with no action or one that prints the line."""
    if len(options) != 1:
        return None
    program = _AWK_PRINT.sub("", options[0]).strip()
    is_range = re.fullmatch(rf"{_AWK.pattern}\s*,\s*{_AWK.pattern}", program)
    if is_range is not None:
        first, last = int(is_range[2]), int(is_range[4])
        return lambda numbers: numbers[max(first - 1, 0) : last]
    tests = [_AWK.fullmatch(each.strip(" ()")) for each in program.split("&&")]
    if any(each is None for each in tests):
        return None
    bounds = [_bound(each[1], int(each[2])) for each in tests if each is not None]
    first, last = max(low for low, _ in bounds), min(high for _, high in bounds)
    return lambda numbers: numbers[max(first - 1, 0) : max(last, 0)]


def _bound(sign: str, number: int) -> tuple[int, int]:
    """The first and the last line for which a comparison with a number holds."""
    return {
        "==": (number, number),
        ">=": (number, sys.maxsize),
        "<=": (1, number),
        ">": (number + 1, sys.maxsize),
        "<": (1, number - 1),
    }[sign]
