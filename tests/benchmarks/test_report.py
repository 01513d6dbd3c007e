"""Tables say what was counted."""

from __future__ import annotations

from benchmarks.engines.adapters import Answer
from benchmarks.engines.cases import Case
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Truth, grade
from benchmarks.engines.report import Outcome, Score, by_label, failures, overall
from benchmarks.engines.scaling import fuzzy_edit, real_lines, repetitive_lines
from tests.benchmarks.hunks import small_corpus
from tests.support.cases import cases

BEFORE, IDEAL = b"a\nb\n", b"a\nB\n"


def outcome(verdict: Verdict, after: bytes | None, label: str = "none") -> Outcome:
    truth = Truth(verdict, BEFORE, IDEAL, "trailing", head=2, tail=0)
    case = Case(label, "p/f.py:2", BEFORE, "b\n", "B\n", truth)
    return Outcome(case, Answer(after, 2.0, "why", 1.0), grade(truth, after))


MIXED = [
    outcome(Verdict.LAND, IDEAL),
    outcome(Verdict.LAND, b"a\nB \n"),
    outcome(Verdict.LAND, None),
    outcome(Verdict.LAND, b"a\n\n", label="other"),
    outcome(Verdict.EITHER, IDEAL),
    outcome(Verdict.REFUSE, None),
    outcome(Verdict.REFUSE, IDEAL),
]


def test_landings_count_where_they_are_due_and_wrong_and_refused_over_all() -> None:
    score = Score.of(MIXED)
    assert (score.can_land, score.landed, score.ideal) == (4, 2, 1)
    assert (score.cases, score.wrong, score.refused) == (7, 2, 2)
    assert failures(MIXED) == [MIXED[3], MIXED[6], MIXED[2]]


def test_an_engine_and_a_label_have_a_row() -> None:
    row = overall({"e": MIXED}).splitlines()[2].split("|")[1:4]
    assert [*map(str.strip, row)] == ["e", "7", "50.0 % (2)"]
    names = [line.split("|")[1].strip() for line in by_label(MIXED).splitlines()[2:]]
    assert names == ["none", "other"]


@cases({"real": real_lines(small_corpus(), 500), "repetitive": repetitive_lines(500)})
def test_the_edit_of_the_scaling_table_is_not_exact_and_changes_one_line(lines: list[str]) -> None:
    before, old, _, right = fuzzy_edit(lines)
    pairs = zip(before.splitlines(), right.splitlines(), strict=True)
    assert old.encode() not in before
    assert len(lines) == 500
    assert sum(left != other for left, other in pairs) == 1
