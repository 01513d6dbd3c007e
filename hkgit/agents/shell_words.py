"""What a shell command is asked to show, by its words.

Commands that print lines as they are, or behind their numbers: cat, nl, head, tail, sed -n, awk on
NR, and what these do to each other in a pipe; grep and rg, which say the numbers.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from hkgit.values import dataclass, replace

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


_LOOKING = re.compile(
    r"(?:cat|nl|head|tail|e?grep|fgrep|rg|ls|find|pwd|cd|wc|sleep|true|false|echo|printf|stat|diff"
    r"|cmp|cut|test|git (?:status|diff|log|show|blame|ls-files|rev-parse|grep))(?:\s|$)"
    r"|sed -n [\d,$]+p(?:\s+[^\s-]\S*)*$"
)
_WRITING = re.compile(r"[`<>]|\$\(|\s(?:--output|--ext-diff|--pre|-exec|-ok|-del|-fpr|-fls)")
_INNER = re.compile(r"(?:ba|z)?sh -l?c (['\"])(.*)\1", re.DOTALL)
_QUIET = re.compile(r"(?:[12&]?>\s*/dev/null|2>&1)(?=[\s;|&)]|$)")


def is_harmless(command: str) -> bool:
    """Whether a command surely changes no file; of a program of one's own that is not known."""
    command = _QUIET.sub(" ", command).strip()
    inner = _INNER.fullmatch(command)
    command = inner[2] if inner else command
    if any(command.count(quote) % 2 for quote in "'\""):
        return False
    command = re.sub(r"['\"\\]", "", command)
    if _WRITING.search(command):
        return False
    # What is cut at a sign within quotes begins with no program that looks: it counts as writing.
    stages = re.split(r"\|\|?|&&?|;|\n", command)
    return all(_LOOKING.match(stage.strip()) for stage in stages)


WRAPPERS = ("bash", "sh", "zsh", "dash")
BREAKS = frozenset(("&&", "||", ";", "&", "\n", "(", ")", ";;"))
_SEARCHERS = ("grep", "egrep", "fgrep", "rg", "ag", "zgrep", "ugrep")


@dataclass(frozen=True, slots=True)
class Asked:
    """Lines of a file that are asked for, or of all files that a pattern matches.

    `choose` picks their numbers; `is_search` says that a search picks them, so that they are told
    by the numbers that it prints. `folder` is where the command stands by then. `is_first` and
    `is_last` say that nothing else is printed before, or after.
    """

    path: str
    folder: str
    choose: Filter
    is_search: bool = False
    is_first: bool = False
    is_last: bool = False


def find_asked_lines(command: str, folder: str = "") -> list[Asked]:
    """Find the lines that a command asks for, in the order in which they are printed."""
    found: list[Asked] = []
    is_known = True
    rest = _pipelines(command)
    for stages in rest:
        words = stages[0]
        if words[0] == "cd" and len(stages) == 1:
            folder = str(PurePosixPath(folder, words[1])) if len(words) == 2 else folder
            continue
        if words[0] == "for":
            asked = _skip_loop(rest)
        elif Path(words[0]).name in WRAPPERS and len(words) > 2 and len(stages) == 1:
            asked = find_asked_lines(words[-1], folder)
        else:
            asked = [*_find_asked(stages, folder)]
        if asked:
            first = replace(asked[0], is_first=is_known and (not found or asked[0].is_first))
            found += [first, *asked[1:]]
        is_known = bool(asked)
        found = found if asked else [replace(each, is_last=False) for each in found]
    return _mark_last(found, is_known)


def does_print_plainly(command: str) -> bool:
    """Whether all that a command prints are lines of files as they are: no numbers, no names."""
    for stages in _pipelines(command):
        words = stages[0]
        if words[0] == "cd" and len(stages) == 1:
            continue
        if Path(words[0]).name in WRAPPERS and len(words) > 2 and len(stages) == 1:
            if not does_print_plainly(words[-1]):
                return False
            continue
        _, paths = _printer(words)
        flags = [word for word in words[1:] if word.startswith("-") and word != "--"]
        is_cat = PurePosixPath(words[0]).name == "cat" and not flags
        is_part = PurePosixPath(words[0]).name in ("sed", "head", "tail") and len(paths) == 1
        rest = all(PurePosixPath(each[0]).name in ("sed", "head", "tail") for each in stages[1:])
        if not (is_cat or is_part) or not rest or (len(paths) != 1 and len(stages) > 1):
            return False
    return True


def _mark_last(found: list[Asked], is_known: bool) -> list[Asked]:
    if not found or not is_known:
        return found
    return [
        *(replace(each, is_last=False) for each in found[:-1]),
        replace(found[-1], is_last=True),
    ]


def _pipelines(command: str) -> Iterator[list[list[str]]]:
    """The pipelines of a command: of each stage the words; without what goes into files."""
    stages: list[list[str]] = [[]]
    for word in [*split_words(command), ";"]:
        if word in BREAKS:
            pipeline = [_without_redirections(stage) for stage in stages]
            if all(pipeline):
                yield [stage for stage in pipeline if stage]
            stages = [[]]
        elif word in ("|", "|&"):
            stages.append([])
        else:
            stages[-1].append(word)


def split_words(command: str) -> list[str]:
    """Split a command into words and signs; nothing where its quotes do not end."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.commenters = " \t\r", ""
    lexer.whitespace_split = True
    try:
        return [part for word in lexer for part in _split_breaks(word)]
    except ValueError:
        return []


def _split_breaks(word: str) -> Sequence[str]:
    """A run of signs in which a line ends, as the signs; any other word as it is."""
    is_signs = word.strip("();<>|&\n") == "" and "\n" in word
    return [";"] if is_signs else [word]


def _without_redirections(words: Sequence[str]) -> list[str]:
    """A command that prints; nothing for one whose output goes elsewhere."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in (">", ">>", "&>", ">|", ">&"):
            target = next(rest, "")
            if kept and kept[-1] == "2":
                kept.pop()
            elif target not in ("1", "2"):
                return []
        elif word == "<":
            kept.append(next(rest, ""))
        elif word.startswith("<"):
            return []
        else:
            kept.append(word)
    return kept


def _find_asked(stages: Sequence[list[str]], folder: str) -> Iterator[Asked]:
    words = [word for word in stages[0] if word not in ("command", "sudo")]
    if not words:
        return
    if PurePosixPath(words[0]).name in _SEARCHERS or words[:2] == ["git", "grep"]:
        yield from _list_searched(words, folder)
        return
    filters = [parse_filter(stage) for stage in stages[1:]]
    is_search = any(stage[0] in _SEARCHERS for stage in stages[1:] if stage)
    if is_search:
        filters = [each for each in filters if each is not None]
    choose, paths = _printer(words)
    if choose is None or None in filters:
        return
    chosen = _compose([choose, *filter(None, filters)])
    for path in paths:
        yield Asked(path, folder, chosen, is_search=is_search)


def _skip_loop(rest: Iterator[list[list[str]]]) -> list[Asked]:
    """Leave out what a loop does: its files are named by variables."""
    for stages in rest:
        if stages[0][0] == "done":
            break
    return []


def _list_searched(words: Sequence[str], folder: str) -> Iterator[Asked]:
    """List the files that a search names, all their lines; `.` for those it finds by itself."""
    paths = [word for word in words[1:] if not word.startswith("-")]
    for path in dict.fromkeys([*paths, "."]):
        yield Asked(path, folder, lambda numbers: numbers, is_search=True)


def _compose(filters: Sequence[Filter]) -> Filter:
    def choose(numbers: Numbers) -> Numbers:
        for each in filters:
            numbers = each(numbers)
        return numbers

    return choose


def _printer(words: Sequence[str]) -> tuple[Filter | None, list[str]]:
    """What a command lets through of the files it names, and these."""
    program = PurePosixPath(words[0]).name
    if program in ("cat", "nl", "bat", "batcat"):
        flags = [word for word in words[1:] if word.startswith("-")]
        if program == "cat" and not set(flags) <= {"-n", "--", "-b", "--number"}:
            return None, []
        paths = [word for word in words[1:] if not word.startswith("-")]
        if program == "nl" and "-b" in flags:
            paths = paths[1:]
        return (lambda numbers: numbers), paths
    for count in range(1, len(words)):
        paths = [word for word in words[count:] if word != "--"]
        if paths and not any(path.startswith("-") for path in paths):
            choose = parse_filter(words[:count])
            if choose is not None and (count > 1 or program in ("head", "tail")):
                return choose, paths
    return None, []
