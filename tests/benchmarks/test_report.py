"""Tables say what was counted."""

from __future__ import annotations

from benchmarks.engines.adapters import Answer
from benchmarks.engines.cases import Case
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.dump import dumped
from benchmarks.engines.grading import Truth, grade
from benchmarks.engines.report import Outcome, Score, by_label, failures, overall, run
from benchmarks.engines.scaling import fuzzy_edit, real_lines, repetitive_lines
from tests.benchmarks.hunks import small_corpus
from tests.support.cases import cases

BEFORE, IDEAL = b"a\nb\n", b"a\nB\n"


def outcome(
    verdict: Verdict, after: bytes | None, *, label: str = "none", confidence: float = 1.0
) -> Outcome:
    truth = Truth(verdict, BEFORE, IDEAL, "trailing", head=2, tail=0)
    case = Case(label, "p/f.py:2", BEFORE, "b\n", "B\n", truth)
    return Outcome(case, Answer(after, 2.0, "why", confidence), grade(truth, after))


MIXED = [
    outcome(Verdict.LAND, IDEAL),
    outcome(Verdict.LAND, b"a\nB \n", confidence=0.6),
    outcome(Verdict.LAND, None),
    outcome(Verdict.LAND, b"a\n\n", label="other"),
    outcome(Verdict.EITHER, IDEAL),
    outcome(Verdict.REFUSE, None),
    outcome(Verdict.REFUSE, IDEAL, confidence=0.6),
]


def test_landings_count_only_where_they_are_due() -> None:
    score = Score.of(MIXED)
    assert score.can_land == 4
    assert score.landed == 2
    assert score.ideal == 1


def test_wrong_and_refused_count_over_all() -> None:
    score = Score.of(MIXED)
    assert score.cases == 7
    assert score.wrong == 2
    assert score.refused == 2


def test_the_row_of_an_engine() -> None:
    assert overall({"e": MIXED}).splitlines()[2].split("|")[1:4] == [
        " e      ",
        " 7     ",
        " 50.0 % (2)         ",
    ]


def test_a_label_has_a_row_of_its_own() -> None:
    names = [line.split("|")[1].strip() for line in by_label(MIXED).splitlines()[2:]]
    assert names == ["none", "other"]


def test_failures_are_wrong_answers_first_and_then_missed_ones() -> None:
    assert failures(MIXED) == [MIXED[3], MIXED[6], MIXED[2]]


def test_a_case_in_full_shows_what_was_expected_and_what_came() -> None:
    assert dumped(MIXED[3]).splitlines() == [
        "=== other: p/f.py:2 (must land; wrong; why)",
        "--- old text",
        "  'b'",
        "  ''",
        "--- new text",
        "  'B'",
        "  ''",
        "--- expected",
        "@@ -1,3 +1,3 @@",
        "   'a'",
        "  -'b'",
        "  +'B'",
        "   ''",
        "--- got",
        "@@ -1,3 +1,3 @@",
        "   'a'",
        "  -'b'",
        "   ''",
        "  +''",
    ]


def test_every_case_is_asked() -> None:
    asked: list[str] = []

    def engine(
        before: bytes, old: str, new: str, path: str = "file", *, replace_all: bool = False
    ) -> Answer:
        asked.append(old)
        return Answer(None, 0.0)

    run(engine, [each.case for each in MIXED])
    assert asked == ["b\n"] * 7


@cases("lines", {"real": real_lines(small_corpus(), 500), "repetitive": repetitive_lines(500)})
def test_the_edit_of_the_scaling_table_is_not_exact_and_changes_one_line(lines: list[str]) -> None:
    before, old, _, right = fuzzy_edit(lines)
    pairs = zip(before.splitlines(), right.splitlines(), strict=True)
    changed = [(left, other) for left, other in pairs if left != other]
    assert old.encode() not in before
    assert len(lines) == 500
    assert len(changed) == 1
