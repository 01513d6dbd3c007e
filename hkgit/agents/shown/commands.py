"""commands.py: find the lines of files that a shell command asks for.

Commands that print lines as they are, or behind their numbers: cat, nl, head, tail, sed -n, awk on
NR, and what these do to each other in a pipe; grep and rg, which say the numbers.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from hkgit.agents.shown.filters import Filter, Numbers, parse_filter
from hkgit.values import dataclass, replace

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
