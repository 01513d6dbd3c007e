"""What only locating the spec again can tell, and what a message claims of an entry."""

import json

import pytest

from hkgit.edits import Read
from hkgit.text.document import range_hash
from tests.support.attacks import check, honest, sha256
from tests.support.cases import cases
from tests.support.commits import Change, applied, commit, judge, rejection
from tests.support.entries import written
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo

LOOP = "    for item in items:\n        total += item\n    return total\n"


@cases(
    "threshold, rule",
    {
        "the one it was applied with": (800, "verdict strict"),
        "one above its similarity": (999, "decoy"),
    },
)
def test_a_threshold_that_the_edit_does_not_reach_is_forged(
    governed: Repo, threshold: int, rule: str
) -> None:
    governed.commit({"loop.py": LOOP}, "Loop")
    old = LOOP.replace("for item", "for each")
    spec = {
        "file": "loop.py",
        "old_text": old,
        "new_text": old.replace("return ", "return -"),
        "expected_hash": range_hash(LOOP.encode()),
    }
    change = applied(governed, json.dumps(spec))
    change.entry["parameters"]["threshold"] = threshold
    commit(governed, change)
    assert judge(governed).rule == rule


REPEATED = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n"


def elsewhere(repo: Repo) -> Change:
    """What a spec says of line 2 holds at line 6 too; only the base could show that it moved."""
    repo.commit({"r.py": REPEATED}, "Repeat")
    change = applied(repo, protocol(replace_range("r.py", REPEATED, 6, 6, "    return 2")))
    change.edit["edit"] |= {"start_line": 2, "end_line": 2}
    change.edit["relocated"] = True
    return change


def test_an_edit_does_not_land_on_equal_lines_elsewhere(governed: Repo) -> None:
    check(governed, elsewhere(governed), "decoy", "r.py:6-6")


def test_nor_without_a_base_to_show_it(governed: Repo) -> None:
    change = elsewhere(governed)
    change.entry["base"] = None
    commit(governed, change)
    ruling = judge(governed)
    assert ruling.judged.verdict == "fail"
    assert ruling.rule == "decoy"


TAKE = "    for item in items:\n        take(item)\n    total += len(items)\n    return total\n"


def misquoted(repo: Repo, *, is_hash: bool) -> Change:
    """An edit that misquotes the line that it changes, as evidence shows."""
    repo.commit({"take.py": TAKE}, "Take")
    old = TAKE.replace("len(items)", "size(items)")
    spec = {"file": "take.py", "old_text": old, "new_text": TAKE.replace("len(items)", "1")}
    seen = range_hash(TAKE.encode())
    spec |= {"expected_hash": seen} if is_hash else {}
    reads = [] if is_hash else [Read("take.py", 1, 4, seen, "receipt")]
    change = applied(repo, json.dumps(spec), reads=reads)
    assert change.edit["repairs"] == ["misquoted"]
    return change


@pytest.mark.parametrize("is_hash", [True, False], ids=["a hash", "a receipt"])
def test_a_misquoted_line_that_evidence_covers_is_strict(governed: Repo, is_hash: bool) -> None:
    commit(governed, misquoted(governed, is_hash=is_hash))
    ruling = judge(governed)
    assert ruling.passes is True
    assert ruling.judged.verdict == "strict"


def test_without_the_receipt_a_misquoted_line_is_a_conflict(governed: Repo) -> None:
    change = misquoted(governed, is_hash=False)
    change.entry["reads"] = []
    change.edit["evidence"] = "none"
    commit(governed, change)
    assert rejection(governed) == "decoy"


def test_of_another_ladder_the_bytes_are_compared(governed: Repo) -> None:
    change = misquoted(governed, is_hash=True)
    change.entry["ladder"] -= 1
    change.edit["repairs"] = []
    commit(governed, change)
    assert judge(governed).judged.verdict == "strict"


@cases(
    "message, notes",
    {
        "no trailers are no fault": ("Say\n", 0),
        "nor are few": ("Say\n\nHkgit-Entry: sha256:{}\n", 0),
        "in the body": ("Say\n\nHkgit-Entry: sha256:{}\n\nSigned-off-by: A\n", 1),
        "above a line of blanks": ("Say\n\nHkgit-Entry: sha256:{}\n \t\nSigned-off-by: A\n", 1),
        "with blanks behind it": ("Say\n\nHkgit-Agent: tester/1 \nHkgit-Entry: sha256:{}\n", 0),
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
