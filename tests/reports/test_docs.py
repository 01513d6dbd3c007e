"""docs/reports.md shows what hkgit prints."""

from __future__ import annotations

from tests.reports.examples import PAGE, examples, lasting, shown


def test_every_example_is_what_hkgit_says() -> None:
    """`python -m tests.reports.examples` writes them anew."""
    made = examples()
    page = shown(PAGE.read_text("utf-8"))
    assert page.keys() == made.keys()
    assert {name: lasting(text) for name, text in page.items()} == {
        name: lasting(text) for name, text in made.items()
    }
