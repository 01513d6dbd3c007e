"""The demonstration edits hkgit's own sources: what it edits is there."""

from __future__ import annotations

from hkgit.cli.demo import FUNCTION, TARGET
from tests.support.modules import ROOT


def test_the_function_that_the_demonstration_edits_is_there() -> None:
    assert f"\n{FUNCTION}\n" in (ROOT / TARGET).read_text("utf-8")
