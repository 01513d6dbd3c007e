"""An answer is graded against the ideal one, and tables and pictures say what was counted."""

from pathlib import Path
from xml.etree import ElementTree

from benchmarks.engines.adapters import Answer
from benchmarks.engines.adapters.local import hkgit
from benchmarks.engines.cases import Case
from benchmarks.engines.diagram import Landing, drawn, numbers
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.fitting import fitted, laplace
from benchmarks.engines.grading import Grade, Truth, grade
from benchmarks.engines.report import Outcome, Score, by_label, failures, overall, run
from benchmarks.engines.scaling import fuzzy_edit, real_lines, repetitive_lines
from tests.benchmarks.hunks import small_corpus
from tests.support.cases import cases

BEFORE = b"a = 1\nb = 2\nc = 3\n"
IDEAL = b"a = 1\nb = 'x'\nc = 3\n"


def truth(verdict: Verdict = Verdict.LAND, fold: str = "bytes") -> Truth:
    """The second line is the place."""
    return Truth(verdict, BEFORE, IDEAL, fold, head=6, tail=6)


@cases(
    {
        "byte for byte": ("bytes", IDEAL, Grade.IDEAL),
        "refused": ("bytes", None, Grade.REFUSED),
        "success without a change": ("bytes", BEFORE, Grade.WRONG),
        "final newline lost": ("bytes", IDEAL[:-1], Grade.WRONG),
        "byte order mark added": ("bytes", b"\xef\xbb\xbf" + IDEAL, Grade.WRONG),
        "trailing": ("trailing", b"a = 1\nb = 'x' \nc = 3\n", Grade.ACCEPTED),
        "blank elsewhere": ("trailing", b"a = 1 \nb = 'x'\nc = 3\n", Grade.WRONG),
        "blank in front": ("trailing", b"a = 1\n b = 'x'\nc = 3\n", Grade.WRONG),
        "blank inside": ("blanks", b"a = 1\nb='x'\nc = 3\n", Grade.ACCEPTED),
        "line feed inside": ("blanks", b"a = 1\nb=\n'x'\nc = 3\n", Grade.WRONG),
        "other end": ("ends", b"a = 1\nb = 'x'\r\nc = 3\n", Grade.ACCEPTED),
        "other end elsewhere": ("ends", b"a = 1\r\nb = 'x'\nc = 3\n", Grade.WRONG),
        "quotes": ("typography", "a = 1\nb = \u2019x\u2019\nc = 3\n".encode(), Grade.ACCEPTED),
        "another letter": ("typography", b"a = 1\nb = 'y'\nc = 3\n", Grade.WRONG),
        "shorter than what is fixed": ("typography", b"\xff", Grade.WRONG),
        "place deleted": ("trailing", b"a = 1\nc = 3\n", Grade.WRONG),
    },
)
def test_an_answer_where_the_edit_must_land(
    fold: str, answer: bytes | None, expected: Grade
) -> None:
    assert grade(truth(fold=fold), answer) is expected


@cases(
    {
        "where it must land": (Verdict.LAND, Grade.ACCEPTED),
        "where nothing may": (Verdict.REFUSE, Grade.WRONG),
    },
)
def test_plain_replacement_of_what_stands_once_is_accepted(
    verdict: Verdict, expected: Grade
) -> None:
    plain = b"a = 1\nb = 2\nd = 4\n"
    assert grade(Truth(verdict, BEFORE, IDEAL, literal=plain), plain) is expected


@cases(
    {
        "refused": (Verdict.REFUSE, None, Grade.REFUSED),
        "nothing changed": (Verdict.REFUSE, BEFORE, Grade.REFUSED),
        "landed": (Verdict.REFUSE, IDEAL, Grade.WRONG),
        "refused where it may land": (Verdict.EITHER, None, Grade.REFUSED),
        "landed where it may": (Verdict.EITHER, IDEAL, Grade.IDEAL),
        "landed elsewhere where it may": (Verdict.EITHER, b"", Grade.WRONG),
    },
)
def test_an_answer_where_the_edit_need_not_land(
    verdict: Verdict, answer: bytes | None, expected: Grade
) -> None:
    assert grade(truth(verdict), answer) is expected


FILE, WANTED = b"a\nb\n", b"a\nB\n"


def outcome(verdict: Verdict, after: bytes | None, label: str = "none") -> Outcome:
    truth = Truth(verdict, FILE, WANTED, "trailing", head=2, tail=0)
    case = Case(label, "p/f.py:2", FILE, "b\n", "B\n", truth)
    return Outcome(case, Answer(after, 2.0, "why", 1.0), grade(truth, after))


MIXED = [
    outcome(Verdict.LAND, WANTED),
    outcome(Verdict.LAND, b"a\nB \n"),
    outcome(Verdict.LAND, None),
    outcome(Verdict.LAND, b"a\n\n", label="other"),
    outcome(Verdict.EITHER, WANTED),
    outcome(Verdict.REFUSE, None),
    outcome(Verdict.REFUSE, WANTED),
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


LANDINGS = [
    *[Landing("exact", 1000, True)] * 8,
    *[Landing("fuzzy", 990, True)] * 3,
    Landing("fuzzy", 990, False),
    Landing("fuzzy", 909, True),
]


def cells(table: str) -> list[list[str]]:
    return [[*map(str.strip, line.split("|")[1:-1])] for line in table.splitlines()[2:]]


def test_there_is_a_row_a_bin_of_all_and_of_each_tier() -> None:
    """Ten bins, of which the first takes whatever is below; errors are weighted by their sizes."""
    assert cells(numbers(LANDINGS)) == [
        ["all", "to 0.91", "1", "1", "0.909", "1.000", "0.0808"],
        ["all", "0.99 to 1.00", "12", "11", "0.997", "0.917", "0.0808"],
        ["exact", "0.99 to 1.00", "8", "8", "1.000", "1.000", "0.0000"],
        ["fuzzy", "to 0.91", "1", "1", "0.909", "1.000", "0.2102"],
        ["fuzzy", "0.99 to 1.00", "4", "3", "0.990", "0.750", "0.2102"],
    ]


def test_the_picture_is_the_same_for_the_same_numbers_and_is_xml() -> None:
    picture = drawn(LANDINGS)
    assert picture == drawn(list(reversed(LANDINGS)))
    root = ElementTree.fromstring(picture)
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "3 of 4 right at 0.990" in titles


def test_what_nobody_has_seen_wrong_may_be_wrong_yet() -> None:
    assert [laplace(0, 0), laplace(998, 998), laplace(98, 99)] == [500, 999, 980]


def test_a_number_is_fitted_for_each_row_of_the_table() -> None:
    """One edit lands exactly, one by the tier whitespace, one is refused."""
    before, after = b"one\ntwo\n", b"one\n2\n"
    truth = Truth(Verdict.LAND, before, after)
    edits = [Case("l", "n", before, old, "2\n", truth) for old in ("two\n", "two  \n", "zwei\n")]
    with hkgit(Path()) as engine:
        rows = cells(fitted(run(engine, edits)))
    assert [row[1:] for row in rows] == [["1", "1", "666"]] * 2
    assert rows[0][0] == "exact from 1000"
