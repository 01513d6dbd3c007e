"""The layers of docs/architecture.md, held against every import of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hkgit"

STARTS_PROGRAMS = {
    "hkgit.attestations.keys": "ssh-keygen makes and checks signatures",
    "hkgit.commands.reflecting": "the model that a person named on the command line",
    "hkgit.demonstration": "types commands as a person would",
}
"""Who may start a program besides `git/`, and which."""

LEAVES = {
    "hkgit.git.signals": "a signal ends a process that no command is looking after",
    "hkgit.mcp.server": "a thread that waits for the client would keep the process",
}
"""Who may end the process besides `commands/`, and why."""


def layers() -> list[list[str]]:
    """The rows of the table: in each, the names of modules and packages right below hkgit."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = [line.split("|")[2] for line in text.split("\n") if line.startswith("| ")][1:]
    return [re.findall(r"`(\w+)(?:/|\.py)`", row) for row in rows]


ORDER = [place for row in layers() for place in row]
ROW_OF = {place: number for number, row in enumerate(layers()) for place in row}


def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text())
    return found


MODULES = modules()


def place(module: str) -> str:
    """Where in the table a module stands: `hkgit.git.trees` in `git`."""
    return module.split(".")[1] if "." in module else "__init__"


def imported(tree: ast.AST) -> Iterator[str]:
    """What a module imports anywhere in it, lazily or for its types alone, as dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports of the package are absolute"
            yield from (f"{node.module}.{each.name}" for each in node.names)


def own(module: str) -> set[str]:
    """The modules of hkgit that a module imports, but for its version."""
    names = {name for name in imported(MODULES[module]) if name.split(".")[0] == "hkgit"}
    names.discard("hkgit.__version__")
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


def for_types(module: str) -> set[str]:
    """What a module imports only to name types."""
    checks = [
        node
        for node in ast.walk(MODULES[module])
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {name.rpartition(".")[0] for check in checks for name in imported(check)}


def calls(tree: ast.AST) -> set[str]:
    """The names that a module calls; of longer expressions none."""
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {ast.unparse(func) for func in called if isinstance(func, ast.Name | ast.Attribute)}


def test_every_module_stands_in_the_table_once() -> None:
    assert sorted(ORDER) == sorted({place(module) for module in MODULES})


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_stands_above_it_or_to_its_left(module: str) -> None:
    here = place(module)
    after = {
        name
        for name in own(module)
        if ORDER.index(place(name)) > ORDER.index(here)
        and not (ROW_OF[place(name)] == ROW_OF[here] and name in for_types(module))
    }
    assert after == set()


def test_only_git_and_the_versions_of_a_bug_report_know_of_pygit2() -> None:
    using = {
        module
        for module, tree in MODULES.items()
        if "pygit2" in {name.split(".")[0] for name in imported(tree)}
    }
    assert {name for name in using if place(name) != "git"} == {"hkgit.commands.versions"}


def test_only_git_and_three_that_say_why_start_programs() -> None:
    starting = {module for module, tree in MODULES.items() if "subprocess" in set(imported(tree))}
    assert {name for name in starting if place(name) != "git"} == set(STARTS_PROGRAMS)


def test_nothing_below_the_faces_prints() -> None:
    faces = {"commands", "mcp"}
    printing = {module for module, tree in MODULES.items() if calls(tree) & {"print", "input"}}
    assert {name for name in printing if place(name) not in faces} == set()


def test_only_commands_and_two_that_say_why_end_the_process() -> None:
    ways = {"sys.exit", "os._exit", "exit", "quit", "SystemExit"}
    ending = {module for module, tree in MODULES.items() if calls(tree) & ways}
    assert {name for name in ending if place(name) != "commands"} == set(LEAVES)


def test_only_commands_know_of_click() -> None:
    using = {
        module
        for module, tree in MODULES.items()
        if "click" in {name.split(".")[0] for name in imported(tree)}
    }
    assert {place(module) for module in using} == {"commands"}
