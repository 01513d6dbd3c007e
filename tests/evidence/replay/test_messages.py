"""Messages: what they claim of an entry must be so; what they leave out is no fault."""

from __future__ import annotations

from tests.support.attacks import honest, sha256
from tests.support.cases import cases
from tests.support.commits import commit, judge
from tests.support.entries import written
from tests.support.repos import Repo

OTHER = "f" * 64


@cases(
    "foot, said",
    {
        "another entry": (f"Hkgit-Entry: sha256:{OTHER}", "which this commit does not add"),
        "another confidence": (
            "Hkgit-Entry: sha256:{}\nHkgit-Confidence: 0.99",
            "does not have 'Hkgit-Confidence: 0.99'",
        ),
        "another agent": (
            "Hkgit-Entry: sha256:{}\nHkgit-Agent: someone/2",
            "does not have 'Hkgit-Agent: someone/2'",
        ),
        "another edit": (
            "Hkgit-Entry: sha256:{}\nHkgit-Edit: a.py:1-1 - exact 1.00",
            "does not have 'Hkgit-Edit: a.py:1-1",
        ),
        "without an entry": ("Hkgit-Confidence: 0.01", "does not have 'Hkgit-Confidence: 0.01'"),
        "one entry too many": (
            f"Hkgit-Entry: sha256:{{}}\nHkgit-Entry: sha256:{OTHER}",
            "which this commit does not add",
        ),
    },
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


@cases(
    "message, notes",
    {
        "no trailers are no fault": ("Say\n", 0),
        "nor are few": ("Say\n\nHkgit-Entry: sha256:{}\n", 0),
        "in the body": ("Say\n\nHkgit-Entry: sha256:{}\n\nSigned-off-by: A\n", 1),
    },
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
