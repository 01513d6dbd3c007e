"""docs/reports.md and docs/conflicts.md show what hkgit prints."""

from __future__ import annotations

from tests.audit.reports.examples import examples, lasting, shown


def test_every_example_is_what_hkgit_says() -> None:
    """`python -m tests.audit.reports.examples` writes them anew."""
    made, page = examples(), shown()
    assert page.keys() == made.keys()
    assert {name: lasting(text) for name, text in page.items()} == {
        name: lasting(text) for name, text in made.items()
    }
