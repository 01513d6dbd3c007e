"""A result is right when it differs from the ideal one only where and how it may."""

from __future__ import annotations

from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Grade, Truth, grade
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
