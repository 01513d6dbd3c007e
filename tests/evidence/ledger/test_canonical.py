"""Canonical JSON: Python's own writer gives the bytes of RFC 8785 wherever it is used."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from hkgit.errors import InvalidInput
from hkgit.evidence.entry import write_canonical
from tests.support.cases import cases
from tests.support.properties import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=12,
)


@examples(100)
@given(VALUES)
def test_the_bytes_are_those_of_the_rfc(value: Any) -> None:
    assert write_canonical(value) == rfc8785.dumps(value) + b"\n"


@cases(
    "value",
    {
        "keys that UTF-16 sorts otherwise": {"\ufb33": 1, "\U0001f600": 2, "a": 3},
        "every escape": {"a": "".join(map(chr, range(0x180)))},
        "a tuple": {"b": (1, True), "a": ["\u2028", "\x7f", "/"]},
    },
)
def test_so_are_those_of_odd_values(value: Any) -> None:
    assert write_canonical(value) == rfc8785.dumps(value) + b"\n"


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), 0.5, 1e30, float("nan"), "\ud800", {"\udc80": 1}]
)
def test_what_no_json_says_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_canonical([value])
