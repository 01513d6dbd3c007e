"""Of cases of one kind a plain run tries a fifth, spread over all of them."""

import pytest

from tests.support.properties import is_thorough, sample


@pytest.mark.sampled
@pytest.mark.parametrize("case", range(12))
def test_a_plain_run_tries_a_fifth(case: int, request: pytest.FixtureRequest) -> None:
    name = request.node.originalname
    tried = [each for each in request.session.items if each.name.startswith(f"{name}[")]
    assert request.node.name == f"{name}[{case}]"
    assert is_thorough() or len(tried) <= 3


def test_one_of_every_five_cases_is_kept(request: pytest.FixtureRequest) -> None:
    marked = pytest.Module.from_parent(request.session, path=request.path)
    items = [each for each in marked.collect() if isinstance(each, pytest.Item)]
    kept, left = sample(items)
    *cases, this = [items.index(each) for each in kept]
    assert kept[-1].name == "test_one_of_every_five_cases_is_kept"
    assert [case - cases[0] for case in cases] == [*range(0, 12 - cases[0], 5)]
    assert cases[0] < 5
    assert this == len(items) - 1
    assert len(kept) + len(left) == len(items)
