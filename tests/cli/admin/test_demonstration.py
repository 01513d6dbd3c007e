"""The demonstration edits hkgit's own sources: what it edits is there."""

from __future__ import annotations

import re

from tests.support.modules import ROOT


def test_the_function_that_the_demonstration_edits_is_there() -> None:
    script = (ROOT / "hkgit/cli/demo.sh").read_text("utf-8")
    [(target, function)] = re.findall(r"^target=(.*)\nfunction='(.*)'$", script, re.MULTILINE)
    assert f"\n{function}\n" in (ROOT / target).read_text("utf-8")
