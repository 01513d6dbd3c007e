"""Functions are named by verbs, and their docstrings say what they do."""

import ast
from collections.abc import Iterator

from tests.support.modules import modules, walk

_PARTICIPLES = {
    *("begun", "built", "chosen", "cut", "done", "drawn", "found", "given", "gone", "held"),
    *("kept", "known", "left", "lost", "made", "met", "put", "said", "seen", "sent", "shown"),
    *("spoken", "taken", "told", "written"),
}
_VERBS = {"embed", "feed", "need", "seed", "shed", "speed"}


def test_functions_are_named_by_verbs() -> None:
    names = [
        node.name
        for tree in modules().values()
        for node in walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    words = [name.lstrip("_").split("_")[0] for name in names]
    odd = [word for word in words if word in _PARTICIPLES or word.endswith("ed")]
    assert len([word for word in odd if word not in _VERBS]) < 0.02 * len(names)


_NOUNS = {
    "A",
    "All",
    "An",
    "Each",
    "Every",
    "Everything",
    "How",
    "Its",
    "The",
    "What",
    "Where",
    "Who",
}


def list_public_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods that other modules may call; properties are values."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from list_public_functions(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_value = any("property" in ast.unparse(each) for each in node.decorator_list)
            if not node.name.startswith("_") and not is_value:
                yield node


def test_docstrings_of_functions_say_what_they_do() -> None:
    odd = {
        f"{module}:{node.lineno} {words}"
        for module, tree in modules().items()
        for node in list_public_functions(tree)
        if (words := (ast.get_docstring(node) or "").split("\n")[0]).split(" ")[0] in _NOUNS
    }
    assert odd == set()
