"""The page of rules and verdicts: why each exists, an example, how to fix it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

PAGE = Path(__file__).with_name("rule_page.md")


@cache
def read_sections() -> Mapping[str, str]:
    """Map each rule and verdict to its section of the page, without the heading."""
    _, *sections = PAGE.read_text("utf-8").split("\n## ")
    parts = (section.partition("\n") for section in sections)
    return {name: text.strip() for name, _, text in parts}


def describe_rule(rule: str) -> str:
    """Say what a rule is for, in one sentence."""
    section = read_sections().get(rule, f"The gate's rule {rule!r} holds.")
    return section.partition("\n")[0]


def explain_rule(rule: str) -> str | None:
    """Explain a rule or a verdict; None where there is no such one."""
    section = read_sections().get(rule)
    return None if section is None else f"{rule}\n\n{section}"


def find_rule_url(rule: str, urls: Iterable[str] | None = None) -> str | None:
    """Find the address of a rule's section, given the `Project-URL`s of a package: hkgit's own."""
    named = dict(each.split(", ", 1) for each in (_list_urls() if urls is None else urls))
    site = named.get("Documentation")
    return None if site is None else f"{site.rstrip('/')}/rules/#{rule}"


@cache
def _list_urls() -> tuple[str, ...]:
    from importlib.metadata import metadata  # hooks print no addresses

    return tuple(metadata("hkgit").get_all("Project-URL") or ())
