"""modules.py: the source of hkgit, parsed once for every test that reads it."""

import ast
import re
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


_FINDING = re.compile(r'\b(?:Finding(?:\.(?:of|at))?|Wrong)\(\s*(?:rule=)?(?:"([\w-]+)"|BLIND\b)')


def read_sources() -> str:
    """The text of every module of the package."""
    return "\n".join(path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py")))


def list_rules() -> set[str]:
    """List the rules that findings of the package are made with, where they are written out."""
    return {rule or BLIND for rule in _FINDING.findall(read_sources())}
