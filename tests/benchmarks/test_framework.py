"""What the pairs of `benchmarks.framework` say, and the times of `benchmarks.verify`."""

from benchmarks.framework import describe, measure
from benchmarks.ratio_jobs import Cost, Job
from benchmarks.verify import time_way


def test_the_interval_holds_the_ranks_of_the_sign_test() -> None:
    """The tables of the sign test give the 40th and the 61st of 100."""
    said = describe([float(each) for each in range(1, 101)])
    assert said.startswith("100 pairs: median 50.5 starts (40.0 to 61.0), half of them between")


def test_a_difference_is_that_of_one_pair_in_starts() -> None:
    """Whoever begins: the slower machine of a later pair falls out."""

    def later(seconds: float) -> Job:
        return lambda turn: Cost(seconds + turn, clock=9.0)

    pairs = measure(lambda turn: Cost(0.5, clock=9.0), later(1.0), later(2.0), 4)
    assert pairs == [2.0, 2.0, 2.0, 2.0]


def test_what_takes_no_time_that_is_counted_has_a_rate() -> None:
    assert time_way(lambda: None).row("nothing", 5).split()[-2] == "500"
