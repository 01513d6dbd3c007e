"""Run the console blocks of a page as a reader would, and write down what they print.

`python -m tests.docs.console README.md` writes the outputs anew.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^(`{3,})console\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_CHANGING = re.compile(r"\b[0-9a-f]{7,64}\b|\b\d{4}-\d\d-\d\d(?:[ T]\d\d:[\d:+-]+)?")
_MARK = "-- end of output --"


def list_commands(block: str) -> list[str]:
    """Return the commands of a block: lines after `$ `, each with those after `> `."""
    commands: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        elif commands and (line.startswith("> ") or line == ">"):
            commands[-1] += "\n" + line[2:]
    return commands


def run_page(page: str, **env: str) -> str:
    """Return the page with what its console blocks print now, run one after the other."""
    blocks = [found[2] for found in BLOCK.finditer(page)]
    commands = [command for block in blocks for command in list_commands(block)]
    outputs = iter(_run_commands(commands, env))
    return BLOCK.sub(lambda found: _render(found[1], list_commands(found[2]), outputs), page)


def drop_ids(page: str) -> str:
    """Return a page without what differs from run to run: ids and dates."""
    return _CHANGING.sub("#", page)


def _render(fence: str, commands: list[str], outputs: Iterator[str]) -> str:
    lines = []
    for command in commands:
        first, *rest = command.split("\n")
        lines += [f"$ {first}", *(f"> {line}".rstrip() for line in rest)]
        lines += next(outputs).splitlines()
    return "\n".join([f"{fence}console", *lines, fence])


def _run_commands(commands: list[str], env: dict[str, str]) -> list[str]:
    """Return what each command prints in one shell that begins in an empty folder."""
    from tests.support.commands import loaded_path  # it remembers the sealed environment

    script = "".join(f"{command}\necho '{_MARK}'\n" for command in commands)
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            ["bash", "-c", f"exec 2>&1\n{script}"],
            cwd=place,
            env=os.environ | loaded_path() | {"HKGIT_SOURCE": str(ROOT)} | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    return [output.removeprefix("\n") for output in done.stdout.split(f"{_MARK}\n")]


if __name__ == "__main__":
    import_module("tests.conftest")  # seals this process from the developer's git
    for name in sys.argv[1:]:
        path = ROOT / name
        path.write_text(run_page(path.read_text("utf-8")), "utf-8")
