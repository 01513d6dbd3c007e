"""Every rule of the gate and every verdict has a section: why, an example, how to fix it."""

from __future__ import annotations

from hkgit.audit.reports.findings import describe_rule, explain_rule, find_rule_url, read_sections
from hkgit.evidence.verdict import Verdict
from tests.support.modules import ROOT, list_rules
from tests.support.running import run


def test_every_rule_and_verdict_has_a_section() -> None:
    used = list_rules()
    assert {"blind", "bytes", "hash"} <= used
    assert used | {*Verdict, "assisted-by"} == read_sections().keys()


def test_a_section_begins_with_a_sentence_and_has_an_example() -> None:
    parts = {"**Example:**": {"strict", "fail"}, "**Why:**": {*Verdict}, "**Fix:**": {*Verdict}}
    for rule, section in read_sections().items():
        assert describe_rule(rule).endswith("."), rule
        lacking = {part for part in parts if part not in section}
        assert lacking <= {part for part, without in parts.items() if rule in without}, rule


def test_a_rule_is_explained_in_the_terminal() -> None:
    answer = run("help", "blind", cwd=ROOT)
    assert answer.code == 0
    assert answer.out.startswith("blind\n\nAn edit needs evidence")
    assert explain_rule("no such rule") is None
    unknown = run("help", "no-such-rule", cwd=ROOT)
    assert (unknown.code, "blind" in unknown.err) == (64, True)
    both = run("help", "policy", cwd=ROOT).out
    assert both.startswith("Usage: hkgit policy")
    assert "The rule of that name:\n\npolicy\n\n" in both


def test_a_rule_has_an_address_where_the_package_names_its_documentation() -> None:
    urls = ["Source, https://example.org/hkgit", "Documentation, https://docs.example.org/"]
    assert find_rule_url("blind", urls) == "https://docs.example.org/rules/#blind"
    assert find_rule_url("blind", urls[:1]) is None
