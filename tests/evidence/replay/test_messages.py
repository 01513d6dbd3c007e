"""Messages: what they claim of an entry must be so; what they leave out is no fault."""

from __future__ import annotations

import pytest

from tests.support.attacks import honest, sha256
from tests.support.commits import commit, judge
from tests.support.entries import written
from tests.support.repos import Repo

OTHER = "f" * 64


@pytest.mark.parametrize(
    ("foot", "said"),
    [
        pytest.param(
            f"Hkgit-Entry: sha256:{OTHER}", "which this commit does not add", id="another entry"
        ),
        pytest.param(
            "Hkgit-Entry: sha256:{}\nHkgit-Confidence: 0.99",
            "does not have 'Hkgit-Confidence: 0.99'",
            id="another confidence",
        ),
        pytest.param(
            "Hkgit-Entry: sha256:{}\nHkgit-Agent: someone/2",
            "does not have 'Hkgit-Agent: someone/2'",
            id="another agent",
        ),
        pytest.param(
            "Hkgit-Entry: sha256:{}\nHkgit-Edit: a.py:1-1 - exact 1.00",
            "does not have 'Hkgit-Edit: a.py:1-1",
            id="another edit",
        ),
        pytest.param(
            "Hkgit-Confidence: 0.01",
            "does not have 'Hkgit-Confidence: 0.01'",
            id="without an entry",
        ),
        pytest.param(
            f"Hkgit-Entry: sha256:{{}}\nHkgit-Entry: sha256:{OTHER}",
            "which this commit does not add",
            id="one entry too many",
        ),
    ],
)
def test_a_message_that_lies_about_its_entry_is_rejected(
    governed: Repo, foot: str, said: str
) -> None:
    change = honest(governed)
    change.message = f"Say\n\n{foot.format(sha256(written(change.entry)))}\n"
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.passes is False
    assert ruling.rule == "trailer"
    assert said in ruling.findings[0].what


@pytest.mark.parametrize(
    ("message", "notes"),
    [
        pytest.param("Say\n", 0, id="no trailers are no fault"),
        pytest.param("Say\n\nHkgit-Entry: sha256:{}\n", 0, id="nor are few"),
        pytest.param("Say\n\nHkgit-Entry: sha256:{}\n\nSigned-off-by: A\n", 1, id="in the body"),
    ],
)
def test_what_a_message_does_not_claim_is_not_held_against_it(
    governed: Repo, message: str, notes: int
) -> None:
    change = honest(governed)
    change.message = message.format(sha256(written(change.entry)))
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.passes is True
    assert len(ruling.judged.notes) == notes
