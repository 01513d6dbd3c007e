"""The layers of docs/architecture.md, held against every import of the package."""

import ast
import re
import runpy
from collections import Counter
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.support.modules import PACKAGE, ROOT, modules, walk

STARTS_PROGRAMS = {
    "hkgit.gate.attestations.keys": "ssh-keygen makes and checks signatures",
    "hkgit.agents.acp.relay": "the agent whose messages it passes on",
    "hkgit.cli.apply": "the model that a person named on the command line",
    "hkgit.cli.terminal_rows": "the pager that the user has chosen",
    "hkgit.cli.demo": "types commands as a person would",
}
"""Who may start a program besides `git/`, and which."""

LEAVES = {
    "hkgit.git.transaction.locks": "a signal ends a process that no command is looking after",
}
"""Who may end the process besides `cli/`, and why."""


def layers() -> list[list[str]]:
    """The rows of the table: in each, the names of modules and packages right below hkgit."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = [line.split("|")[2] for line in text.split("\n") if line.startswith("| ")][1:]
    return [re.findall(r"`(\w+)(?:/|\.py)`", row) for row in rows]


MOST_POSITIONAL = 5
"""So many arguments of a constructor and more are given by keyword."""

ORDER = [place for row in layers() for place in row]
ROW_OF = {place: number for number, row in enumerate(layers()) for place in row}


def place(module: str) -> str:
    """Where in the table a module stands: `hkgit.git.objects` in `git`."""
    return module.split(".")[1] if "." in module else "__init__"


@cache
def imported(tree: ast.AST) -> tuple[str, ...]:
    """What a module imports anywhere in it, lazily or for its types alone, as dotted names."""
    names: list[str] = []
    for node in walk(tree):
        if isinstance(node, ast.Import):
            names += (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports of the package are absolute"
            names += (f"{node.module}.{each.name}" for each in node.names)
    return tuple(names)


def own(module: str) -> set[str]:
    """The modules of hkgit that a module imports, but for its version."""
    names = {name for name in imported(modules()[module]) if name.split(".")[0] == "hkgit"}
    names.discard("hkgit.__version__")
    return {name if name in modules() else name.rpartition(".")[0] for name in names}


def for_types(module: str) -> set[str]:
    """What a module imports only to name types."""
    checks = [
        node
        for node in walk(modules()[module])
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {name.rpartition(".")[0] for check in checks for name in imported(check)}


@cache
def calls(tree: ast.AST) -> set[str]:
    """The names that a module calls; of longer expressions none."""
    called = (node.func for node in walk(tree) if isinstance(node, ast.Call))
    return {ast.unparse(func) for func in called if isinstance(func, ast.Name | ast.Attribute)}


def test_every_module_stands_in_the_table_once() -> None:
    assert sorted(ORDER) == sorted({place(module) for module in modules()})


def test_a_module_imports_only_what_stands_above_it_or_to_its_left() -> None:
    wrong = {
        f"{module} imports {name}"
        for module in modules()
        for name in own(module)
        if ORDER.index(place(name)) > ORDER.index(place(module))
        and not (ROW_OF[place(name)] == ROW_OF[place(module)] and name in for_types(module))
    }
    assert wrong == set()


def test_no_modules_import_each_other_not_even_for_types() -> None:
    sorter = TopologicalSorter({module: own(module) for module in modules()})
    sorter.prepare()  # raises CycleError, which names the circle


def importing(package: str) -> set[str]:
    """The modules that import a package, or a part of it."""
    return {
        module
        for module, tree in modules().items()
        if package in {name.split(".")[0] for name in imported(tree)}
    }


def calling(*names: str) -> set[str]:
    """The modules that call one of some functions."""
    return {module for module, tree in modules().items() if calls(tree) & {*names}}


def test_one_module_loads_pygit2_without_certificates() -> None:
    assert importing("pygit2") == {"hkgit.git.libgit2"}


def test_only_commands_know_of_click() -> None:
    assert {place(module) for module in importing("click")} == {"cli"}


def test_only_git_and_those_that_say_why_start_programs() -> None:
    outside = {name for name in importing("subprocess") if place(name) != "git"}
    assert outside == set(STARTS_PROGRAMS)


def test_nothing_below_the_faces_prints() -> None:
    below = {name for name in calling("print", "input") if place(name) != "cli"}
    assert {name for name in below if not name.startswith("hkgit.agents.servers.")} == set()


def test_only_commands_and_two_that_say_why_end_the_process() -> None:
    ending = calling("sys.exit", "os._exit", "exit", "quit", "SystemExit")
    assert {name for name in ending if place(name) != "cli"} == set(LEAVES)


def test_every_folder_says_in_a_sentence_what_it_is_for() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    silent = [
        folder
        for folder in folders
        if not ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    ]
    assert silent == []


def find_twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def test_names_of_public_classes_and_of_modules_are_unique() -> None:
    classes = [
        node.name
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert find_twice(classes) == []
    files = [each for each in modules() if not (ROOT / each.replace(".", "/")).is_dir()]
    assert find_twice(each.rpartition(".")[2] for each in files) == []


TESTS = ROOT / "tests"
WITHOUT_ROOM = {
    "tests/agents/real": "plays scenarios with the real programs",
    "tests/agents/streams": "holds what agents have sent, recorded",
    "tests/attacks": "attacks what no single room defends",
    "tests/benchmarks": "is about benchmarks/",
    "tests/docs": "is about docs/ and what is published",
    "tests/external": "needs programs that a plain run has not",
    "tests/hooks": "commits and pushes through the installed hooks, which enter many rooms",
    "tests/servers": "needs servers that a plain run has not",
    "tests/support": "is what tests share",
}
"""Folders of tests that are not about the folder of the package of the same name, and why."""


def test_tests_stand_where_the_modules_do_that_they_are_about() -> None:
    folders = {path.parent.relative_to(ROOT) for path in TESTS.rglob("*") if path.is_file()}
    folders = {folder for folder in folders if "__pycache__" not in folder.parts}
    named = {name for name in WITHOUT_ROOM if Path(name) in folders}
    assert named == set(WITHOUT_ROOM)
    lost = {
        folder.as_posix()
        for folder in folders
        if not (PACKAGE / Path(*folder.relative_to("tests").parts[:1])).is_dir()
        and not any(folder.is_relative_to(name) for name in WITHOUT_ROOM)
    }
    assert lost == set()


_OF_TESTS = re.compile(r"^ *from (tests\b\S*) import (\([^)]*\)|.*)", re.MULTILINE)


def test_tests_import_no_private_names_of_other_tests() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), home, name)
        for path in TESTS.rglob("*.py")
        for home, names in _OF_TESTS.findall(path.read_text("utf-8"))
        for name in re.findall(r"\w+", names)
    ]
    assert len(found) > 1000
    assert [each for each in found if each[2].startswith("_") or "._" in each[1]] == []


def test_values_of_many_fields_are_built_by_keyword() -> None:
    classes = {
        node.name
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    wrong = {
        f"{module}:{node.lineno} {node.func.id}"
        for module, tree in modules().items()
        for node in walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in classes and len(node.args) >= MOST_POSITIONAL
    }
    assert wrong == set()


def test_the_picture_is_drawn_from_the_table() -> None:
    """`python docs/draw_architecture.py` draws it anew."""
    drawing = runpy.run_path(str(ROOT / "docs/draw_architecture.py"))
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    picture = (ROOT / "docs/architecture.svg").read_text("utf-8")
    assert drawing["draw"](drawing["read_layers"](page)) == picture
