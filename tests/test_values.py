"""The values of hkgit, held against what `dataclasses` makes of the same lines."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest

from hkgit import values

MAKERS: list[Any] = [
    pytest.param((dataclasses.dataclass, dataclasses.field, dataclasses.replace), id="dataclasses"),
    pytest.param((values.dataclass, values.field, values.replace), id="values"),
]


def both(make: Any) -> tuple[Any, Any]:
    """A frozen value, and one that builds on it."""
    dataclass: Any = make[0]
    field: Any = make[1]

    @dataclass(frozen=True)
    class Point:
        kind: ClassVar[str] = "point"
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, repr=False, compare=False)

        @property
        def sum(self) -> int:
            return self.x + self.y

    @dataclass(frozen=True)
    class Named(Point):
        name: str = "n"

    return Point, Named


@pytest.mark.parametrize("make", MAKERS)
def test_a_value_is_what_its_fields_say(make: Any) -> None:
    point, named = both(make)
    assert point(1) == point(1)
    assert point(1, tags=["a"]) == point(1)
    assert point(x=1, y=3) == point(1, 3)
    assert point(1) != point(2)
    assert point(1) != named(1)
    assert hash(point(1)) == hash(point(1, tags=["a"]))
    assert repr(named(1)).endswith("Named(x=1, y=2, name='n')")
    assert point.__match_args__ == ("x", "y", "tags")
    assert point(1).tags is not point(1).tags


@pytest.mark.parametrize("make", MAKERS)
def test_a_frozen_value_takes_its_own_fields_and_stays_as_it_is(make: Any) -> None:
    point, named = both(make)
    wrong: list[dict[str, int]] = [{}, {"x": 1, "z": 2}]
    for given in wrong * 2:
        with pytest.raises(TypeError):
            point(**given)
    value = named(1)
    with pytest.raises(AttributeError):
        value.x = 2
    with pytest.raises(AttributeError):
        del value.x


@pytest.mark.parametrize("make", MAKERS)
def test_what_works_on_dataclasses_works_on_values(make: Any) -> None:
    point, named = both(make)
    assert make[2](point(1), y=9) == point(1, 9)
    assert dataclasses.replace(named(1), y=9) == named(1, 9)
    assert dataclasses.asdict(point(1)) == {"x": 1, "y": 2, "tags": []}
    assert [each.name for each in dataclasses.fields(named)] == ["x", "y", "tags", "name"]


@pytest.mark.parametrize("make", MAKERS)
def test_a_value_that_is_not_frozen_has_no_hash(make: Any) -> None:
    @make[0]
    class Pair:
        first: int
        second: int

    pair: Any = Pair
    with pytest.raises(TypeError, match="unhashable"):
        hash(pair(1, 1))


@values.dataclass(frozen=True)
class Kept:
    """Stands at the top of a module, so that pickle finds it."""

    x: int


def test_values_are_copied_and_pickled() -> None:
    assert copy.deepcopy(Kept(1)) == Kept(1)
    assert pickle.loads(pickle.dumps(Kept(2))) == Kept(2)


def test_defining_values_loads_no_inspection() -> None:
    code = "import sys, hkgit.git.objects, hkgit.edits; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=True,
    )
    assert not {"dataclasses", "inspect", "ast"} & set(done.stdout.split())
