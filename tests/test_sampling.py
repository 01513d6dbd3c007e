"""Of cases of one kind a plain run tries a third, spread over all of them."""

from __future__ import annotations

import pytest

from tests.support.properties import is_thorough, sample


@pytest.mark.sampled
@pytest.mark.parametrize("case", range(7))
def test_a_plain_run_tries_a_third(case: int, request: pytest.FixtureRequest) -> None:
    name = request.node.originalname
    tried = [each for each in request.session.items if each.name.startswith(f"{name}[")]
    assert request.node.name == f"{name}[{case}]"
    assert is_thorough() or len(tried) <= 3


def test_the_first_of_every_three_cases_is_kept(request: pytest.FixtureRequest) -> None:
    marked = pytest.Module.from_parent(request.session, path=request.path)
    items = [each for each in marked.collect() if isinstance(each, pytest.Function)]
    kept, left = sample(items)
    assert [each.name for each in kept] == [
        "test_a_plain_run_tries_a_third[0]",
        "test_a_plain_run_tries_a_third[3]",
        "test_a_plain_run_tries_a_third[6]",
        "test_the_first_of_every_three_cases_is_kept",
    ]
    assert len(kept) + len(left) == len(items)
