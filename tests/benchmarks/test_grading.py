"""A result is right when it differs from the ideal one only where and how it may."""

from __future__ import annotations

import pytest

from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Grade, Truth, grade

BEFORE = b"a = 1\nb = 2\nc = 3\n"
IDEAL = b"a = 1\nb = 'x'\nc = 3\n"


def truth(verdict: Verdict = Verdict.LAND, fold: str = "bytes") -> Truth:
    """The second line is the place."""
    return Truth(verdict, BEFORE, IDEAL, fold, head=6, tail=6)


@pytest.mark.parametrize(
    ("fold", "answer", "expected"),
    [
        pytest.param("bytes", IDEAL, Grade.IDEAL, id="byte for byte"),
        pytest.param("bytes", None, Grade.REFUSED, id="refused"),
        pytest.param("bytes", BEFORE, Grade.WRONG, id="success without a change"),
        pytest.param("bytes", IDEAL[:-1], Grade.WRONG, id="final newline lost"),
        pytest.param("bytes", b"\xef\xbb\xbf" + IDEAL, Grade.WRONG, id="byte order mark added"),
        pytest.param("trailing", b"a = 1\nb = 'x' \nc = 3\n", Grade.ACCEPTED, id="trailing"),
        pytest.param("trailing", b"a = 1 \nb = 'x'\nc = 3\n", Grade.WRONG, id="blank elsewhere"),
        pytest.param("trailing", b"a = 1\n b = 'x'\nc = 3\n", Grade.WRONG, id="blank in front"),
        pytest.param("blanks", b"a = 1\nb='x'\nc = 3\n", Grade.ACCEPTED, id="blank inside"),
        pytest.param("blanks", b"a = 1\nb=\n'x'\nc = 3\n", Grade.WRONG, id="line feed inside"),
        pytest.param("ends", b"a = 1\nb = 'x'\r\nc = 3\n", Grade.ACCEPTED, id="other end"),
        pytest.param("ends", b"a = 1\r\nb = 'x'\nc = 3\n", Grade.WRONG, id="other end elsewhere"),
        pytest.param(
            "typography", "a = 1\nb = \u2019x\u2019\nc = 3\n".encode(), Grade.ACCEPTED, id="quotes"
        ),
        pytest.param("typography", b"a = 1\nb = 'y'\nc = 3\n", Grade.WRONG, id="another letter"),
        pytest.param("typography", b"\xff", Grade.WRONG, id="shorter than what is fixed"),
        pytest.param("trailing", b"a = 1\nc = 3\n", Grade.WRONG, id="place deleted"),
    ],
)
def test_an_answer_where_the_edit_must_land(
    fold: str, answer: bytes | None, expected: Grade
) -> None:
    assert grade(truth(fold=fold), answer) is expected


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        pytest.param(Verdict.LAND, Grade.ACCEPTED, id="where it must land"),
        pytest.param(Verdict.REFUSE, Grade.WRONG, id="where nothing may"),
    ],
)
def test_plain_replacement_of_what_stands_once_is_accepted(
    verdict: Verdict, expected: Grade
) -> None:
    plain = b"a = 1\nb = 2\nd = 4\n"
    assert grade(Truth(verdict, BEFORE, IDEAL, literal=plain), plain) is expected


@pytest.mark.parametrize(
    ("verdict", "answer", "expected"),
    [
        pytest.param(Verdict.REFUSE, None, Grade.REFUSED, id="refused"),
        pytest.param(Verdict.REFUSE, BEFORE, Grade.REFUSED, id="nothing changed"),
        pytest.param(Verdict.REFUSE, IDEAL, Grade.WRONG, id="landed"),
        pytest.param(Verdict.EITHER, None, Grade.REFUSED, id="refused where it may land"),
        pytest.param(Verdict.EITHER, IDEAL, Grade.IDEAL, id="landed where it may"),
        pytest.param(Verdict.EITHER, b"", Grade.WRONG, id="landed elsewhere where it may"),
    ],
)
def test_an_answer_where_the_edit_need_not_land(
    verdict: Verdict, answer: bytes | None, expected: Grade
) -> None:
    assert grade(truth(verdict), answer) is expected
