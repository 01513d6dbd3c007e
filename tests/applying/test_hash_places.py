"""A hash that is that of other lines than the edited ones is refused."""

from __future__ import annotations

import json

import pytest

from hkgit import apply_edits, range_hash

TEXT = "a\nb\nc\nd\n"


@pytest.mark.parametrize(("first", "last"), [(1, 4), (2, 3), (1, 2), (3, 3)])
@pytest.mark.parametrize("by_lines", [True, False], ids=["range", "quote"])
def test_a_hash_of_other_lines_is_refused_with_the_lines_to_read(
    first: int, last: int, *, by_lines: bool
) -> None:
    expected = range_hash(TEXT, first, last)
    edit: dict[str, object] = {"file": "f", "old_text": "b", "new_text": "x"}
    if by_lines:
        edit = {"op": "replace_range", "path": "f", "start_line": 2, "end_line": 2, "new_text": "x"}
    edit["expected_hash"] = expected
    text = json.dumps({"version": "1", "operations": [edit]} if by_lines else edit)
    [outcome] = apply_edits(text, {"f": TEXT}).outcomes
    if (first, last) == (1, 4) and not by_lines:
        assert outcome.status == "applied"  # the hash of the whole file vouches for every quote
        return
    assert outcome.status == "stale"
    assert "hkgit read f" in str(outcome.error) or "is now at lines" in str(outcome.error)
    assert range_hash(TEXT, 2, 2)[:12] not in str(outcome.error)
