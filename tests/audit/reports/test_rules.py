"""Every rule of the gate and every verdict has a section: why, an example, how to fix it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from hkgit.audit.reports.findings import describe_rule, explain_rule, find_rule_url, read_sections
from hkgit.evidence.verdict import BLIND, Verdict
from tests.support.modules import ROOT, modules
from tests.support.running import run


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
        return called.attr in ("of", "at") and ast.unparse(called.value) == "Finding"
    return isinstance(called, ast.Name) and called.id in ("Finding", "Wrong")


def test_every_rule_and_verdict_has_a_section() -> None:
    used = {rule for module in modules().values() for rule in _rules(module)}
    assert {"blind", "bytes", "hash"} <= used
    assert used | {*Verdict, "assisted-by"} == read_sections().keys()


@pytest.mark.parametrize("rule", sorted(read_sections()))
def test_a_section_begins_with_a_sentence_and_has_an_example(rule: str) -> None:
    section = read_sections()[rule]
    assert describe_rule(rule).endswith(".")
    if rule not in ("strict", "fail"):
        assert "**Example:**" in section
    if rule not in {*Verdict}:
        assert "**Why:**" in section
        assert "**Fix:**" in section


def test_a_rule_is_explained_in_the_terminal() -> None:
    answer = run("help", "blind", cwd=ROOT)
    assert answer.code == 0
    assert answer.out.startswith("blind\n\nAn edit needs evidence")
    assert explain_rule("no such rule") is None
    unknown = run("help", "no-such-rule", cwd=ROOT)
    assert unknown.code == 64
    assert "blind" in unknown.err


def test_a_command_that_is_a_rule_too_shows_both() -> None:
    answer = run("help", "policy", cwd=ROOT)
    assert answer.out.startswith("Usage: hkgit policy")
    assert "The rule of that name:\n\npolicy\n\n" in answer.out


def test_a_rule_has_an_address_where_the_package_names_its_documentation() -> None:
    urls = ["Source, https://example.org/hkgit", "Documentation, https://docs.example.org/"]
    assert find_rule_url("blind", urls) == "https://docs.example.org/rules/#blind"
    assert find_rule_url("blind", urls[:1]) is None
