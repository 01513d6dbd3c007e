"""explaining.py: find what the words of a command say that it makes of a file.

`cat >F <<EOF` and `sed -i` with a simple script say it. What they make is compared with what stands
there: of a command that is read wrongly, or does more, nothing is explained.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from hkgit.agents.shell.sed import parse_script, run_script
from hkgit.agents.shown.commands import BREAKS, split_words
from hkgit.edits import REGULAR, File, decode_text, encode_text

Make = Callable[[str], str]
"""What a statement makes of a file's text; nothing where there is no file."""

_CAT = re.compile(r"(?:^|[\n;&|(])[ \t]*cat\b([^\n;&|]*)\n")
_INTO = re.compile(r"(?<!>)(>>?)\s*(['\"]?)([^\s<>'\"]+)\2")
_HERE = re.compile(r"<<\s*(['\"]?)(\w+)\1")
_EXPANDED = re.compile(r"[$`\\]")


def make_by_words(command: str, path: str, file: File | None) -> File | None:
    """Make of a file what a command says; None where it says nothing of it that is understood."""
    makes = [*_find_written(command, path), *_find_seds(command, path)]
    text = "" if file is None else decode_text(file.data)
    for make in makes:
        if make is None:
            return None
        text = make(text)
    mode = REGULAR if file is None else file.mode
    return File(encode_text(text), mode) if makes else None


def _find_written(command: str, path: str) -> Iterator[Make | None]:
    """Find what `cat` writes into the file of the lines below it."""
    for found in _CAT.finditer(command):
        into, here = _INTO.search(found[1]), _HERE.search(found[1])
        if into is None or here is None or not _is_named(into[3], path):
            continue
        body, ended, _ = f"\n{command[found.end() :]}\n".partition(f"\n{here[2]}\n")
        text = f"{body[1:]}\n" if body else ""
        is_known = ended and (here[1] or not _EXPANDED.search(body))
        yield _write(text, is_behind=into[1] == ">>") if is_known else None


def _write(text: str, *, is_behind: bool) -> Make:
    return lambda before: before + text if is_behind else text


def _find_seds(command: str, path: str) -> Iterator[Make | None]:
    """Find what each `sed -i` makes of the file; None for one that is not understood."""
    statement: list[str] = []
    for word in [*split_words(command), ";"]:
        if word not in BREAKS:
            statement.append(word)
            continue
        if statement[:1] == ["sed"] and any(_is_named(each, path) for each in statement[2:]):
            yield _parse_sed(statement[1:])
        statement = []


def _parse_sed(words: Sequence[str]) -> Make | None:
    scripts: list[str] = []
    options: set[str] = set()
    rest = iter(words)
    for word in rest:
        if word == "-e":
            scripts.append(next(rest, ""))
        elif word.startswith("-"):
            options.add(word)
        else:
            scripts += [] if scripts else [word]
    is_known = options <= {"-i", "-E", "-r", "-Ei", "-ri"} and options & {"-i", "-Ei", "-ri"}
    is_extended = bool(options - {"-i"})
    commands = parse_script("\n".join(scripts), is_extended=is_extended) if is_known else None
    return None if commands is None else lambda text: run_script(commands, text)


def _is_named(word: str, path: str) -> bool:
    """Whether a word of a command, which may stand in any directory, names a path of the root."""
    name = word.removeprefix("./")
    return path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")
