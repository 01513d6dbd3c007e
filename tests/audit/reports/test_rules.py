"""Every rule of the gate is said in a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hkgit.audit.reports.findings import RULES
from hkgit.evidence.verdict import BLIND
from tests.support.modules import modules


def _rules(module: ast.Module) -> Iterator[str]:
    """The rules that a module's findings are made with, where they are written out."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _makes_finding(node.func):
            named = [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
            for rule in [*node.args[:1], *named]:
                if isinstance(rule, ast.Constant) and isinstance(rule.value, str):
                    yield rule.value
                if isinstance(rule, ast.Name) and rule.id == "BLIND":
                    yield BLIND


def _makes_finding(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr == "of" and ast.unparse(called.value) == "Finding"
    return isinstance(called, ast.Name) and called.id in ("Finding", "Wrong")


def test_no_rule_is_without_its_sentence() -> None:
    used = {rule for module in modules().values() for rule in _rules(module)}
    assert {"blind", "bytes", "hash"} <= used
    assert used - RULES.keys() == set()
