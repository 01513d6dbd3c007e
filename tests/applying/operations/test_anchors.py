"""Stacked anchors: each is looked for in the block that the one before opens."""

from __future__ import annotations

from hkgit import apply_edits
from tests.support.cases import cases

METHOD = "    def method():\n        x = 1\n        return x\n"
TWO = f"class Other:\n{METHOD}\n\nclass BaseClass(Other):\n{METHOD}\n\nclass Last:\n{METHOD}"


def patched(*hunk: str) -> object:
    text = "\n".join(["*** Begin Patch", "*** Update File: a.py", *hunk, "*** End Patch"])
    result = apply_edits(text, {"a.py": TWO})
    return result.files.get("a.py") if result.ok else result.outcomes[0].status


@cases(
    "anchors",
    {
        "the documented example": ["@@ class BaseClass", "@@ \t def method():"],
        "whole lines": ["@@ class BaseClass(Other):", "@@ def method():"],
        "on one line": ["@@ class BaseClass @@ def method():"],
        "one anchor": ["@@ class BaseClass"],
    },
)
def test_an_anchor_narrows_to_its_block(anchors: list[str]) -> None:
    head, tail = TWO.split("class BaseClass(Other):\n")
    changed = f"{head}class BaseClass(Other):\n{tail.replace('x = 1', 'x = 2', 1)}"
    assert patched(*anchors, "-        x = 1", "+        x = 2") == changed


def test_an_anchor_that_is_nowhere_is_refused() -> None:
    assert patched("@@ class Nobody", "-        x = 1", "+        x = 2") == "no_match"


def test_without_an_anchor_the_places_are_equal() -> None:
    assert patched("@@", "-        x = 1", "+        x = 2") == "ambiguous"


def test_lines_alone_go_to_the_end_where_that_is_said() -> None:
    assert patched("@@", "+z = 1", "*** End of File") == f"{TWO}z = 1\n"


def test_a_refusal_below_an_anchor_names_the_lines_of_the_file() -> None:
    text = f"import os\n\n\n{TWO}"
    hunk = [
        "@@ class BaseClass(Other):",
        "     def method():",
        "+        y = 2",
        "         return x",
    ]
    patch = "\n".join(["*** Begin Patch", "*** Update File: a.py", *hunk, "*** End Patch"])
    [refused] = apply_edits(patch, {"a.py": text}).outcomes
    assert refused.error is not None
    first = text.splitlines().index("class BaseClass(Other):") + 2
    assert [(each.start_line, each.end_line) for each in refused.candidates] == [(first, first + 2)]
    assert refused.error.where == f"a.py:{first}"
