"""modules.py: the source of hkgit, parsed once for every test that reads it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from hkgit.evidence.verdict import BLIND

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "hkgit"


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


@cache
def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node of a tree, as `ast.walk` finds them."""
    return (*ast.walk(tree),)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = parse(path)
    return found


def list_rules() -> set[str]:
    """List the rules that findings of the package are made with, where they are written out."""
    nodes = [node for tree in modules().values() for node in walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and _makes_finding(node.func)]
    named = [each.value for call in calls for each in call.keywords if each.arg == "rule"]
    return {
        rule
        for given in (*(call.args[0] for call in calls if call.args), *named)
        if (rule := _read_rule(given))
    }


def _makes_finding(called: ast.expr) -> bool:
    match called:
        case ast.Name("Finding" | "Wrong") | ast.Attribute(ast.Name("Finding"), "of" | "at"):
            return True
    return False


def _read_rule(given: ast.expr) -> str | None:
    match given:
        case ast.Constant(str(rule)):
            return rule
        case ast.Name("BLIND"):
            return BLIND
    return None
